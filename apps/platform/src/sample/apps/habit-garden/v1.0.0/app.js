'use strict'

const texts = {
  en: {
    title: 'Habit Garden',
    add: 'New habit',
    plant: 'Plant',
    empty: 'Your garden is empty. Plant the first habit below.',
    memory: 'This browser keeps nothing, so the garden lasts until you close the page.',
    summary: (done, all) => `${done} of ${all} watered today`,
    days: { one: 'day in a row', other: 'days in a row' },
    water: (name) => `Water “${name}” today`,
    remove: (name) => `Remove “${name}”`,
    week: (count) => `Watered on ${count} of the last 7 days`,
    first: ['Read ten pages', 'Walk outside', 'Ten new words'],
  },
  ru: {
    title: 'Сад привычек',
    add: 'Новая привычка',
    plant: 'Посадить',
    empty: 'В саду пока пусто. Посадите первую привычку ниже.',
    memory: 'Браузер ничего не хранит: сад проживёт, пока открыта страница.',
    summary: (done, all) => `Полито сегодня: ${done} из ${all}`,
    days: { one: 'день подряд', few: 'дня подряд', many: 'дней подряд', other: 'дня подряд' },
    water: (name) => `Полить сегодня: «${name}»`,
    remove: (name) => `Убрать: «${name}»`,
    week: (count) => `Полито дней за неделю: ${count} из 7`,
    first: ['Десять страниц', 'Прогулка', 'Десять новых слов'],
  },
}

const query = new URLSearchParams(location.search)
const language = query.get('lang') || navigator.language || 'en'
const locale = language.toLowerCase().startsWith('ru') ? 'ru' : 'en'
const text = texts[locale]
const plural = new Intl.PluralRules(locale)
const $ = (id) => document.getElementById(id)
const key = 'habit-garden'

/** A preview runs without storage of its own, where touching localStorage throws. */
const storage = (() => {
  try {
    localStorage.setItem(`${key}-probe`, '1')
    localStorage.removeItem(`${key}-probe`)
    return localStorage
  } catch {
    return null
  }
})()

const dayName = (back) => {
  const date = new Date()
  date.setDate(date.getDate() - back)
  const two = (number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function load() {
  try {
    const saved = JSON.parse(storage?.getItem(key) ?? 'null')
    if (Array.isArray(saved)) return saved
  } catch {
    // What cannot be read is replaced by a new garden.
  }
  // Three plants of different ages, so that the first look shows what the garden is for.
  const past = (days, from) => Array.from({ length: days }, (_, index) => dayName(index + from))
  return [
    { name: text.first[0], days: past(12, 0) },
    { name: text.first[1], days: past(5, 1) },
    { name: text.first[2], days: past(2, 0) },
  ]
}

let habits = load()

function save() {
  try {
    storage?.setItem(key, JSON.stringify(habits))
  } catch {
    // A full storage loses the change when the page closes, not now.
  }
}

/** Days in a row up to today; today itself may still be open. */
function streak(days) {
  let count = 0
  for (let back = days.includes(dayName(0)) ? 0 : 1; days.includes(dayName(back)); back += 1) {
    count += 1
  }
  return count
}

function svg(name, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value)
  }
  return element
}

