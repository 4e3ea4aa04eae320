import { expect, test } from 'vitest'
import { move } from './move.ts'

test('an item moves to its new place and the others close up', () => {
  expect(move(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd'])
  expect(move(['a', 'b', 'c', 'd'], 3, 1)).toEqual(['a', 'd', 'b', 'c'])
})

test('a move beyond an end stops at the end', () => {
  expect(move(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c'])
  expect(move(['a', 'b', 'c'], 1, 9)).toEqual(['a', 'c', 'b'])
})

test('moving an item that does not exist changes nothing', () =>
  expect(move(['a', 'b'], 5, 0)).toEqual(['a', 'b']))
