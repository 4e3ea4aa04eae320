import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { toHex } from '@grove/secure-element/bytes'
import { keyCheckValue } from '@grove/secure-element/keys/key-check-value'
import { checkValueOf, plainKey, readKey, readThreeKeys } from './check-value.ts'
import { readVersion } from './read-version.ts'

const published = '404142434445464748494A4B4C4D4E4F'

test('the check values of the published test key match the specification', async () => {
  expect(await checkValueOf('AES', published)).toBe('504A77')
  expect(await checkValueOf('DES', published)).toBe('8BAF47')
})

test('the browser computes the same check values as the platform', async () => {
  for (const [algorithm, bytes] of [
    ['AES', 16],
    ['AES', 32],
    ['DES', 16],
    ['DES', 24],
  ] as const) {
    const key = new Uint8Array(randomBytes(bytes))
    expect(await checkValueOf(algorithm, toHex(key))).toBe(toHex(keyCheckValue(algorithm, key)))
  }
})

test('a key is read as people paste it, and errors say what is wrong', () => {
  expect(plainKey('40:41 0x42-43,')).toBe('40414243')
  expect(readKey('AES', published.toLowerCase())).toEqual({ kind: 'key', key: published })
  expect(readKey('DES', published.repeat(2))).toEqual({ kind: 'length', digits: 64 })
  expect(readKey('AES', `${published.slice(1)}G`)).toEqual({ kind: 'notHex' })
  expect(readKey('AES', '')).toEqual({ kind: 'length', digits: 0 })
})

test('three keys are read from one text, and nothing else passes for three', () => {
  const [enc, mac, dek] = ['A', 'B', 'C'].map((digit) => digit.repeat(32))
  expect(readThreeKeys(`ENC=${enc}\nMAC=${mac}\nDEK=${dek}`)).toEqual([enc, mac, dek])
  expect(readThreeKeys(`${enc} ${mac}`)).toBeUndefined()
  expect(readThreeKeys(`${enc} ${mac} ${dek} ${enc}`)).toBeUndefined()
})

test('a version is one byte in hex, and not zero', () => {
  expect(['30', ' ff ', '7'].map((text) => readVersion(text))).toEqual([0x30, 0xff, 7])
  expect(['', '0', '100', 'x'].map((text) => readVersion(text))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(readVersion('80', 0x7f)).toBeUndefined()
})
