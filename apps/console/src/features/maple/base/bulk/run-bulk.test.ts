import { expect, test } from 'vitest'
import { ApiProblem, NetworkProblem } from '../../../../api/problem.ts'
import { canSucceedLater, runBulk, type BulkProgress } from './run-bulk.ts'

const ids = Array.from({ length: 30 }, (_, index) => `d${index}`)
const never = new AbortController().signal

test('each item is changed once, at most four at a time', async () => {
  const seen: string[] = []
  let running = 0
  let most = 0
  const end = await runBulk(
    ids,
    async (id) => {
      seen.push(id)
      most = Math.max(most, (running += 1))
      await Promise.resolve()
      running -= 1
    },
    () => {},
    never,
  )
  expect(seen.toSorted()).toEqual(ids.toSorted())
  expect(most).toBe(4)
  expect(end).toEqual({ total: 30, done: 30, failed: 0, failures: [], left: [] })
})

test('a failure is reported with its ID and does not stop the others', async () => {
  const refusal = new Error('no')
  const end = await runBulk(
    ids,
    (id) => (id === 'd7' ? Promise.reject(refusal) : Promise.resolve()),
    () => {},
    never,
  )
  expect(end.done).toBe(29)
  expect(end.failures).toEqual([{ id: 'd7', error: refusal }])
})

test('once stopped, requests under way finish and the rest is left untouched', async () => {
  const stop = new AbortController()
  const changed: string[] = []
  const steps: BulkProgress[] = []
  const end = await runBulk(
    ids,
    async (id) => {
      await Promise.resolve()
      changed.push(id)
      if (changed.length === 6) stop.abort()
    },
    (progress) => steps.push(progress),
    stop.signal,
  )
  expect(end.done).toBe(changed.length)
  expect(end.left).toEqual(ids.slice(end.done))
  expect(end.left.length).toBeGreaterThan(15)
  expect(steps.map(({ done }) => done)).toEqual(steps.map((_, index) => index + 1))
})

test('nothing starts if it was stopped before', async () => {
  const end = await runBulk(
    ids,
    () => Promise.reject(new Error('called')),
    () => {},
    AbortSignal.abort(),
  )
  expect(end).toEqual({ total: 30, done: 0, failed: 0, failures: [], left: ids })
})

test('only what can succeed later is retried', () => {
  const later = (error: unknown) => canSucceedLater({ id: 'd1', error })
  expect(later(new ApiProblem({ code: 'transition_refused' }, 409))).toBe(false)
  expect(later(new ApiProblem({ code: 'not_found' }, 404))).toBe(false)
  expect(later(new ApiProblem({ code: 'edit_conflict' }, 412))).toBe(true)
  expect(later(new ApiProblem({ code: 'rate_limited' }, 429))).toBe(true)
  expect(later(new ApiProblem({ code: 'internal' }, 503))).toBe(true)
  expect(later(new NetworkProblem(new Error('offline')))).toBe(true)
})
