import { expect, test, vi } from 'vitest'
import { createLiveLog, placeOf } from './live-log.ts'

function start(most?: number) {
  const frames: (() => void)[] = []
  const log = createLiveLog<{ seq: number; isWrong?: boolean }>(
    (work) => void frames.push(work),
    most,
  )
  const draw = () => frames.splice(0).forEach((work) => work())
  const seqs = () => log.shown().map(({ seq }) => seq)
  return { log, draw, seqs, frames }
}
const items = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    isWrong: (from + index) % 3 === 0,
  }))

test('an item that arrives twice is shown once', () => {
  const { log, seqs } = start()
  log.append(items(3, 5))
  log.append(items(4, 7))
  log.prepend(items(1, 4))
  expect(seqs()).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('a filter applies to existing, later and earlier items', () => {
  const { log, seqs } = start()
  log.append(items(5, 8))
  log.filter(({ isWrong }) => isWrong === true)
  expect(seqs()).toEqual([6])
  log.append(items(9, 12))
  log.prepend(items(1, 4))
  expect(seqs()).toEqual([3, 6, 9, 12])
  log.filter(undefined)
  expect(seqs()).toHaveLength(12)
  log.append(items(13, 13))
  expect(log.all()).toHaveLength(13)
  expect(seqs()).toHaveLength(13)
})

test('a long log drops its oldest items, and can load them again', () => {
  const { log, seqs } = start(100)
  log.filter(({ isWrong }) => isWrong === true)
  for (let seq = 1; seq <= 1000; seq += 10) log.append(items(seq, seq + 9))
  expect(log.all().length).toBeLessThanOrEqual(100)
  expect(log.all().length).toBeGreaterThanOrEqual(80)
  expect(log.all().at(-1)?.seq).toBe(1000)
  const first = log.all()[0]?.seq ?? 0
  expect(seqs()).toEqual(items(first, 1000).flatMap(({ seq, isWrong }) => (isWrong ? [seq] : [])))
  log.prepend(items(first - 30, first - 1))
  expect(log.all()[0]?.seq).toBe(first - 30)
})

test('listeners are notified of many changes once per frame', () => {
  const { log, draw, frames } = start()
  const listener = vi.fn<() => void>()
  const stop = log.subscribe(listener)
  for (const item of items(1, 1000)) log.append([item])
  expect(frames).toHaveLength(1)
  expect(log.version()).toBe(0)
  draw()
  expect(listener).toHaveBeenCalledTimes(1)
  expect(log.version()).toBe(1)
  log.append(items(1, 1000))
  expect(frames).toHaveLength(0)
  stop()
  log.append(items(1001, 1001))
  draw()
  expect(listener).toHaveBeenCalledTimes(1)
})

test('the position of a number is found among numbers with gaps', () => {
  const some = [2, 4, 8].map((seq) => ({ seq }))
  expect([1, 2, 3, 8, 9].map((seq) => placeOf(some, seq))).toEqual([0, 0, 1, 2, 3])
})
