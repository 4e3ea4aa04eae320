'use strict'

const texts = {
  en: {
    title: 'Tide Table',
    ports: 'Port',
    today: 'Today',
    rising: 'Rising',
    falling: 'Falling',
    high: 'High water',
    low: 'Low water',
    metres: 'm',
    next: (kind, time, left) => `${kind} at ${time}, in ${left}`,
    left: (hours, minutes) => (hours ? `${hours} h ${minutes} min` : `${minutes} min`),
    note: 'A model for practice, not for navigation.',
    names: { brest: 'Brest', bergen: 'Bergen', halifax: 'Halifax' },
  },
  ru: {
    title: 'Таблица приливов',
    ports: 'Порт',
    today: 'Сегодня',
    rising: 'Прибывает',
    falling: 'Убывает',
    high: 'Полная вода',
    low: 'Малая вода',
    metres: 'м',
    next: (kind, time, left) => `${kind} в ${time}, через ${left}`,
    left: (hours, minutes) => (hours ? `${hours} ч ${minutes} мин` : `${minutes} мин`),
    note: 'Учебная модель, не для навигации.',
    names: { brest: 'Брест', bergen: 'Берген', halifax: 'Галифакс' },
  },
}

// Each port: mean level and the amplitude (m) and phase (degrees) of four tidal constituents.
const ports = {
  brest: { mean: 4.1, waves: { M2: [2.05, 108], S2: [0.75, 147], K1: [0.06, 68], O1: [0.07, 325] } },
  bergen: { mean: 0.9, waves: { M2: [0.44, 297], S2: [0.16, 336], K1: [0.03, 168], O1: [0.03, 12] } },
  halifax: { mean: 1.3, waves: { M2: [0.63, 225], S2: [0.14, 256], K1: [0.1, 122], O1: [0.05, 80] } },
}
// Degrees an hour.
const speeds = { M2: 28.984104, S2: 30, K1: 15.041069, O1: 13.943035 }

const query = new URLSearchParams(location.search)
const language = query.get('lang') || navigator.language || 'en'
const locale = language.toLowerCase().startsWith('ru') ? 'ru' : 'en'
const text = texts[locale]
const $ = (id) => document.getElementById(id)
const hour = 3600000

let port = 'brest'

function heightAt(time) {
  const { mean, waves } = ports[port]
  const hours = time / hour
  let height = mean
  for (const [name, [amplitude, phase]] of Object.entries(waves)) {
    height += amplitude * Math.cos(((speeds[name] * hours - phase) * Math.PI) / 180)
  }
  return height
}

/** High and low waters between two moments: where the slope changes sign, to the minute. */
function turns(from, to) {
  const step = 60000
  const found = []
  for (let time = Math.ceil(from / step) * step; time < to; time += step) {
    const before = heightAt(time) - heightAt(time - step)
    const after = heightAt(time + step) - heightAt(time)
    if (before > 0 !== after > 0) found.push({ time, isHigh: before > 0, height: heightAt(time) })
  }
  return found
}

function show(height) {
  return height.toLocaleString(locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })
}

const clock = (time) =>
  new Date(time).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', hour12: false })

function drawTides(marks, now) {
  $('tides').replaceChildren(
    ...marks.map((mark) => {
      const item = document.createElement('li')
      if (mark.time < now) item.className = 'past'
      const cells = [
        ['kind', `${mark.isHigh ? '▲' : '▼'} ${mark.isHigh ? text.high : text.low}`],
        ['time', clock(mark.time)],
        ['metres', `${show(mark.height)} ${text.metres}`],
      ]
      for (const [className, content] of cells) {
        const cell = document.createElement('span')
        cell.className = className
        cell.textContent = content
        item.append(cell)
      }
      return item
    }),
  )
}

function draw() {
  // `?at=` fixes the moment, for screenshots and tests.
  const now = query.has('at') ? Date.parse(query.get('at')) : Date.now()
  const start = new Date(now).setHours(0, 0, 0, 0)
  const marks = turns(start, start + 24 * hour)
  const rising = heightAt(now + 60000) > heightAt(now)
  const next = turns(now + 60000, now + 14 * hour)[0]

  $('date').textContent = new Date(now).toLocaleDateString(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  })
  $('state').textContent = `${rising ? '↑' : '↓'} ${rising ? text.rising : text.falling}`
  $('height').textContent = show(heightAt(now))
  $('unit').textContent = text.metres
  const minutes = Math.round((next.time - now) / 60000)
  const left = text.left(Math.floor(minutes / 60), minutes % 60)
  $('next').textContent = text.next(next.isHigh ? text.high : text.low, clock(next.time), left)
  for (const button of $('ports').children) {
    button.setAttribute('aria-pressed', String(button.dataset.port === port))
  }
  drawTides(marks, now)
}

document.documentElement.lang = locale
document.title = text.title
for (const element of document.querySelectorAll('[data-text]')) {
  element.textContent = text[element.dataset.text]
}
$('ports').setAttribute('aria-label', text.ports)
for (const id of Object.keys(ports)) {
  const button = document.createElement('button')
  button.type = 'button'
  button.dataset.port = id
  button.textContent = text.names[id]
  button.addEventListener('click', () => {
    port = id
    draw()
  })
  $('ports').append(button)
}
draw()
setInterval(draw, 30000)
