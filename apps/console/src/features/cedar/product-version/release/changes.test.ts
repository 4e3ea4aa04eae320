import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { expect, test } from 'vitest'
import { changesOf } from './changes.ts'

type Version = Parameters<typeof changesOf>[0]

const image = (sha256: string, localeCode: 'en-US' | 'ru-RU' = 'en-US') =>
  ({ sha256, localeCode }) as ProductVersion['images'][number]
const file = (sha256: string) => ({ sha256 }) as NonNullable<ProductVersion['package']>
const live: Version = {
  translations: [{ localeCode: 'en-US', title: 'Tide', description: 'High and low.' }],
  images: [image('a'), image('b')],
  package: file('one'),
}

test('a copy of the live version changes nothing, and its package may still be missing', () => {
  expect(changesOf(live, live).count).toBe(0)
  expect(changesOf({ ...live, package: null }, live).count).toBe(0)
})

test('each text, each screenshot and the package count', () => {
  const changes = changesOf(
    {
      translations: [
        { localeCode: 'en-US', title: 'Tide', description: 'High.' },
        { localeCode: 'ru-RU', title: 'Прилив' },
      ],
      images: [image('b'), image('a', 'ru-RU')],
      package: file('two'),
    },
    live,
  )
  expect(changes).toMatchObject({ added: 1, removed: 1, isReordered: false, count: 5 })
  expect(changes.texts).toEqual([
    { locale: 'en-US', fields: ['description'] },
    { locale: 'ru-RU', fields: ['title'] },
  ])
  expect(changes.package?.after.sha256).toBe('two')
})

test('the same screenshots in another order are one change', () => {
  const changes = changesOf({ ...live, images: [image('b'), image('a')] }, live)
  expect(changes).toMatchObject({ added: 0, removed: 0, isReordered: true, count: 1 })
})
