'use strict'

const texts = {
  en: {
    title: 'Split the Bill',
    bill: 'Bill',
    tip: 'Tip',
    people: 'People',
    add: 'Add a person',
    tipTotal: 'Tip',
    total: 'Total',
    toShares: 'By shares',
    toEven: 'Evenly',
    problem: 'Enter an amount such as 84.50',
    person: (number) => `Person ${number}`,
    name: (number) => `Name of person ${number}`,
    fewer: (name) => `Fewer shares for ${name}`,
    more: (name) => `More shares for ${name}`,
    remove: (name) => `Remove ${name}`,
    names: ['Anna', 'Ben', 'Chloe'],
    currency: 'EUR',
    bills: '84.50',
  },
  ru: {
    title: 'Разделим счёт',
    bill: 'Счёт',
    tip: 'Чаевые',
    people: 'Кто платит',
    add: 'Добавить человека',
    tipTotal: 'Чаевые',
    total: 'Итого',
    toShares: 'По долям',
    toEven: 'Поровну',
    problem: 'Введите сумму, например 3450,50',
    person: (number) => `Гость ${number}`,
    name: (number) => `Имя гостя ${number}`,
    fewer: (name) => `Уменьшить долю: ${name}`,
    more: (name) => `Увеличить долю: ${name}`,
    remove: (name) => `Убрать: ${name}`,
    names: ['Анна', 'Борис', 'Вера'],
    currency: 'RUB',
    bills: '3450,50',
  },
}

const query = new URLSearchParams(location.search)
const language = query.get('lang') || navigator.language || 'en'
const locale = language.toLowerCase().startsWith('ru') ? 'ru' : 'en'
const text = texts[locale]
const money = new Intl.NumberFormat(locale, { style: 'currency', currency: text.currency })
const $ = (id) => document.getElementById(id)
const tips = [0, 5, 10, 15, 20]

let tip = 10
let isEven = true
let people = text.names.map((name) => ({ name, shares: 1 }))

/** Minor units, or null when the text is no amount. Spaces group digits, comma or dot divides. */
function parseAmount(value) {
  const plain = value.replace(/[\s\u00a0\u202f]/g, '').replace(',', '.')
  if (plain === '') return 0
  if (!/^\d{1,7}(\.\d{0,2})?$/.test(plain)) return null
  return Math.round(Number(plain) * 100)
}

/** Splits so that the parts add up to the total: the cents left over go to the first ones. */
function split(total, shares) {
  const all = shares.reduce((sum, share) => sum + share, 0)
  const parts = shares.map((share) => Math.floor((total * share) / all))
  let left = total - parts.reduce((sum, part) => sum + part, 0)
  return parts.map((part, index) => {
    if (left === 0 || shares[index] === 0) return part
    left -= 1
    return part + 1
  })
}

function element(name, className, content) {
  const node = document.createElement(name)
  node.className = className
  if (content !== undefined) node.textContent = content
  return node
}

function button(className, content, label, act) {
  const node = element('button', className, content)
  node.type = 'button'
  node.setAttribute('aria-label', label)
  node.addEventListener('click', act)
  return node
}

function stepper(person, name) {
  const step = (change) => () => {
    person.shares = Math.min(9, Math.max(0, person.shares + change))
    update()
  }
  const box = element('div', 'stepper')
  const fewer = button('', '−', text.fewer(name), step(-1))
  const more = button('', '+', text.more(name), step(1))
  box.append(fewer, element('span', 'shares'), more)
  return box
}

function row(person, index) {
  const item = element('li', '')
  const name = person.name || text.person(index + 1)
  const field = element('input', 'name')
  field.value = person.name
  field.maxLength = 30
  field.placeholder = text.person(index + 1)
  field.setAttribute('aria-label', text.name(index + 1))
  field.addEventListener('input', () => {
    person.name = field.value
  })
  const remove = button('remove', '×', text.remove(name), () => {
    people = people.filter((other) => other !== person)
    draw()
    $('add').focus()
  })
  remove.disabled = people.length === 1
  item.append(field)
  if (!isEven) item.append(stepper(person, name))
  item.append(element('output', 'part'), remove)
  return item
}

/** The figures alone, so that typing and stepping never lose the focus. */
function update() {
  const bill = parseAmount($('bill').value)
  $('problem').textContent = bill === null ? text.problem : ''
  $('bill').setAttribute('aria-invalid', String(bill === null))
  const tipTotal = Math.round(((bill ?? 0) * tip) / 100)
  const total = (bill ?? 0) + tipTotal
  const shares = people.map((person) => (isEven ? 1 : person.shares))
  const canSplit = bill !== null && shares.some((share) => share > 0)
  const parts = canSplit ? split(total, shares) : shares.map(() => 0)
  for (const [index, item] of [...$('people').children].entries()) {
    item.querySelector('.part').textContent = money.format(parts[index] / 100)
    const count = item.querySelector('.shares')
    if (count) count.textContent = String(people[index].shares)
  }
  for (const choice of $('tips').children) {
    choice.setAttribute('aria-pressed', String(Number(choice.dataset.tip) === tip))
  }
  $('tip-total').textContent = money.format(tipTotal / 100)
  $('total').textContent = money.format(total / 100)
}

function draw() {
  $('mode').textContent = isEven ? text.toShares : text.toEven
  $('people').className = isEven ? '' : 'by-shares'
  $('people').replaceChildren(...people.map(row))
  $('add').disabled = people.length === 12
  update()
}

document.documentElement.lang = locale
document.title = text.title
for (const node of document.querySelectorAll('[data-text]')) {
  node.textContent = text[node.dataset.text]
}
for (const percent of tips) {
  const choice = element('button', '', `${percent}%`)
  choice.type = 'button'
  choice.dataset.tip = String(percent)
  choice.addEventListener('click', () => {
    tip = percent
    update()
  })
  $('tips').append(choice)
}
$('bill').value = text.bills
$('bill').addEventListener('input', update)
$('mode').addEventListener('click', () => {
  isEven = !isEven
  draw()
})
$('add').addEventListener('click', () => {
  people = [...people, { name: '', shares: 1 }]
  draw()
  $('people').lastElementChild.querySelector('.name').focus()
})
draw()
