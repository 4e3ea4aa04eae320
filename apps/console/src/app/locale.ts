import { i18n, type Messages } from '@lingui/core'

type Catalogue = () => Promise<{ messages: Messages }>

const catalogues = {
  'en-US': {
    messages: () => import('../locales/en-US/messages.po'),
    dashboard: () => import('../locales/en-US/dashboard.po'),
  },
  'ru-RU': {
    messages: () => import('../locales/ru-RU/messages.po'),
    dashboard: () => import('../locales/ru-RU/dashboard.po'),
  },
} satisfies Record<string, Record<'messages' | 'dashboard', Catalogue>>

export type Locale = keyof typeof catalogues

/** Each language by its own name, so that a person finds it whatever language is on. */
export const localeNames: Record<Locale, string> = { 'en-US': 'English', 'ru-RU': 'Русский' }

const key = 'grove.locale'
const needed = new Set<'messages' | 'dashboard'>(['messages'])

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

/** The dashboard's words, for this locale and for every one chosen later. */
export async function addDashboardMessages() {
  if (needed.has('dashboard')) return
  needed.add('dashboard')
  try {
    await activateLocale(currentLocale())
  } catch (error) {
    needed.delete('dashboard')
    throw error
  }
}

export async function chooseLocale(locale: Locale) {
  await activateLocale(locale)
  try {
    localStorage.setItem(key, locale)
  } catch {
    // Storage denied: the choice lasts as long as the page.
  }
}
