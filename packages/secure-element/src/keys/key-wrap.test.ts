import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { unwrapKey, wrapKey } from './key-wrap.ts'

// The examples of RFC 5649, section 6.
const transport = readHex('5840DF6E29B02AF1AB493B705BF16EA1AE8338F4DCC176A8')
test.each([
  [
    'C37B7E6492584340BED12207808941155068F738',
    '138BDEAA9B8FA7FC61F97742E72248EE5AE6AE5360D1AE6A5F54F373FA543B6A',
  ],
  ['466F7250617369', 'AFBEB0F07DFBF5419200F2CCB50BB24F'],
])('%s is wrapped as RFC 5649 shows', (key, wrapped) => {
  expect(toHex(wrapKey(transport, readHex(key)))).toBe(wrapped)
  expect(toHex(unwrapKey(transport, readHex(wrapped)))).toBe(key)
})

test.each([16, 24, 32])('a key under a transport key of %i bytes', (length) => {
  const key = new Uint8Array(randomBytes(32))
  const own = new Uint8Array(randomBytes(length))
  const wrapped = wrapKey(own, key)
  expect(wrapped).toHaveLength(40)
  expect(unwrapKey(own, wrapped)).toEqual(key)
})

test('another transport key, or a changed byte, opens nothing', () => {
  const wrapped = wrapKey(transport, new Uint8Array(16).fill(7))
  const changed = wrapped.map((byte, at) => (at === 5 ? byte ^ 1 : byte))
  const other = transport.map((byte, at) => (at === 0 ? byte ^ 1 : byte))
  expect(() => unwrapKey(transport, changed)).toThrow('wrongValue')
  expect(() => unwrapKey(other, wrapped)).toThrow('wrongValue')
})
