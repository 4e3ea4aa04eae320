import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { knownFiles } from './known-files.ts'
import { inTurns, verified } from './verified-stream.ts'

const chunks = Array.from({ length: 20 }, () => randomBytes(1000))
const whole = Buffer.concat(chunks)
const sha256 = createHash('sha256').update(whole).digest('hex')
// Each chunk is available immediately, as from a fast disk.
const read = async function* () {
  yield* chunks
}

/** The turns of the event loop that others got meanwhile. */
async function roundsOf(work: Promise<unknown>): Promise<number> {
  let rounds = 0
  let isOver = false
  const count = () => {
    rounds += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work
  isOver = true
  return rounds
}

test.each([
  ['hashed', () => verified(read, { sha256 })],
  ['known', () => inTurns(read)],
])(
  'a hundred downloads that are %s leave others their turn after each chunk or two',
  async (_, open) => {
    const all = Promise.all(Array.from({ length: 100 }, () => buffer(open())))
    expect(await roundsOf(all)).toBeGreaterThan((100 * chunks.length) / 2 - 1)
    for (const each of await all) expect(each.equals(whole)).toBe(true)
  },
)

test('a file is trusted for ten minutes, unless it was written since', () => {
  let clock = 0
  const known = knownFiles(() => clock)
  const file = { ino: 1, size: 10, mtimeMs: 5, ctimeMs: 5 }
  expect(known.has('a', file)).toBe(false)
  known.add('a', file)
  expect([known.has('a', file), known.has('b', file)]).toEqual([true, false])
  clock = 599_000
  expect(known.has('a', file)).toBe(true)
  for (const change of [{ ino: 2 }, { size: 11 }, { mtimeMs: 6 }, { ctimeMs: 6 }]) {
    known.add('a', file)
    expect(known.has('a', { ...file, ...change })).toBe(false)
  }
  known.add('a', file)
  clock += 600_000
  expect(known.has('a', file)).toBe(false)
})
