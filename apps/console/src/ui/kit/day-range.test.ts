import { afterAll, beforeAll, expect, test } from 'vitest'
import { momentsOf, presetRange, rangeText } from './day-range.ts'
import { isDay } from './day.ts'

const zone = process.env['TZ']
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin'
})
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

// Read in the tests' time zone, which is set by then.
const lateOn5March = () => new Date(2026, 2, 5, 23, 59)

test.each([
  ['today', '2026-03-05', '2026-03-05'],
  ['week', '2026-02-27', '2026-03-05'],
  ['month', '2026-02-04', '2026-03-05'],
  ['this-month', '2026-03-01', '2026-03-05'],
  ['last-month', '2026-02-01', '2026-02-28'],
] as const)('the preset %s is from %s to %s', (preset, from, to) =>
  expect(presetRange(preset, lateOn5March())).toEqual({ from, to }),
)

test('the moments of a range include its last day, in the reader’s time zone', () => {
  expect(momentsOf({ from: '2026-01-01', to: '2026-01-01' })).toEqual({
    from: '2025-12-31T23:00:00.000Z',
    before: '2026-01-01T23:00:00.000Z',
  })
})

test('the day on which the clocks change has 23 hours', () => {
  expect(momentsOf({ from: '2026-03-29', to: '2026-03-29' })).toEqual({
    from: '2026-03-28T23:00:00.000Z',
    before: '2026-03-29T22:00:00.000Z',
  })
})

test.each([
  ['2026-02-28', true],
  ['2026-02-30', false],
  ['2026-2-3', false],
  ['', false],
  [20260228, false],
])('%o is a day: %s', (value, expected) => expect(isDay(value)).toBe(expected))

test('a range is formatted as in the language', () => {
  const range = { from: '2026-11-01', to: '2026-11-07' }
  expect(rangeText(range, 'en-US')).toMatch(/^Nov 1\s–\s7, 2026$/)
  expect(rangeText(range, 'ru-RU')).toMatch(/^1–7\sнояб\. 2026\sг\.$/)
})
