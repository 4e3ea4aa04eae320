import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { expect, test } from 'vitest'
import { checklistOf, versionInWork } from './checklist.ts'

const title = (localeCode: 'en-US' | 'ru-RU') => ({ localeCode, title: 'Clock', description: 'x' })
const bare = { iconUrl: null, translations: [title('en-US')] }
const whole = { iconUrl: '/icon', translations: [title('en-US'), title('ru-RU')] }
const version = (part: Partial<ProductVersion>) =>
  ({ state: 'no_package', package: null, translations: [], images: [], ...part }) as ProductVersion
const states = (...given: Parameters<typeof checklistOf>) =>
  Object.fromEntries(checklistOf(...given).map(({ name, state }) => [name, state]))

test('a new app has every step ahead, and optional ones are only recommended', () => {
  expect(states(bare, undefined)).toEqual({
    icon: 'recommended',
    titles: 'recommended',
    version: 'todo',
    package: 'todo',
    listing: 'todo',
    screenshots: 'todo',
    release: 'todo',
  })
})

test('only facts complete the list', () => {
  const live = version({
    state: 'live',
    enabled: true,
    package: {} as ProductVersion['package'],
    translations: whole.translations,
    images: [{} as ProductVersion['images'][number]],
  })
  expect(new Set(Object.values(states(whole, live)))).toEqual(new Set(['done']))
  expect(states(whole, version({ state: 'failed_checks' }))['package']).toBe('refused')
})

test('after a rollback the list is about the live version, not about the one rolled back', () => {
  const summary = (number: string, state: 'live' | 'previous' | 'ready') =>
    ({ version: number, state }) as Product['liveVersion']
  const product = (newest: Product['newestVersion'], live: Product['liveVersion']) =>
    versionInWork({ newestVersion: newest, liveVersion: live } as Product)?.version
  expect(product(summary('2.0.0', 'previous'), summary('1.0.0', 'live'))).toBe('1.0.0')
  expect(product(summary('2.0.0', 'ready'), summary('1.0.0', 'live'))).toBe('2.0.0')
  expect(product(summary('2.0.0', 'previous'), null)).toBe('2.0.0')
  expect(product(null, null)).toBeUndefined()
})
