import { expect, test } from 'vitest'
import { hexOf, spacedHex } from './payload-text.ts'

test.each([
  ['1a02', '1A02'],
  ['0x1A, 0x02', '1A02'],
  ['1A:02-ff', '1A02FF'],
  ['', ''],
  ['GgL/', '1A02FF'],
  ['GgI=', '1A02'],
  ['GgI', '1A02'],
])('%s is a payload', (text, digits) => {
  expect(hexOf(text)).toBe(digits)
})

test.each(['1a0', 'öl', '=', 'A', '00'.repeat(8193)])('what is no payload is none', (text) => {
  expect(hexOf(text)).toBeUndefined()
})

test('bytes are shown in pairs', () => {
  expect(spacedHex('1A02FF')).toBe('1A 02 FF')
  expect(spacedHex('')).toBe('')
})
