import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openOutbox } from './outbox.ts'

test('messages are sent once, in order, within the window', () => {
  const outbox = openOutbox('boot')
  for (let n = 0; n < 5; n++) outbox.add('event', n, 0)
  expect(outbox.take()).toEqual([])
  outbox.resume(0, 2)
  const places = () => outbox.take().map(({ seq }) => seq)
  expect(places()).toEqual([1, 2])
  expect(places()).toEqual([])
  outbox.acked(1)
  expect(places()).toEqual([3])
  outbox.resume(2, 64)
  expect(places()).toEqual([3, 4, 5])
  outbox.acked(5)
  expect(outbox.size()).toBe(0)
})

test('the oldest is given up when too many wait, and the rest is still sent', () => {
  const outbox = openOutbox('boot')
  for (let n = 0; n < 1200; n++) outbox.add('event', n, 0)
  expect(outbox.size()).toBe(1000)
  outbox.resume(0, 64)
  expect(outbox.take().map(({ seq }) => seq)).toEqual(Array.from({ length: 64 }, (_, n) => 201 + n))
})

test('refused messages are not resent, and those after them are sent', () => {
  const outbox = openOutbox('boot')
  for (let n = 0; n < 3; n++) outbox.add('event', n, 0)
  outbox.resume(0, 2)
  outbox.take()
  outbox.drop(1)
  expect(outbox.next()).toBe(2)
  // The connection ended before the acknowledgement.
  outbox.hold()
  outbox.resume(0, 2)
  expect(outbox.take().map(({ seq }) => seq)).toEqual([2, 3])
})

type Step = 'add' | 'send' | 'store' | 'ack' | 'break'

/** A platform that stores once, acknowledges late, and drops connections between any two steps. */
test('with any pattern of losses, everything is stored once and in order', () => {
  const steps = fc.array(fc.constantFrom<Step>('add', 'send', 'store', 'ack', 'break'), {
    maxLength: 300,
  })
  fc.assert(
    fc.property(steps, (run) => {
      const outbox = openOutbox('boot')
      const stored: number[] = []
      let line: number[] = []
      let acks: number[] = []
      let added = 0
      const store = (seq: number | undefined) => {
        if (seq === undefined) return
        if (seq > (stored.at(-1) ?? 0)) stored.push(seq)
        acks.push(seq)
      }
      const connect = () => {
        line = []
        acks = []
        outbox.resume(stored.at(-1) ?? 0, 8)
      }
      const work: Record<Step, () => void> = {
        add: () => void (added = outbox.add('event', 0, 0)),
        send: () => void line.push(...outbox.take().map(({ seq }) => seq)),
        store: () => store(line.shift()),
        ack: () => outbox.acked(acks.shift() ?? 0),
        break: connect,
      }
      connect()
      for (const step of run) work[step]()
      for (let round = 0; round <= added; round++)
        for (const step of ['send', 'store', 'ack'] as const) work[step]()
      while (line.length > 0) store(line.shift())
      expect(stored).toEqual(Array.from({ length: added }, (_, index) => index + 1))
    }),
  )
})
