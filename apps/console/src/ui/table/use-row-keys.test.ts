import { expect, test } from 'vitest'
import { nextRow } from './use-row-keys.ts'

test('arrows move by one row and stop at the ends', () => {
  expect(nextRow('ArrowDown', 0, 3)).toBe(1)
  expect(nextRow('ArrowDown', 2, 3)).toBe(2)
  expect(nextRow('ArrowUp', 2, 3)).toBe(1)
  expect(nextRow('ArrowUp', 0, 3)).toBe(0)
})

test('Home and End go to the ends', () => {
  expect(nextRow('Home', 2, 3)).toBe(0)
  expect(nextRow('End', 0, 3)).toBe(2)
})

test('other keys do not move the focus', () => expect(nextRow('a', 1, 3)).toBeUndefined())
