import { expect, test } from 'vitest'
import { batched } from './batch.ts'

interface Item {
  device: string
  seq: number
}

/** Answers its batches in turn, and records each of them. */
function world(answers: ((items: Item[]) => (true | Error)[])[]) {
  const seen: Item[][] = []
  const store = batched(
    async (items: Item[]) => {
      seen.push(items)
      return (answers.shift() ?? ((all) => all.map(() => true)))(items)
    },
    { everyMs: 0, most: 2, keyOf: ({ device }) => device },
  )
  return { seen, store }
}

const down = new Error('It is down.')

test('nothing of a device overtakes its failed message', async () => {
  const { seen, store } = world([
    () => {
      throw down
    },
  ])
  const said = [
    { device: 'a', seq: 1 },
    { device: 'a', seq: 2 },
    { device: 'a', seq: 3 },
    { device: 'b', seq: 1 },
  ]
  const answers = await Promise.allSettled(said.map(store))
  expect(answers.map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  expect(seen).toEqual([said.slice(0, 2), said.slice(3)])
  // Messages sent afterwards are new.
  await expect(store({ device: 'a', seq: 1 })).resolves.toBe(true)
})

test('an error as an answer rejects that item and waiting ones with the same key', async () => {
  const { store } = world([() => [down, true]])
  const said = [
    { device: 'a', seq: 1 },
    { device: 'b', seq: 1 },
    { device: 'a', seq: 2 },
    { device: 'b', seq: 2 },
  ]
  const answers = await Promise.allSettled(said.map(store))
  expect(answers.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
})
