import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const console = join(import.meta.dirname, '../..')
const extracted = mkdtempSync(join(tmpdir(), 'grove-locales-'))

beforeAll(() => {
  execFileSync('npx', ['lingui', 'extract'], {
    cwd: console,
    env: { ...process.env, GROVE_LOCALES: extracted },
    stdio: 'pipe',
  })
}, 180_000)
afterAll(() => rmSync(extracted, { recursive: true }))

/** The messages (with their context) and translations of a catalogue, without its header. */
function read(folder: string, locale: string, catalogue: string) {
  const text = readFileSync(join(folder, locale, `${catalogue}.po`), 'utf8')
  const entry = /^(?:msgctxt (".*")\n)?msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)/gm
  const joined = (lines: string) =>
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string)
      .join('')
  const entries = [...text.matchAll(entry)].map(
    ([, context = '', id = '', translation = '']) =>
      [(context && `${context} `) + joined(id), joined(translation)] as const,
  )
  return new Map(entries.filter(([id]) => id !== ''))
}

const catalogues = ['messages', 'sign-in', 'dashboard', 'account', 'catalogue', 'cedar', 'product', 'maple', 'decode', 'system']

describe.each(catalogues)('catalogue %s', (catalogue) => {
  test.each(['en-US', 'ru-RU'])('%s has every text that is used and no others', (locale) => {
    const used = [...read(extracted, 'en-US', catalogue).keys()].toSorted()
    expect(used.length).toBeGreaterThan(20)
    expect([...read(import.meta.dirname, locale, catalogue).keys()].toSorted()).toEqual(used)
  })

  test('every text is translated into Russian', () => {
    const missing = [...read(import.meta.dirname, 'ru-RU', catalogue)]
      .filter(([, translation]) => translation === '')
      .map(([id]) => id)
    expect(missing).toEqual([])
  })

  test('a translation keeps the variables and the tags of its text', () => {
    const marks = (text: string) =>
      [...new Set(text.match(/\{\w+(?=[,}])|<\/?\d+\/?>/g))].toSorted()
    for (const [id, translation] of read(import.meta.dirname, 'ru-RU', catalogue)) {
      if (translation !== '') expect(marks(translation), id).toEqual(marks(id))
    }
  })

  test('a Russian plural has the four forms that the language needs', () => {
    for (const [, translation] of read(import.meta.dirname, 'ru-RU', catalogue)) {
      if (!/, plural,/.test(translation)) continue
      for (const form of ['one', 'few', 'many', 'other'])
        expect(translation).toMatch(new RegExp(`\\b${form} \\{`))
    }
  })
})

test('“мини‑приложение” is never broken at its hyphen', () => {
  for (const catalogue of catalogues)
    for (const [, translation] of read(import.meta.dirname, 'ru-RU', catalogue))
      expect(translation).not.toMatch(/мини-прилож/i)
})

test('a text has one translation, whichever catalogue was loaded last', () => {
  const translations = new Map<string, Set<string>>()
  const files = readdirSync(join(import.meta.dirname, 'ru-RU')).filter((file) => file.endsWith('.po'))
  for (const catalogue of files.map((file) => file.slice(0, -'.po'.length)))
    for (const [id, translation] of read(import.meta.dirname, 'ru-RU', catalogue))
      translations.set(id, (translations.get(id) ?? new Set()).add(translation))
  const differing = [...translations].filter(([, { size }]) => size > 1)
  expect(differing).toEqual([])
})
