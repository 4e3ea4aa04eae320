import { i18n, type Messages } from '@lingui/core'
import { pageCatalogues } from './page-catalogues.ts'

interface CatalogueFile {
  messages: Messages
}
/**
 * The file of a catalogue (lingui.config.ts), including the catalogues of its frame
 * (build/page-texts.ts). The built page contains a table of these files, which `early.js` reads too:
 * one more file would cost every page 1.7 kB.
 */
const fileOf: (path: string) => Promise<CatalogueFile> | undefined = import.meta.env.PROD
  ? (path) => {
      const { chunks = '{}' } = document.querySelector<HTMLElement>('[data-chunks]')?.dataset ?? {}
      const [file] = (JSON.parse(chunks) as Record<string, string[]>)[path] ?? []
      return file === undefined ? file : import(/* @vite-ignore */ `/${file}`)
    }
  : (path) => {
      const all = import.meta.glob<CatalogueFile>('../../locales/*/*.po', { query: '?page' })
      return all[`../../locales/${path}.po`]?.()
    }

type PageCatalogue = (typeof pageCatalogues)[keyof typeof pageCatalogues]
/** The texts of a page, or of what loads after it. */
export type Catalogue =
  | PageCatalogue
  | 'catalogue'
  | 'problems'
  | 'foreign'
  | 'parts'
  | 'maple-parts'
  | 'membership'
  | 'provider-request'
  | 'maple-image'
  | 'decode'
  | 'home'
export type Locale = 'en-US' | 'ru-RU'

async function load(locale: Locale, name: Catalogue): Promise<Messages> {
  const path = `${locale}/${name}`
  const found = await fileOf(path)
  if (!found) throw new Error(`There are no texts ${path}.`)
  return found.messages
}

/** Each language by its own name, so that people find it whatever language is active. */
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
  const loaded = await Promise.all([...needed].map((name) => load(locale, name)))
  for (const messages of loaded) i18n.load(locale, messages)
  i18n.activate(locale)
  document.documentElement.lang = locale
}

/** Adds the texts of a part of the console, for this locale and for every one chosen later. */
export async function addMessages(name: Catalogue) {
  if (needed.has(name)) return
  const locale = currentLocale()
  const messages = await load(locale, name)
  needed.add(name)
  i18n.load(locale, messages)
  // The reader chose another language while these were loading.
  if (currentLocale() !== locale) await activateLocale(currentLocale())
}

/** Loads the code of a part that opens later together with its texts. */
export const withTexts =
  <Part>(load: () => Promise<Part>, ...more: readonly Catalogue[]) =>
  async (): Promise<Part> => {
    const texts = (['parts', ...more] as const).map((name) => addMessages(name))
    const [part] = await Promise.all([load(), ...texts])
    return part
  }

/** The texts that the page at a path needs; `build/early.js` requests the same ones. */
export function textsOf(path: string): Catalogue {
  const beginnings = Object.keys(pageCatalogues) as (keyof typeof pageCatalogues)[]
  const longest = beginnings.findLast((beginning) => path.startsWith(beginning))
  return pageCatalogues[longest ?? '/']
}

/** The texts of the first page, in the reader's language. */
export async function startLocale() {
  const texts = textsOf(location.pathname)
  needed.add(texts)
  try {
    await activateLocale(initialLocale())
  } catch {
    // The page retries, and at least has the texts to say that it failed.
    needed.delete(texts)
    needed.add('messages')
    await activateLocale(initialLocale())
  }
}

/** Changes the language at the reader's request, and remembers it for the next visit. */
export async function chooseLocale(locale: Locale) {
  await activateLocale(locale)
  store(locale, 'reader')
}

/** Changes the language to the account's, and remembers it for the next visit. */
export async function followAccount(locale: Locale) {
  if (locale !== currentLocale()) await activateLocale(locale)
  store(locale, 'account')
}

/** Whether the reader chose the language and no account has it yet. */
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
