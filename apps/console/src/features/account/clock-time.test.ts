import { expect, test } from 'vitest'
import { clockTime } from './clock-time.ts'

test.each([
  [600_000, '10:00'],
  [8_001, '0:09'],
  [725_000, '12:05'],
  [3_600_000, '1:00:00'],
  [0, '0:00'],
  [-5_000, '0:00'],
])('%i ms are %s', (length, text) => expect(clockTime(length)).toBe(text))
