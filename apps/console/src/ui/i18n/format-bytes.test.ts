import { expect, test } from 'vitest'
import { formatBytes } from './format-bytes.ts'

test('sizes are written in the largest unit that keeps them above one', () => {
  expect(formatBytes(0, 'en-US')).toBe('0 bytes')
  expect(formatBytes(999, 'en-US')).toBe('999 bytes')
  expect(formatBytes(1500, 'en-US')).toBe('1.5 kB')
  expect(formatBytes(20_000_000, 'en-US')).toBe('20 MB')
  expect(formatBytes(123_456_789, 'en-US')).toBe('123 MB')
})

test('rounding up reaches the next unit', () => expect(formatBytes(999_999, 'en-US')).toBe('1 MB'))

test('Russian has its own unit names', () => expect(formatBytes(1500, 'ru-RU')).toBe('1,5 кБ'))
