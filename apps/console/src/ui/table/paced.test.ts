import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paced } from './paced.ts'

const run = vi.fn<(text: string) => void>()
const heard = () => run.mock.calls.map(([text]) => text)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  run.mockReset()
})

test('the first key is passed on immediately, and so is one after a pause', () => {
  const pace = paced(run, 100)
  pace.call('a')
  expect(heard()).toEqual(['a'])
  vi.advanceTimersByTime(100)
  pace.call('ab')
  expect(heard()).toEqual(['a', 'ab'])
})

test('of fast keys only the latest is passed on, once per pause', () => {
  const pace = paced(run, 100)
  for (const text of ['a', 'ab', 'abc']) pace.call(text)
  vi.advanceTimersByTime(99)
  expect(heard()).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(heard()).toEqual(['a', 'abc'])
  pace.call('abcd')
  vi.advanceTimersByTime(100)
  expect(heard()).toEqual(['a', 'abc', 'abcd'])
  vi.advanceTimersByTime(1000)
  expect(heard()).toHaveLength(3)
})

test('Enter passes on the pending value, and leaving the page passes on nothing', () => {
  const pace = paced(run, 100)
  pace.call('a')
  pace.call('ab')
  pace.flush()
  expect(heard()).toEqual(['a', 'ab'])
  pace.call('abc')
  pace.cancel()
  vi.advanceTimersByTime(1000)
  expect(heard()).toEqual(['a', 'ab'])
  expect(vi.getTimerCount()).toBe(0)
})
