import { expect, test } from 'vitest'
import { lineOf } from './range-line.ts'

const at = (second: number) => new Date(second * 1000).toISOString()
const column = (second: number, count: number, values: [number, number, number, number]) => {
  const [first, min, max, last] = values
  return { at: at(second), first, min, max, last, count }
}

test('a column is drawn with its extremes, a single value as one point', () => {
  const { times, values } = lineOf(
    [column(0, 5, [1, -9, 9, 2]), column(10, 1, [3, 3, 3, 3])],
    10_000,
  )
  expect(times).toEqual([0, 3, 6, 9, 10])
  expect(values).toEqual([1, -9, 9, 2, 3])
})

test('the line breaks where nothing was measured for long', () => {
  const one = (second: number) => column(second, 1, [1, 1, 1, 1])
  const { times, values } = lineOf([one(0), one(10), one(20), one(100), one(110)], 1000)
  expect(values).toEqual([1, 1, 1, null, 1, 1])
  expect(times).toEqual([0, 10, 20, 21, 100, 110])
  expect(lineOf([], 1000)).toEqual({ times: [], values: [] })
})
