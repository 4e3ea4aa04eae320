import { setupI18n } from '@lingui/core'
import { expect, test } from 'vitest'
import { meaningText } from './meaning-text.ts'

const texts = (locale: string) => setupI18n({ locale, messages: { [locale]: {} } })

test.each(['en-US', 'ru-RU'])('privileges are separated by commas in %s', (locale) => {
  const terms = ['privilege.securityDomain', 'privilege.cardLock'] as const
  expect(meaningText({ kind: 'terms', terms: [...terms] }, texts(locale))).toMatch(/^[^,]+, [^,]+$/)
})

test('a date has its two possible years, and an invalid date is labelled so', () => {
  const i18n = texts('en-US')
  const candidates = ['2023-06-29', '2013-06-29']
  const date = (value: Parameters<typeof meaningText>[0] & { kind: 'date' }) =>
    meaningText(value, i18n)
  expect(date({ kind: 'date', date: { kind: 'date', candidates } })).toBe(
    'Jun 29, 2023 or Jun 29, 2013',
  )
  expect(date({ kind: 'date', date: { kind: 'notADate' } })).toBe('not a date')
  expect(date({ kind: 'date', date: { kind: 'none' } })).toBe('not set')
})

test('a status word includes its number', () => {
  const meaning = { kind: 'term', term: 'status.triesLeft', value: 2 } as const
  expect(meaningText(meaning, texts('en-US'))).toBe('wrong value, tries left: 2')
})
