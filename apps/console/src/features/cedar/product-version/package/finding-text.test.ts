import { setupI18n } from '@lingui/core'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findingTexts } from './finding-text.ts'
import { ruleTexts } from './package-rule-texts.ts'

const i18n = setupI18n({ locale: 'en-US', messages: { 'en-US': {} } })
type Params = Record<string, string | number>

const place = (path: string | null, params: Params = {}) => ({
  path,
  message: 'as sent',
  fix: 'as sent',
  params,
})
const texts = (rule: string, ...places: ReturnType<typeof place>[]) =>
  findingTexts({ rule, severity: 'error', count: places.length, places }, i18n)

test('every rule of the platform has a text here, and there are no others', () => {
  // Read as text: the console imports nothing from the platform.
  const source = readFileSync(
    new URL(
      '../../../../../../platform/src/services/cedar/package/package-rules.ts',
      import.meta.url,
    ),
    'utf8',
  )
  const rules = [...source.matchAll(/^ {2}'?([a-z0-9-]+)'?: rule\(/gm)].map(([, id]) => `${id}`)
  expect(rules.length).toBeGreaterThan(40)
  expect(new Set(Object.keys(ruleTexts))).toEqual(new Set(rules))
})

test('sizes are in megabytes, and a limit of 20 MiB reads 20 MB', () => {
  const [text] = texts('zip-too-large', place(null, { bytes: 23_500_000, limit: 20 * 1024 * 1024 }))
  expect(text?.message).toBe('The archive is 23.5 MB; the limit is 20 MB.')
})

test('a limit that counts things is a number', () => {
  const [text] = texts('too-many-files', place(null, { limit: 2000 }))
  expect(text?.message).toBe('The package has more than 2,000 files.')
})

test('an unknown rule shows the platform’s own text', () => {
  expect(texts('rule-of-tomorrow', place('a.js'))).toEqual([
    { message: 'as sent', fix: 'as sent', paths: ['a.js'] },
  ])
})

test('places with the same text become one with several paths', () => {
  const found = texts('path-backslash', place('a\\b'), place('a\\c'))
  expect(found.map(({ paths }) => paths)).toEqual([['a\\b', 'a\\c']])
  const differing = texts('duplicate-name', place('A', { other: 'a' }), place('B', { other: 'b' }))
  expect(differing.map(({ paths }) => paths)).toEqual([['A'], ['B']])
})
