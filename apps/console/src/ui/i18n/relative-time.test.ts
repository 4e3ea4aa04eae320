import { expect, test } from 'vitest'
import { relativeTime } from './relative-time.ts'

const hour = 3_600_000

test('distances are written in the largest whole unit', () => {
  expect(relativeTime(-3 * hour, 'en-US')).toBe('3 hours ago')
  expect(relativeTime(-25 * hour, 'en-US')).toBe('yesterday')
  expect(relativeTime(2 * 24 * hour, 'en-US')).toBe('in 2 days')
  expect(relativeTime(-20_000, 'en-US')).toBe('now')
})

test('Russian has its own plurals', () => {
  expect(relativeTime(-1 * hour, 'ru-RU')).toBe('1 час назад')
  expect(relativeTime(-3 * hour, 'ru-RU')).toBe('3 часа назад')
  expect(relativeTime(-5 * hour, 'ru-RU')).toBe('5 часов назад')
})
