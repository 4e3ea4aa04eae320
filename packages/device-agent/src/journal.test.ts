import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { openJournal, type Journal } from './journal.ts'
import { openOutbox } from './outbox.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grove-journal-'))
  file = join(folder, 'queue')
})
const opened: Journal[] = []
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.settled()
  rmSync(folder, { recursive: true, force: true })
})

const open = (onTrouble: (error: Error) => void = (error) => expect(error).toBeUndefined()) => {
  const journal = openJournal(file, () => {}, onTrouble)
  opened.push(journal)
  return { journal, outbox: openOutbox(undefined, journal) }
}
const places = (outbox: ReturnType<typeof openOutbox>) => outbox.take().map(({ seq }) => seq)

test('nothing is sent before it is on disk', async () => {
  const { journal, outbox } = open()
  outbox.resume(0, 64)
  outbox.add('event', 'first', 0)
  expect(places(outbox)).toEqual([])
  await journal.settled()
  expect(readFileSync(file, 'utf8')).toContain('"first"')
  expect(places(outbox)).toEqual([1])
})

test('unacknowledged messages are sent after a restart, in the same boot', async () => {
  const first = open()
  for (let n = 1; n <= 5; n++) first.outbox.add('event', n, 0)
  await first.journal.settled()
  const second = open()
  expect(second.outbox.boot).toBe(first.outbox.boot)
  expect(second.outbox.resume(2, 64)).toBe(true)
  expect(second.outbox.take().map(({ seq, d }) => [seq, d])).toEqual([
    [3, 3],
    [4, 4],
    [5, 5],
  ])
  expect(second.outbox.add('event', 6, 0)).toBe(6)
})

test('numbers continue after a restart if everything was acknowledged', async () => {
  const first = open()
  for (let n = 1; n <= 5; n++) first.outbox.add('event', n, 0)
  await first.journal.settled()
  first.outbox.resume(5, 64)
  const second = open()
  second.outbox.resume(5, 64)
  expect(places(second.outbox)).toEqual([])
  expect(second.outbox.add('event', 6, 0)).toBe(6)
})

test('a file truncated anywhere gives a beginning of what was written', async () => {
  const { journal, outbox } = open()
  for (let n = 1; n <= 20; n++) outbox.add('event', { n, text: 'ключ' }, 0)
  await journal.settled()
  const whole = readFileSync(file)
  const head = whole.indexOf('\n') + 1
  fc.assert(
    fc.property(fc.integer({ min: head, max: whole.length }), fc.string(), (length, noise) => {
      writeFileSync(file, whole.subarray(0, length))
      appendFileSync(file, noise)
      const found = open()
      const seqs = found.journal.messages.map(({ seq }) => seq)
      expect(found.journal.boot).toBe(journal.boot)
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1))
      expect(found.journal.last).toBe(seqs.length)
    }),
  )
})

test('a file without its beginning starts another boot', () => {
  writeFileSync(file, 'something else\n{"boot":"x"}')
  const { journal } = open()
  expect(journal).toMatchObject({ last: 0, messages: [] })
  expect(journal.boot).toMatch(/^[0-9a-f]{16}$/)
})

test('a platform with more messages than the file starts another boot, and nothing is dropped', async () => {
  const { journal, outbox } = open()
  for (let n = 1; n <= 3; n++) outbox.add('event', n, 0)
  await journal.settled()
  const before = outbox.boot
  expect(outbox.resume(7, 64)).toBe(false)
  expect(places(outbox)).toEqual([])
  expect(outbox.boot).not.toBe(before)
  expect(outbox.resume(0, 64)).toBe(true)
  expect(outbox.take().map(({ boot, d }) => [boot === outbox.boot, d])).toEqual([
    [true, 1],
    [true, 2],
    [true, 3],
  ])
  const again = open()
  expect(again.journal).toMatchObject({ boot: outbox.boot, last: 3 })
})

test('the file stays small as messages come and go', async () => {
  const { journal, outbox } = open()
  outbox.resume(0, 64)
  let largest = 0
  for (let n = 1; n <= 80; n++) {
    outbox.add('event', 'x'.repeat(10_000), 0)
    await journal.settled()
    outbox.acked(n)
    largest = Math.max(largest, statSync(file).size)
  }
  expect(largest).toBeLessThan(400_000)
})

test('a full disk stops no messages', async () => {
  const troubles: Error[] = []
  const { journal, outbox } = open((error) => troubles.push(error))
  outbox.resume(0, 64)
  rmSync(folder, { recursive: true })
  outbox.add('event', 1, 0)
  await journal.settled()
  expect(troubles).toHaveLength(1)
  expect(places(outbox)).toEqual([1])
  outbox.add('event', 2, 0)
  expect(places(outbox)).toEqual([2])
})
