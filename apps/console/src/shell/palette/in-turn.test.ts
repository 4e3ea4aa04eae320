import { expect, test } from 'vitest'
import { inTurn } from './in-turn.ts'

const { signal } = new AbortController()

test('five requests are in flight at a time, the others follow as slots become free', async () => {
  const started: number[] = []
  const ends: (() => void)[] = []
  const all = Array.from({ length: 8 }, (_, at) =>
    inTurn(() => {
      started.push(at)
      return new Promise<void>((resolve) => ends.push(resolve))
    }, signal),
  )
  expect(started).toEqual([0, 1, 2, 3, 4])
  ends[2]?.()
  await all[2]
  await Promise.resolve()
  expect(started).toEqual([0, 1, 2, 3, 4, 5])
  while (started.length < 8 || ends.length < 8) {
    for (const end of ends) end()
    // oxlint-disable-next-line no-await-in-loop -- each round lets the next ones start
    await Promise.resolve()
  }
  for (const end of ends) end()
  await Promise.all(all)
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('a request that is aborted or fails frees its slot', async () => {
  const aborted = AbortSignal.abort(new Error('next key'))
  await Promise.all(
    Array.from({ length: 12 }, () =>
      expect(inTurn(() => Promise.resolve(1), aborted)).rejects.toThrow('next key'),
    ),
  )
  await expect(inTurn(() => Promise.reject(new Error('refused')), signal)).rejects.toThrow(
    'refused',
  )
  expect(await inTurn(() => Promise.resolve('done'), signal)).toBe('done')
})
