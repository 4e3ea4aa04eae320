import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxInputLength, readHex, toHex } from './bytes.ts'

test.each(['9F7F2A', '9f 7f 2a', '9F:7F:2A', '0x9F 0x7F 0x2A', '0x9f,0x7f,0x2a', '9F-7F\n2A'])(
  'reads %j',
  (text) => expect(toHex(readHex(text))).toBe('9F7F2A'),
)

test.each([
  ['', 'empty', 0, undefined],
  ['  ', 'empty', 0, undefined],
  ['0x', 'empty', 0, undefined],
  ['9F7', 'oddDigits', 1, '3'],
  ['9F 7O', 'notHex', 1, 'O'],
  ['9F7F2É', 'notHex', 2, 'É'],
  ['9F😀', 'notHex', 1, '😀'],
])('refuses %j: %s at byte %i', (text, code, at, found) => {
  expect(() => readHex(text)).toThrow(expect.objectContaining({ code, at, found }))
})

test('refuses more than the longest command', () => {
  expect(readHex('00'.repeat(maxInputLength))).toHaveLength(maxInputLength)
  for (const text of ['00'.repeat(maxInputLength + 1), ' '.repeat(10_000_000)])
    expect(() => readHex(text)).toThrow(expect.objectContaining({ code: 'tooLong' }))
})

test('hex of any bytes is read as these bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom('', ' ', ':', ', '),
      (b, gap) => {
        fc.pre(b.length > 0)
        const text = toHex(b).match(/../g)?.join(gap) ?? ''
        expect(readHex(text)).toEqual(b)
        expect(readHex(text.toLowerCase())).toEqual(b)
      },
    ),
  )
})
