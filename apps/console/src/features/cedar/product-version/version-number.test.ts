import { expect, test } from 'vitest'
import { nextVersions } from './version-number.ts'

test('suggests the next patch, minor and major version', () => {
  expect(nextVersions('1.4.9').map(({ version }) => version)).toEqual(['1.4.10', '1.5.0', '2.0.0'])
})

test('suggests 1.0.0 for the first version', () =>
  expect(nextVersions(undefined)).toEqual([{ step: 'major', version: '1.0.0' }]))
