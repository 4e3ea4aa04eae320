import { expect, test } from 'vitest'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { toDraft } from '../../parts/translations.ts'
import { listingIn } from './listing-texts.ts'

const image = (id: string, localeCode: 'en-US' | 'ru-RU'): ProductVersion['images'][number] => ({
  id,
  localeCode,
  url: `/${id}`,
  width: 320,
  height: 640,
  bytes: 1,
  sha256: id,
})
const draft = toDraft([
  { localeCode: 'en-US', title: 'Tide', description: 'High and low.' },
  { localeCode: 'ru-RU', title: 'Прилив' },
])

test('a text that is missing in a language is shown in English and labelled so', () => {
  const { title, description, whatsNew } = listingIn(draft, [], 'ru-RU')
  expect(title).toEqual({ text: 'Прилив', lang: 'ru-RU' })
  expect(description).toEqual({ text: 'High and low.', lang: 'en-US' })
  expect(whatsNew).toBeUndefined()
})

test('screenshots come from one language: the reader’s, or another that has some', () => {
  const [english, russian] = [image('a', 'en-US'), image('b', 'ru-RU')]
  expect(listingIn(draft, [english, russian], 'ru-RU').images).toEqual([russian])
  expect(listingIn(draft, [english], 'ru-RU').images).toEqual([english])
  expect(listingIn(draft, [russian], 'en-US').images).toEqual([russian])
})
