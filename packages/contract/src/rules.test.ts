import { expect, test } from 'vitest'
import { compareVersions, isVersionNumber } from './cedar/product-version.rules.ts'
import {
  canBecome,
  deviceStates,
  isDeviceId,
  maxDeviceIdLength,
} from './maple/fleet/device.rules.ts'

test('a device keeps its state, and leaves `retired` for no other', () => {
  for (const state of deviceStates) {
    expect(canBecome(state, state)).toBe(true)
    if (state !== 'retired') expect(canBecome('retired', state)).toBe(false)
  }
})

test('only its connection makes a device online or offline', () => {
  const others = deviceStates.filter((state) => state !== 'online' && state !== 'offline')
  for (const from of others)
    for (const to of ['online', 'offline'] as const) expect(canBecome(from, to)).toBe(false)
})

test('a device id has a maximum length and an alphabet', () => {
  expect(isDeviceId('a'.repeat(maxDeviceIdLength))).toBe(true)
  expect(isDeviceId('a'.repeat(maxDeviceIdLength + 1))).toBe(false)
  expect(isDeviceId('turnstile-1:A_2.b')).toBe(true)
  for (const id of ['', '-a', 'a b', 'a/b', 'ä']) expect(isDeviceId(id)).toBe(false)
})

test('a version number is X.Y.Z without leading zeros', () => {
  expect(isVersionNumber('0.10.999999999')).toBe(true)
  for (const text of ['1', '1.0', '1.0.0.0', '01.0.0', '1.0.-1', '1.0.1234567890', '1.0.0-beta'])
    expect(isVersionNumber(text)).toBe(false)
})

test('version numbers compare by number, not by text', () => {
  expect(compareVersions('1.10.0', '1.9.0')).toBeGreaterThan(0)
  expect(compareVersions('2.0.0', '10.0.0')).toBeLessThan(0)
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0)
})
