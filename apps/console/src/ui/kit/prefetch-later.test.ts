import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { prefetchLater } from './prefetch-later.ts'

const find = vi.fn<() => object | null>(() => null)
let idle: (() => void)[] = []
const runIdle = () => idle.splice(0).forEach((run) => run())

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { readyState: 'complete', querySelector: find })
  vi.stubGlobal('requestIdleCallback', (run: () => void) => void idle.push(run))
  idle = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  find.mockReset().mockReturnValue(null)
})

const part = () => ({ prefetch: vi.fn() })

test('loads one part in each idle moment, whichever component requested it', () => {
  const [panel, dialog] = [part(), part()]
  prefetchLater([panel], () => false)
  prefetchLater([dialog], () => false)
  vi.advanceTimersByTime(300)
  // Both share one search of the page.
  expect(find).toHaveBeenCalledTimes(3)
  runIdle()
  expect([panel, dialog].map(({ prefetch }) => prefetch.mock.calls.length)).toEqual([1, 0])
  runIdle()
  expect(dialog.prefetch).toHaveBeenCalledOnce()
  runIdle()
  expect(vi.getTimerCount()).toBe(0)
})

test('waits until the page is quiet, and forgets the requests of a page that was left', () => {
  const [left, stays] = [part(), part()]
  let isFetching = true
  const leave = prefetchLater([left], () => isFetching)
  prefetchLater([stays], () => isFetching)
  vi.advanceTimersByTime(1000)
  isFetching = false
  find.mockReturnValue({})
  vi.advanceTimersByTime(1000)
  expect(idle).toEqual([])
  find.mockReturnValue(null)
  vi.advanceTimersByTime(300)
  leave()
  runIdle()
  expect(left.prefetch).not.toHaveBeenCalled()
  expect(stays.prefetch).toHaveBeenCalledOnce()
  runIdle()
})
