import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isIn, missingAfter, type Range } from './missing-places.ts'

test('each position is stored once, in whatever order and batches the messages arrive', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 }), { maxLength: 12 }),
      (batches) => {
        let stream: { before: number; missing: Range[] } = { before: 0, missing: [] }
        const stored: number[] = []
        for (const batch of batches) {
          const came = new Set(
            batch.filter((place) => place > stream.before || isIn(stream.missing, place)),
          )
          stored.push(...came)
          stream = {
            before: Math.max(stream.before, ...came),
            missing: missingAfter(stream, came),
          }
        }
        expect(stored.toSorted((a, b) => a - b)).toEqual(
          [...new Set(batches.flat())].toSorted((a, b) => a - b),
        )
      },
    ),
    { numRuns: 2000 },
  )
})

test('refused positions are missing, as one range, until they arrive', () => {
  let stream: { before: number; missing: Range[] } = { before: 3, missing: [[2, 2]] }
  for (const passed of [4, 5, 7])
    stream = { before: passed, missing: missingAfter({ ...stream, passed }, new Set()) }
  expect(stream.missing).toEqual([
    [2, 2],
    [4, 7],
  ])
  expect(missingAfter({ ...stream, passed: 9 }, new Set([5, 8]))).toEqual([
    [2, 2],
    [4, 4],
    [6, 7],
    [9, 9],
  ])
})

test('of a boot with many gaps only the last ones are remembered', () => {
  const places = new Set(Array.from({ length: 100 }, (_, n) => 2 * (n + 1)))
  const missing = missingAfter({ before: 0, missing: [] }, places)
  expect(missing).toHaveLength(16)
  expect(missing.at(-1)).toEqual([199, 199])
})
