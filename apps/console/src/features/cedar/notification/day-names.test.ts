import { expect, test } from 'vitest'
import { dayNames } from './day-names.ts'

test('every day of a range is named once, across months and clock changes', () => {
  expect(dayNames({ from: '2026-10-24', to: '2026-10-26' })).toEqual([
    '2026-10-24',
    '2026-10-25',
    '2026-10-26',
  ])
  expect(dayNames({ from: '2026-02-27', to: '2026-03-01' })).toHaveLength(3)
  expect(dayNames({ from: '2026-01-02', to: '2026-01-01' })).toEqual([])
})
