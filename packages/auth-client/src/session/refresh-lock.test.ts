import { afterEach, expect, test, vi } from 'vitest'
import { lockManager } from '../../test/lock-manager.ts'
import { withRefreshLock } from './refresh-lock.ts'

afterEach(() => vi.unstubAllGlobals())

const none = new AbortController().signal
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('one at a time if locks are available', async () => {
  vi.stubGlobal('navigator', { locks: lockManager() })
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await pause(5)
    inside -= 1
  }
  await Promise.all(Array.from({ length: 5 }, () => withRefreshLock('name', none, work)))
  expect(most).toBe(1)
})

test('bug 3: a lock that is never released delays the others once', async () => {
  vi.stubGlobal('navigator', { locks: lockManager() })
  // Its page is frozen: it holds the lock and answers nothing.
  void navigator.locks.request('name', { signal: none }, () => new Promise(() => {}))
  const work = vi.fn(() => Promise.resolve())
  await withRefreshLock('name', none, work, { wait: 30, answerWait: 30 })
  expect(work).toHaveBeenCalledOnce()
})

test('a holder that is still working is waited for, however long it takes', async () => {
  vi.stubGlobal('navigator', { locks: lockManager() })
  let end = () => {}
  const first = withRefreshLock('slow', none, () => new Promise((resolve) => (end = resolve)))
  const work = vi.fn(() => Promise.resolve())
  const asked = vi.spyOn(BroadcastChannel.prototype, 'postMessage')
  const second = withRefreshLock('slow', none, work, { wait: 20, answerWait: 50 })
  const questions = () => asked.mock.calls.filter(([text]) => text === 'alive?').length
  await vi.waitFor(() => expect(questions()).toBeGreaterThan(2))
  expect(work).not.toHaveBeenCalled()
  end()
  await Promise.all([first, second])
  expect(work).toHaveBeenCalledOnce()
  asked.mockRestore()
})

test('an abort ends the wait without doing the work', async () => {
  vi.stubGlobal('navigator', { locks: lockManager() })
  void withRefreshLock('name', none, () => new Promise(() => {}))
  const controller = new AbortController()
  const work = vi.fn(() => Promise.resolve())
  const waiting = withRefreshLock('name', controller.signal, work)
  controller.abort()
  await waiting
  expect(work).not.toHaveBeenCalled()
})

test('the caller has the result before the lock is released', async () => {
  vi.stubGlobal('navigator', { locks: lockManager() })
  const order: string[] = []
  const first = withRefreshLock('name', none, () => Promise.resolve())
  const second = withRefreshLock('name', none, async () => void order.push('second runs'))
  await first
  order.push('first has its result')
  await second
  expect(order).toEqual(['first has its result', 'second runs'])
})

test('a failure of the work is passed on, and does not run it again', async () => {
  vi.stubGlobal('navigator', { locks: lockManager() })
  const work = vi.fn(() => Promise.reject(new Error('work')))
  await expect(withRefreshLock('name', none, work)).rejects.toThrow('work')
  expect(work).toHaveBeenCalledOnce()
})

test.each([
  ['no navigator', undefined],
  ['no locks', {}],
  ['locks that are denied', { locks: { request: () => Promise.reject(new Error('denied')) } }],
])('%s: the work runs without a lock', async (_, navigator) => {
  vi.stubGlobal('navigator', navigator)
  const work = vi.fn(() => Promise.resolve())
  await withRefreshLock('name', none, work)
  expect(work).toHaveBeenCalledOnce()
})
