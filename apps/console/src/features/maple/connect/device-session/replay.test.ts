import { expect, test } from 'vitest'
import { logged } from './logged-message.ts'
import { advance, countAt, momentBy, spanOf } from './replay.ts'

const start = Date.parse('2026-03-01T10:00:00Z')
const items = [0, 1, 2, 600].map((second, place) =>
  logged({
    id: 10 + place,
    kind: 'event',
    boot: 'b',
    seq: place + 1,
    sentAt: null,
    isClockOff: false,
    receivedAt: new Date(start + second * 1000).toISOString(),
    data: null,
    decoding: null,
  }),
)

test('a moment shows what was there by then', () => {
  expect(spanOf(items)).toEqual({ from: start, to: start + 600_000 })
  expect([start - 1, start, start + 1500, start + 700_000].map((at) => countAt(items, at))).toEqual(
    [0, 1, 2, 4],
  )
  expect([countAt([], start), spanOf([])]).toEqual([0, { from: 0, to: 0 }])
})

test('steps go from message to message, and stop at the ends', () => {
  expect(momentBy(items, start + 1500, 1)).toBe(start + 2000)
  expect(momentBy(items, start + 1500, -1)).toBe(start)
  expect(momentBy(items, start, -10)).toBe(start)
  expect(momentBy(items, start, 10)).toBe(start + 600_000)
})

test('time passes at the chosen speed, and a long silence is skipped', () => {
  expect(advance(items, { at: start, speed: 1, elapsed: 100 })).toBe(start + 100)
  expect(advance(items, { at: start, speed: 10, elapsed: 100 })).toBe(start + 1000)
  expect(advance(items, { at: start + 2000, speed: 1, elapsed: 100 })).toBe(start + 600_000)
  // Ten minutes play in one second.
  expect(advance(items, { at: start + 2000, speed: 600, elapsed: 100 })).toBe(start + 62_000)
  expect(advance(items, { at: start + 600_000, speed: 1, elapsed: 100 })).toBe(start + 600_000)
})
