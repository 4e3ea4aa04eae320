import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { expect, test } from 'vitest'
import { blockerOf, gapsOf, stateOf } from './steps.ts'

type Part = Pick<
  ProductVersion,
  'state' | 'package' | 'translations' | 'images' | 'enabled' | 'rights' | 'missingPermissions'
>

const version = (part: Partial<Part>) =>
  ({
    state: 'no_package',
    package: null,
    translations: [],
    images: [],
    enabled: false,
    ...part,
  }) as unknown as ProductVersion
const file = {} as NonNullable<ProductVersion['package']>
const image = {} as ProductVersion['images'][number]
const texts = (localeCode: 'en-US' | 'ru-RU', description?: string) => ({
  localeCode,
  title: 'Tide',
  ...(description !== undefined && { description }),
})

test('a package is missing, being checked, refused or done', () => {
  expect(stateOf(version({}), 'package')).toBe('todo')
  expect(stateOf(version({ state: 'checking' }), 'package')).toBe('checking')
  expect(stateOf(version({ state: 'failed_checks' }), 'package')).toBe('refused')
  // An accepted package stays when a later upload is refused.
  expect(stateOf(version({ state: 'ready', package: file }), 'package')).toBe('done')
})

test('English is needed; its description, Russian and screenshots are recommended', () => {
  const steps = (part: Partial<Part>) => [
    stateOf(version(part), 'listing'),
    stateOf(version(part), 'screenshots'),
  ]
  expect(steps({ translations: [texts('ru-RU', 'Text')] })).toEqual(['todo', 'recommended'])
  expect(steps({ translations: [texts('en-US', 'Text')] })).toEqual(['recommended', 'recommended'])
  expect(
    steps({ translations: [texts('en-US', 'Text'), texts('ru-RU', 'Text')], images: [image] }),
  ).toEqual(['done', 'done'])
})

const enable = (code: ProductVersion['rights']['enable']) =>
  ({ enable: code }) as ProductVersion['rights']

test('what the service refuses prevents a version from going live, and a gap says what to do', () => {
  const failed = { state: 'failed_checks', rights: enable('package_missing') } as const
  expect(blockerOf(version(failed))?.message).toBe('Upload a package that passes its checks.')
  const untitled = { package: file, rights: enable('translation_missing') }
  expect(blockerOf(version(untitled))?.message).toBe('Add a title in English.')
  const ready = version({ package: file, translations: [texts('en-US')], rights: enable(null) })
  expect(blockerOf(ready)).toBeUndefined()
  expect(gapsOf(ready).map(({ step }) => step)).toEqual(['listing', 'listing', 'screenshots'])
})

test('a permission that the provider was not granted is named, until the version is live', () => {
  const asking = (enabled: boolean) =>
    version({
      package: file,
      state: enabled ? 'live' : 'ready',
      enabled,
      missingPermissions: ['camera', 'push'],
      translations: [texts('en-US', 'Text'), texts('ru-RU', 'Text')],
      images: [image],
      rights: { enable: 'permission_missing' } as ProductVersion['rights'],
    })
  expect(stateOf(asking(false), 'package')).toBe('todo')
  expect(blockerOf(asking(false))?.values).toEqual({ names: 'camera, push' })
  expect(gapsOf(asking(true))).toEqual([])
})
