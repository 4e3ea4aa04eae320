import { expect, test } from 'vitest'
import { atMost, atMostOfKey } from './at-most.ts'

/** Tasks that end on demand, and how many of them ran at once. */
function tasks() {
  const ends: (() => void)[] = []
  let running = 0
  let most = 0
  const task = async (result: string) => {
    running += 1
    most = Math.max(most, running)
    await new Promise<void>((end) => ends.push(end))
    running -= 1
    if (result === 'fails') throw new Error(result)
    return result
  }
  const finish = async () => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end()
      // Queued tasks start before the next one ends.
      await new Promise((turn) => setImmediate(turn))
    }
  }
  return { task, finish, most: () => most }
}

test('runs a limited number at a time, the others in order of arrival, also after a failure', async () => {
  const { task, finish, most } = tasks()
  const run = atMost(2)
  const results = ['a', 'fails', 'b', 'c', 'd'].map((name) => run(() => task(name)))
  const settled = Promise.allSettled(results)
  await finish()
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
  expect(most()).toBe(2)
})

test('one key does not wait for another', async () => {
  const { task, finish, most } = tasks()
  const run = atMostOfKey(1)
  const results = Promise.all(['a', 'a', 'b', 'b'].map((key) => run(key, () => task(key))))
  await finish()
  expect(await results).toEqual(['a', 'a', 'b', 'b'])
  expect(most()).toBe(2)
})
