import { expect, test } from 'vitest'
import { nextPlace } from './arrow-keys.ts'

test('arrows wrap around, Home and End go to the ends', () => {
  expect(nextPlace('ArrowDown', 0, 3)).toBe(1)
  expect(nextPlace('ArrowDown', 2, 3)).toBe(0)
  expect(nextPlace('ArrowUp', 0, 3)).toBe(2)
  expect(nextPlace('Home', 2, 3)).toBe(0)
  expect(nextPlace('End', 0, 3)).toBe(2)
})

test('with the focus on the menu itself, the first arrow enters it', () => {
  expect(nextPlace('ArrowDown', -1, 3)).toBe(0)
  expect(nextPlace('ArrowUp', -1, 3)).toBe(2)
})

test('other keys, and a menu without choices, move nothing', () => {
  expect(nextPlace('a', 0, 3)).toBeUndefined()
  expect(nextPlace('ArrowDown', -1, 0)).toBeUndefined()
})
