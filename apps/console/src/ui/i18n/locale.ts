import { i18n } from '@lingui/core'

// The texts of each part of the console (lingui.config.ts), each with those of its frame (build/page-texts.ts).
const catalogues = {
  'en-US': {
    messages: () => import('../../locales/en-US/messages.po?page'),
    'sign-in': () => import('../../locales/en-US/sign-in.po?page'),
    dashboard: () => import('../../locales/en-US/dashboard.po?page'),
    account: () => import('../../locales/en-US/account.po?page'),
    cedar: () => import('../../locales/en-US/cedar.po?page'),
    product: () => import('../../locales/en-US/product.po?page'),
    provider: () => import('../../locales/en-US/provider.po?page'),
    'publish-key': () => import('../../locales/en-US/publish-key.po?page'),
    notification: () => import('../../locales/en-US/notification.po?page'),
    maple: () => import('../../locales/en-US/maple.po?page'),
    system: () => import('../../locales/en-US/system.po?page'),
    catalogue: () => import('../../locales/en-US/catalogue.po?page'),
    dev: () => import('../../locales/en-US/dev.po?page'),
    problems: () => import('../../locales/en-US/problems.po?page'),
    parts: () => import('../../locales/en-US/parts.po?page'),
  },
  'ru-RU': {
    messages: () => import('../../locales/ru-RU/messages.po?page'),
    'sign-in': () => import('../../locales/ru-RU/sign-in.po?page'),
    dashboard: () => import('../../locales/ru-RU/dashboard.po?page'),
    account: () => import('../../locales/ru-RU/account.po?page'),
    cedar: () => import('../../locales/ru-RU/cedar.po?page'),
    product: () => import('../../locales/ru-RU/product.po?page'),
    provider: () => import('../../locales/ru-RU/provider.po?page'),
    'publish-key': () => import('../../locales/ru-RU/publish-key.po?page'),
    notification: () => import('../../locales/ru-RU/notification.po?page'),
    maple: () => import('../../locales/ru-RU/maple.po?page'),
    system: () => import('../../locales/ru-RU/system.po?page'),
    catalogue: () => import('../../locales/ru-RU/catalogue.po?page'),
    dev: () => import('../../locales/ru-RU/dev.po?page'),
    problems: () => import('../../locales/ru-RU/problems.po?page'),
    parts: () => import('../../locales/ru-RU/parts.po?page'),
  },
}

export type Catalogue = keyof (typeof catalogues)['en-US']
export type Locale = keyof typeof catalogues

/** Each language by its own name, so that a person finds it whatever language is on. */
export const localeNames: Record<Locale, string> = { 'en-US': 'English', 'ru-RU': 'Русский' }

const key = 'grove.locale'
const sourceKey = 'grove.locale.source'
const needed = new Set<Catalogue>()

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

/** Adds the texts of a part of the console, for this locale and for every one chosen later. */
export async function addMessages(name: Catalogue) {
  if (needed.has(name)) return
  const locale = currentLocale()
  const { messages } = await catalogues[locale][name]()
  needed.add(name)
  i18n.load(locale, messages)
  // The reader chose another language while these were on their way.
  if (currentLocale() !== locale) await activateLocale(currentLocale())
}

/** Loads the code of a part that opens later, and the texts that such parts have. */
export const withTexts =
  <Part>(load: () => Promise<Part>) =>
  async (): Promise<Part> => {
    const [part] = await Promise.all([load(), addMessages('parts')])
    return part
  }

/** The texts that the page of a path needs; `early.js` asks for the same. */
export function textsOf(path: string): Catalogue {
  const [, area, service = '', page, id = ''] = path.split('/')
  if (area === 'dashboard') {
    if (service === 'cedar' && page === 'account') return 'account'
    if (service === 'cedar' && (page === 'providers' || page === 'activity')) return 'provider'
    if (service === 'cedar' && page === 'keys') return 'publish-key'
    if (service === 'cedar' && page === 'notifications') return 'notification'
    if (service === 'cedar' && id !== '') return 'product'
    return service === 'cedar' || service === 'maple' || service === 'system'
      ? service
      : 'dashboard'
  }
  if (area === 'dev') return 'dev'
  return area === 'signup' || (area === 'login' && service !== '') ? 'sign-in' : 'messages'
}

/** The texts of the first page, in the reader's language. */
export async function startLocale() {
  const texts = textsOf(location.pathname)
  needed.add(texts)
  try {
    await activateLocale(initialLocale())
  } catch {
    // The page asks again, and has at least the words to say that it failed.
    needed.delete(texts)
    needed.add('messages')
    await activateLocale(initialLocale())
  }
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
