import { expect, test } from 'vitest'
import { rowsInSight } from './rows-in-sight.ts'

const room = 12
const rows = (first: number, count: number, isFollowing = false) =>
  rowsInSight({ first, room, count, isFollowing })

test('every row in view is rendered in its own element, from any position', () => {
  for (const count of [0, 1, 11, 12, 13, 40, 10_000])
    for (const first of [0, 1, 2, 3, 4, 5, 29, 9_987, 20_000])
      for (const isFollowing of [false, true]) {
        const { from, to, slots } = rows(first, count, isFollowing)
        const top = isFollowing ? count : Math.min(first, count)
        expect(from).toBeLessThanOrEqual(Math.max(0, Math.min(top, count - room)))
        expect(to).toBeGreaterThanOrEqual(Math.min(count, Math.min(top, count - room) + room))
        expect(to - from).toBeLessThanOrEqual(slots)
      }
})

test('a followed log renders its end, and few other rows', () => {
  const { from, to } = rows(0, 10_000, true)
  expect(to).toBe(10_000)
  expect(to - from).toBeLessThan(room * 2)
})

test('scrolling by one row mostly leaves the rendered rows unchanged', () => {
  const ranges = new Set(
    Array.from({ length: 40 }, (_, first) => JSON.stringify(rows(first + 100, 10_000))),
  )
  expect(ranges.size).toBe(10)
})
