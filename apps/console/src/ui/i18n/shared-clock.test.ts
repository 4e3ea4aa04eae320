import { afterEach, expect, test, vi } from 'vitest'
import { subscribeToMinutes } from './shared-clock.ts'

afterEach(() => void vi.useRealTimers())

test('a hundred listeners share one timer, which ends with the last of them', () => {
  vi.useFakeTimers()
  let calls = 0
  const ends = Array.from({ length: 100 }, () => subscribeToMinutes(() => (calls += 1)))
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(60_000)
  expect(calls).toBe(100)
  for (const end of ends) end()
  expect(vi.getTimerCount()).toBe(0)
  subscribeToMinutes(() => {})()
  expect(vi.getTimerCount()).toBe(0)
})
