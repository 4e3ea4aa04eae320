import { setupI18n } from '@lingui/core'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findingText } from './finding-text.ts'
import { ruleTexts } from './package-rule-texts.ts'

const i18n = setupI18n({ locale: 'en-US', messages: { 'en-US': {} } })
const finding = (rule: string, params: Record<string, string | number> = {}) =>
  findingText(
    { rule, severity: 'error', path: null, message: 'as sent', fix: 'as sent', params },
    i18n,
  )

test('every rule of the platform has words of its own here, and no other', () => {
  // Read as text: the console imports nothing of the platform.
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

test('sizes are told in megabytes, and a limit of 20 MiB as 20 MB', () => {
  expect(finding('zip-too-large', { bytes: 23_500_000, limit: 20 * 1024 * 1024 }).message).toBe(
    'The archive has 23.5 MB, the limit is 20 MB.',
  )
})

test('a limit that counts things is a number', () => {
  expect(finding('too-many-files', { limit: 2000 }).message).toBe(
    'The package has more than 2,000 files.',
  )
})

test('a rule that is not known here is told in the platform’s words', () => {
  expect(finding('rule-of-tomorrow')).toEqual({ message: 'as sent', fix: 'as sent' })
})