/** A plant that gains a pair of leaves every other day and flowers after a week. */
function plant(days) {
  const picture = svg('svg', { viewBox: '0 0 64 80', 'aria-hidden': 'true' })
  const height = Math.min(46, 6 + days * 4.5)
  const top = 62 - height
  const pairs = Math.min(5, Math.ceil(days / 2))
  picture.append(svg('path', { class: 'stem', d: `M32 64Q${30 + (days % 3)} ${top + height / 2} 32 ${top}` }))
  for (let pair = 0; pair < pairs; pair += 1) {
    const y = 60 - ((pair + 0.7) * height) / (pairs + 0.4)
    const size = 13 - pair * 1.4
    picture.append(
      svg('path', { class: 'leaf', d: `M32 ${y}q${-size} ${-size / 4} ${-size * 1.2} ${-size * 0.8}q${size} ${-size / 3} ${size * 1.2} ${size * 0.8}z` }),
      svg('path', { class: 'leaf', d: `M32 ${y}q${size} ${-size / 4} ${size * 1.2} ${-size * 0.8}q${-size} ${-size / 3} ${-size * 1.2} ${size * 0.8}z` }),
    )
  }
  if (days >= 7) {
    for (let petal = 0; petal < 6; petal += 1) {
      const angle = (petal * Math.PI) / 3
      const at = { cx: 32 + Math.cos(angle) * 6.5, cy: top + Math.sin(angle) * 6.5, r: 5 }
      picture.append(svg('circle', { class: 'petal', ...at }))
    }
    picture.append(svg('circle', { class: 'heart', cx: 32, cy: top, r: 4.5 }))
  }
  picture.append(
    svg('path', { class: 'pot', d: 'M18 62h28l-4 17H22z' }),
    svg('rect', { class: 'rim', x: 15, y: 59, width: 34, height: 6, rx: 2 }),
  )
  return picture
}

function element(name, className, content) {
  const node = document.createElement(name)
  node.className = className
  if (content !== undefined) node.textContent = content
  return node
}

function week(days) {
  const dots = element('div', 'week')
  let count = 0
  for (let back = 6; back >= 0; back -= 1) {
    const watered = days.includes(dayName(back))
    if (watered) count += 1
    dots.append(element('span', watered ? 'dot on' : 'dot'))
  }
  dots.setAttribute('role', 'img')
  dots.setAttribute('aria-label', text.week(count))
  return dots
}

function card(habit) {
  const today = dayName(0)
  const isWatered = habit.days.includes(today)
  const days = streak(habit.days)
  const item = element('li', isWatered ? 'done' : '')

  const words = element('div', 'words')
  const line = element('p', 'streak')
  line.append(element('strong', '', String(days)), ` ${text.days[plural.select(days)]}`)
  words.append(element('h2', '', habit.name), line, week(habit.days))

  const water = element('button', 'water')
  water.type = 'button'
  water.setAttribute('aria-pressed', String(isWatered))
  water.setAttribute('aria-label', text.water(habit.name))
  const drop = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' })
  drop.append(svg('path', { d: isWatered ? 'M5 13l5 5 9-11' : 'M12 3s6.5 7 6.5 11.5a6.5 6.5 0 0 1-13 0C5.5 10 12 3 12 3z' }))
  water.append(drop)
  water.addEventListener('click', () => {
    habit.days = isWatered ? habit.days.filter((day) => day !== today) : [...habit.days, today]
    change(habits.indexOf(habit))
  })

  const remove = element('button', 'remove', '×')
  remove.type = 'button'
  remove.setAttribute('aria-label', text.remove(habit.name))
  remove.addEventListener('click', () => {
    habits = habits.filter((other) => other !== habit)
    change(-1)
  })
  item.append(plant(days), words, water, remove)
  return item
}

function draw() {
  const done = habits.filter((habit) => habit.days.includes(dayName(0))).length
  $('summary').textContent = text.summary(done, habits.length)
  $('garden').replaceChildren(...habits.map(card))
  $('empty').hidden = habits.length > 0
}

/** Saves and draws; the redrawn button of the plant at `focus` keeps the keyboard's place. */
function change(focus) {
  save()
  draw()
  if (focus >= 0) $('garden').children[focus]?.querySelector('.water').focus()
  else $('name').focus()
}

document.documentElement.lang = locale
document.title = text.title
for (const node of document.querySelectorAll('[data-text]')) {
  node.textContent = text[node.dataset.text]
}
$('memory').hidden = storage !== null
$('form').addEventListener('submit', (event) => {
  event.preventDefault()
  const name = $('name').value.trim()
  if (!name) return
  habits = [...habits, { name, days: [] }]
  $('name').value = ''
  change(-1)
})
// A new day begins while the page is open.
document.addEventListener('visibilitychange', draw)
draw()
