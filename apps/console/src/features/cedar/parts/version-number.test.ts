import { expect, test } from 'vitest'
import { isHigher, isVersionNumber, nextVersions } from './version-number.ts'

test('the next patch, minor and major numbers follow the newest version', () => {
  expect(nextVersions('1.4.9').map(({ version }) => version)).toEqual(['1.4.10', '1.5.0', '2.0.0'])
})

test('the first version is 1.0.0', () =>
  expect(nextVersions(undefined)).toEqual([{ step: 'major', version: '1.0.0' }]))

test('versions compare by number, not by letter', () => {
  expect(isHigher('1.10.0', '1.9.9')).toBe(true)
  expect(isHigher('1.9.9', '1.10.0')).toBe(false)
  expect(isHigher('1.0.0', '1.0.0')).toBe(false)
  expect(isHigher('2.0.0', '1.99.99')).toBe(true)
})

test('only X.Y.Z without leading zeros is a version number', () => {
  expect(['1.0.0', '0.0.1', '10.20.30'].every(isVersionNumber)).toBe(true)
  expect(['1.0', 'v1.0.0', '01.0.0', '1.0.0-beta', ' 1.0.0', ''].some(isVersionNumber)).toBe(false)
})
