import { i18n } from '@lingui/core'

// The parts of the words: see lingui.config.ts.
const catalogues = {
  'en-US': {
    messages: () => import('../../locales/en-US/messages.po'),
    'sign-in': () => import('../../locales/en-US/sign-in.po'),
    dashboard: () => import('../../locales/en-US/dashboard.po'),
    account: () => import('../../locales/en-US/account.po'),
    cedar: () => import('../../locales/en-US/cedar.po'),
    maple: () => import('../../locales/en-US/maple.po'),
    system: () => import('../../locales/en-US/system.po'),
    catalogue: () => import('../../locales/en-US/catalogue.po'),
    dev: () => import('../../locales/en-US/dev.po'),
  },
  'ru-RU': {
    messages: () => import('../../locales/ru-RU/messages.po'),
    'sign-in': () => import('../../locales/ru-RU/sign-in.po'),
    dashboard: () => import('../../locales/ru-RU/dashboard.po'),
    account: () => import('../../locales/ru-RU/account.po'),
    cedar: () => import('../../locales/ru-RU/cedar.po'),
    maple: () => import('../../locales/ru-RU/maple.po'),
    system: () => import('../../locales/ru-RU/system.po'),
    catalogue: () => import('../../locales/ru-RU/catalogue.po'),
    dev: () => import('../../locales/ru-RU/dev.po'),
  },
}

export type Catalogue = keyof (typeof catalogues)['en-US']
export type Locale = keyof typeof catalogues

/** Each language by its own name, so that a person finds it whatever language is on. */
export const localeNames: Record<Locale, string> = { 'en-US': 'English', 'ru-RU': 'Русский' }

const key = 'grove.locale'
const sourceKey = 'grove.locale.source'
const needed = new Set<Catalogue>(['messages'])

const isLocale = (value: string | null | undefined): value is Locale =>
  value === 'en-US' || value === 'ru-RU'

export const currentLocale = (): Locale => (isLocale(i18n.locale) ? i18n.locale : initialLocale())

/** `early.js` has put the reader's locale on the document element. */
export const initialLocale = (): Locale => {
  const { lang } = document.documentElement
  return isLocale(lang) ? lang : 'en-US'
}

export async function activateLocale(locale: Locale) {
  const loaded = await Promise.all([...needed].map((name) => catalogues[locale][name]()))
  for (const { messages } of loaded) i18n.load(locale, messages)
  i18n.activate(locale)
  document.documentElement.lang = locale
}

/** Adds a part of the words, for this locale and for every one chosen later. */
export async function addMessages(...names: Catalogue[]) {
  const locale = currentLocale()
  const missing = names.filter((name) => !needed.has(name))
  const loaded = await Promise.all(missing.map((name) => catalogues[locale][name]()))
  for (const name of missing) needed.add(name)
  for (const { messages } of loaded) i18n.load(locale, messages)
  // The reader chose another language while these were on their way.
  if (missing.length > 0 && currentLocale() !== locale) await activateLocale(currentLocale())
}

/** Changes the language because the reader asked for it, and keeps it for the next visit. */
export async function chooseLocale(locale: Locale) {
  await activateLocale(locale)
  store(locale, 'reader')
}

/** Changes the language to the account's, and keeps it for the next visit. */
export async function followAccount(locale: Locale) {
  if (locale !== currentLocale()) await activateLocale(locale)
  store(locale, 'account')
}

/** Whether the language is a choice of the reader that no account has yet. */
export function isLocaleChosen() {
  try {
    return localStorage.getItem(key) !== null && localStorage.getItem(sourceKey) !== 'account'
  } catch {
    return false
  }
}

function store(locale: Locale, source: 'reader' | 'account') {
  try {
    localStorage.setItem(key, locale)
    localStorage.setItem(sourceKey, source)
  } catch {
    // Storage denied: the choice lasts as long as the page.
  }
}
