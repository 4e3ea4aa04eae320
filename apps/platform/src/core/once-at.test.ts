import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onceAt } from './once-at.ts'

const dayMs = 86_400_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([0.5, 24, 25, 60, 400])(
  'a timer for %d days ahead fires then, and not before',
  (days) => {
    const work = vi.fn()
    onceAt(Date.now() + days * dayMs, Date.now, work)
    vi.advanceTimersByTime(days * dayMs - 1000)
    expect(work).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2000)
    expect(work).toHaveBeenCalledOnce()
  },
)

test('correcting the clock moves the timer', () => {
  const work = vi.fn()
  let aheadMs = 0
  onceAt(Date.now() + 1000, () => Date.now() - aheadMs, work)
  aheadMs = 500
  vi.advanceTimersByTime(1400)
  expect(work).not.toHaveBeenCalled()
  vi.advanceTimersByTime(200)
  expect(work).toHaveBeenCalledOnce()
})

test('a stopped one does nothing, even after its first wait', () => {
  const work = vi.fn()
  const stop = onceAt(Date.now() + 60 * dayMs, Date.now, work)
  vi.advanceTimersByTime(30 * dayMs)
  stop()
  vi.advanceTimersByTime(60 * dayMs)
  expect(work).not.toHaveBeenCalled()
})
