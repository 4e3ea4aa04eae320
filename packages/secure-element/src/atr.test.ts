import { assert, property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { readAtr } from './atr.ts'
import { readHex } from './bytes.ts'
import { DecodeError } from './decode-error.ts'

const read = (hex: string) => {
  const { historical, ...atr } = readAtr(readHex(hex))
  return { ...atr, text: String.fromCharCode(...historical) }
}
const problem = (hex: string) => {
  try {
    readAtr(readHex(hex))
  } catch (error) {
    return error instanceof DecodeError ? [error.code, error.at] : error
  }
  return undefined
}

test('the answers of known cards', () => {
  // JCOP 2.4.1, as published by the manufacturer.
  expect(read('3BF81300008131FE454A434F5076323431B7')).toEqual({
    convention: 'direct',
    protocols: [1],
    text: 'JCOPv241',
    isCheckRight: true,
  })
  // A contactless card, as PC/SC part 3 encodes it: T=0 and T=1.
  expect(read('3B80800101')).toMatchObject({ protocols: [0, 1], text: '', isCheckRight: true })
  expect(read('3B00')).toMatchObject({ protocols: [0], isCheckRight: undefined })
  expect(read('3F00')).toMatchObject({ convention: 'inverse' })
})

test('a check byte that does not fit is pointed out', () => {
  expect(read('3BF81300008131FE454A434F5076323431B6').isCheckRight).toBe(false)
})

test('what is no answer to reset is refused', () => {
  expect(problem('3C00')).toEqual(['wrongValue', 0])
  expect(problem('3B')).toEqual(['cutOff', 1])
  expect(problem('3BF813')).toEqual(['cutOff', 3])
  expect(problem('3B024A')).toEqual(['cutOff', 3])
  expect(problem('3B0000')).toEqual(['leftOver', 2])
})

test('any bytes are read or refused', () => {
  assert(
    property(uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        const { historical, protocols } = readAtr(bytes)
        expect(historical.length).toBeLessThanOrEqual(15)
        expect(protocols.length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
      }
    }),
  )
})
