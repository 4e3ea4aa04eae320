import { expect, test } from 'vitest'
import { inBestLocale, localised } from './localised.ts'

const english = { localeCode: 'en-US' as const, title: 'Tides', whatsNew: 'Feet' }
const russian = { localeCode: 'ru-RU' as const, title: 'Приливы', whatsNew: ' \n' }

test('a text is in the reader’s language', () => {
  const translations = [english, russian]
  expect(localised(translations, 'title', 'ru-RU')).toEqual({ text: 'Приливы', lang: 'ru-RU' })
  expect(localised(translations, 'title', 'en-US')).toEqual({ text: 'Tides', lang: 'en-US' })
})

test('a text that is missing or blank in it is in the other language', () => {
  expect(localised([english, russian], 'whatsNew', 'ru-RU')).toEqual({
    text: 'Feet',
    lang: 'en-US',
  })
  expect(localised([russian], 'title', 'en-US')).toEqual({ text: 'Приливы', lang: 'ru-RU' })
  expect(localised([russian], 'whatsNew', 'ru-RU')).toBeUndefined()
  expect(localised([], 'title', 'en-US')).toBeUndefined()
})

test('screenshots come from one language, in order', () => {
  const shots = [
    { localeCode: 'en-US' as const, url: '/1' },
    { localeCode: 'ru-RU' as const, url: '/2' },
    { localeCode: 'en-US' as const, url: '/3' },
  ]
  const urls = (things: typeof shots) => things.map(({ url }) => url)
  expect(urls(inBestLocale(shots, 'en-US'))).toEqual(['/1', '/3'])
  expect(urls(inBestLocale(shots, 'ru-RU'))).toEqual(['/2'])
  expect(urls(inBestLocale(shots.slice(1, 2), 'en-US'))).toEqual(['/2'])
  expect(inBestLocale([], 'en-US')).toEqual([])
})
