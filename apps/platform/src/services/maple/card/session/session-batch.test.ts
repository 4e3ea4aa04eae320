import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { maxBatchCommands } from '@grove/contract/maple/card/session.rules'
import type { Command } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { newCard } from '@grove/secure-element/card/card-state'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { getData, getStatus, select, setCardState } from '@grove/secure-element/host/commands'
import { hostKeys } from '@grove/secure-element/secure-channel/key-source'
import { keySetsOf } from '../software-card/software-card.rules.ts'
import { elementSession } from './element-session.ts'
import { flightsIn, type ExchangeRecord, type StoredFlight } from './exchange-record.ts'
import type { LogWrite } from './exchange-writer.ts'
import type { BatchStep } from './send-batch.ts'
import { sessionLog } from './session-log.ts'
import { leaseProofMs } from './session.queries.ts'

interface Given {
  transmit?: (bytes: Uint8Array) => Promise<Uint8Array>
  /** Called instead of storing a write; returns false for a lost lease. */
  store?: (write: LogWrite) => Promise<boolean>
}

/** A session, with the rows that a database would have and the commands that reached its card. */
function open({ transmit, store = async () => true }: Given = {}) {
  const state = newCard({ seed: 'batch' })
  const card = softwareCard(state)
  const stored: ExchangeRecord[] = []
  const writes: { answered: number[]; flight: number[] }[] = []
  const sent: string[] = []
  /** What a kill would leave: answered exchanges, and those with an unknown outcome. */
  let leased: StoredFlight | null = null
  const flight = () => flightsIn(leased, stored.at(-1)?.seq ?? 0)
  let last: Promise<unknown> = Promise.resolve()
  const log = sessionLog({
    sessionId: randomUUID(),
    day: '2026-01-01',
    now: Date.now,
    transport: {
      kind: 'virtual',
      async transmit(bytes) {
        sent.push(toHex(bytes))
        return transmit ? transmit(bytes) : card.transmit(bytes)
      },
      close: async () => {},
    },
    writer: {
      write(entry) {
        const { answered } = entry
        const next =
          entry.flight && (JSON.parse(JSON.stringify(entry.flight)) as StoredFlight | null)
        const done = last.then(async () => {
          const isHeld = await store(entry)
          if (!isHeld) return false
          stored.push(...answered)
          if (next !== undefined) leased = next
          writes.push({
            answered: answered.map(({ seq }) => seq),
            flight: flight().map((each) => each.seq),
          })
          return true
        })
        last = done.catch(() => {})
        return done
      },
    },
  })
  const onEnd = vi.fn<() => Promise<void>>(async () => {})
  const session = elementSession({
    id: 'batch',
    cplc: state.cplc,
    purpose: 'program',
    log,
    now: Date.now,
    keysFor: async () => (greeting, challenge) => {
      const set = keySetsOf(state).find(({ version }) => version === greeting.keyVersion)
      return set ? hostKeys(set.keys, greeting, challenge) : expect.fail('no keys')
    },
    isBlocked: async () => false,
    onChannel: async () => {},
    onWrongKeys: async () => undefined,
    onEnd,
  })
  return { session, log, stored, writes, sent, onEnd, flight }
}

const stepsOf = (...commands: (Command | string)[]): BatchStep[] =>
  commands.map((each) => ({ commands: [typeof each === 'string' ? readHex(each) : each] }))
const cplc = getData({ tag: '9F7F' })
const missing = getData({ tag: 'DF7E' })
const cplcBytes = '80CA9F7F00'
const wordsOf = (replies: { statusWord: number }[]) => replies.map((each) => each.statusWord)
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('one write stores all commands of a batch before the first, and one all their replies', async () => {
  const card = softwareCard(newCard({ seed: 'batch' }))
  const { session, writes, stored } = open({
    transmit: async (bytes) => {
      await new Promise(setImmediate)
      return card.transmit(bytes)
    },
  })
  const replies = await session.sendBatch(stepsOf(...upTo(20).map(() => cplc)))
  await session.flush()
  expect(wordsOf(replies)).toEqual(upTo(20).map(() => 0x9000))
  expect(writes).toEqual([
    { answered: [], flight: upTo(20) },
    { answered: upTo(20), flight: [] },
  ])
  expect(stored.map(({ seq, command, statusWord }) => [seq, command, statusWord])).toEqual(
    upTo(20).map((seq) => [seq, cplcBytes, 0x9000]),
  )
})

test('also through a channel, and each command is stored both plain and as sent', async () => {
  const { session, writes, stored, sent } = open()
  await session.select()
  await session.openChannel({ level: 0x33 })
  await session.flush()
  const before = writes.length
  const secret = {
    cla: 0x80,
    ins: 0xe2,
    p1: 0x80,
    p2: 0,
    isExtended: false,
    data: readHex('C0FFEE'),
  }
  await session.sendBatch(
    [...stepsOf(cplc), { commands: [secret], isSecret: true }, ...stepsOf(cplc)],
    {
      stopAtError: false,
    },
  )
  await session.flush()
  expect(writes.slice(before)).toEqual([
    { answered: [], flight: [4, 5, 6] },
    { answered: [4, 5, 6], flight: [] },
  ])
  const [plain, hidden] = stored.slice(-3)
  expect(plain).toMatchObject({
    command: cplcBytes,
    sent: sent.at(-3),
    received: expect.any(String),
  })
  expect(hidden?.command).toBe('80E2800003000000')
  expect(hidden?.redacted?.wrapped).not.toBeNull()
  expect(JSON.stringify([stored, writes])).not.toContain('C0FFEE')
})

test('secret data of planned commands is not stored either', async () => {
  const flights: string[] = []
  const { session } = open({
    store: async (entry) => {
      flights.push(JSON.stringify(entry.flight))
      return true
    },
  })
  const verify = { cla: 0, ins: 0x20, p1: 0, p2: 1, isExtended: false, data: readHex('31323334') }
  await session.sendBatch(stepsOf(cplc, verify, '0024000104C0FFEE00'))
  await session.flush()
  expect(flights.join()).toContain('0020000104')
  expect(flights.join()).not.toMatch(/31323334|C0FFEE/)
})

/** A card that answers anything, at any speed. */
const anyReply = fc.constantFrom('9000', 'AABB9000', '6102', '6C10', '6A88', '63C2', '6310', '6985')
const anyCommand = fc.oneof(
  fc.constant(cplc),
  fc.constant(missing),
  fc.constant(select({ aid: 'D2760000850101' })),
  fc.constant(select()),
  fc.constant(cplcBytes),
  fc.constant('80F28002024F0000'),
  fc.constant({ ...cplc, ins: 0xe6, p1: 0x02, data: new Uint8Array(300), isExtended: true }),
)

test('whenever a process is killed, the log has everything that may have reached the card, without gaps', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(anyCommand, { minLength: 1, maxLength: 12 }),
      fc.array(anyReply, { minLength: 1, maxLength: 9 }),
      fc.boolean(),
      fc.boolean(),
      async (commands, answers, hasChannel, stopAtError) => {
        let isScripted = false
        // An exception in the transport would only end the session.
        const missed: string[] = []
        const seqs: number[][] = []
        const card = softwareCard(newCard({ seed: 'batch' }))
        const used = open({
          async transmit(bytes) {
            await new Promise(setImmediate)
            if (!isScripted) return card.transmit(bytes)
            // A kill now would leave this.
            const logged = [...used.stored, ...used.flight()]
            seqs.push(logged.map(({ seq }) => seq))
            const unsure = used.flight().flatMap((each) => [each.sent, each.command])
            const own = toHex(bytes)
            const isMeant = unsure.includes(own) || (hasChannel && unsure.includes(meant))
            if (!isMeant) missed.push(own)
            return readHex(answers[(used.sent.length * 7) % answers.length] ?? '9000')
          },
        })
        const { session, log } = used
        let meant = ''
        if (hasChannel) {
          await session.select()
          await session.openChannel({ level: 0x01 })
        }
        const mean = log.mean.bind(log)
        log.mean = (next) => {
          meant = next.plain ? toHex(next.plain) : ''
          mean(next)
        }
        isScripted = true
        await session.sendBatch(stepsOf(...commands), { stopAtError }).catch(() => {})
        await session.flush().catch(() => {})
        expect(missed).toEqual([])
        for (const each of seqs) expect(each).toEqual(upTo(each.length))
        expect(used.stored.map(({ seq }) => seq)).toEqual(upTo(used.sent.length))
        expect(used.flight()).toEqual([])
      },
    ),
    { numRuns: 200 },
  ))

test('a batch stops at the first error or wrong PIN, and unsent commands are not in the log', async () => {
  const first = open()
  expect(wordsOf(await first.session.sendBatch(stepsOf(cplc, missing, cplc)))).toEqual([
    0x9000, 0x6a88,
  ])
  await first.session.flush()
  expect([first.stored.length, first.flight()]).toEqual([2, []])
  const all = await first.session.sendBatch(stepsOf(missing, cplc), { stopAtError: false })
  expect(wordsOf(all)).toEqual([0x6a88, 0x9000])
  await first.session.flush()
  expect(first.stored.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])

  const words = ['9000', '6200', '6310', '63C2']
  const second = open({ transmit: async () => readHex(words.shift() ?? '9000') })
  expect(wordsOf(await second.session.sendBatch(stepsOf(cplc, cplc, cplc, cplc, cplc)))).toEqual([
    0x9000, 0x6200, 0x6310, 0x63c2,
  ])
})

test('blocks after a refused one are not sent, but the following steps are', async () => {
  const { session, stored, writes } = open()
  const steps = [{ commands: [missing, cplc, cplc] }, ...stepsOf(cplc, missing)]
  const replies = await session.sendBatch(steps, { stopAtError: false })
  await session.flush()
  expect(wordsOf(replies)).toEqual([0x6a88, 0x9000, 0x6a88])
  expect(stored.map(({ seq, statusWord }) => [seq, statusWord])).toEqual([
    [1, 0x6a88],
    [2, 0x9000],
    [3, 0x6a88],
  ])
  expect(writes).toHaveLength(2)
})

test('a command that no session may send refuses the whole batch', async () => {
  const { session, sent, writes } = open()
  const locked = setCardState({ state: 'cardLocked' })
  for (const batch of [
    stepsOf(cplc, locked, cplc),
    stepsOf(cplc, '80F0807F00'),
    stepsOf(select({ aid: 'D2760000850101' }), cplc, locked),
  ])
    await expect(session.sendBatch(batch)).rejects.toMatchObject({
      code: 'command_reserved',
      message: expect.stringMatching(/^Command [23] of the batch: The state of a card/),
    })
  expect([sent, writes]).toEqual([[], []])
})

test('commands that depend on a SELECT of the batch are judged when their turn comes', async () => {
  const { session, sent, stored } = open()
  // An unknown instruction: an application may get it, a domain may not.
  const own = { cla: 0x80, ins: 0x55, p1: 0, p2: 0, data: new Uint8Array(), isExtended: false }
  await expect(session.sendBatch(stepsOf(select(), own, cplc))).rejects.toMatchObject({
    code: 'command_reserved',
  })
  await session.flush()
  expect(sent).toHaveLength(1)
  expect(stored).toHaveLength(1)
  expect(session.ended()).toBeUndefined()
})

test('the size of a batch is limited', async () => {
  const { session, sent } = open()
  const many = upTo(maxBatchCommands + 1).map(() => cplc)
  const long = upTo(maxBatchCommands).map(() => `80E28000000190${'00'.repeat(0x190)}`)
  for (const batch of [stepsOf(...many), stepsOf(...long)])
    await expect(session.sendBatch(batch)).rejects.toMatchObject({ code: 'limit_reached' })
  expect(sent).toEqual([])
  await session.sendBatch(stepsOf(...many.slice(1)))
  expect(sent).toHaveLength(maxBatchCommands)
})

test('during a slow batch replies are stored, and its commands stay stored', async () => {
  const { session, writes } = open({
    transmit: async () => {
      await wait(60)
      return readHex('9000')
    },
  })
  await session.sendBatch(stepsOf(...upTo(10).map(() => cplc)))
  await session.flush()
  expect(writes.length).toBeGreaterThan(2)
  expect(writes.flatMap(({ answered }) => answered)).toEqual(upTo(10))
  for (const { answered, flight } of writes.slice(1, -1)) {
    expect(answered.length).toBeGreaterThan(0)
    expect(flight).toEqual(upTo(10).slice(answered.at(-1)))
  }
})

test('skipped blocks are no longer stored as in flight', async () => {
  const words = ['6A88']
  const { session, writes } = open({
    transmit: async () => {
      await wait(60)
      return readHex(words.shift() ?? '9000')
    },
  })
  const steps = [{ commands: [missing, cplc, cplc] }, ...stepsOf(...upTo(9).map(() => cplc))]
  await session.sendBatch(steps, { stopAtError: false })
  await session.flush()
  expect(writes.length).toBeGreaterThan(2)
  for (const { answered, flight } of writes.slice(1))
    expect((answered.at(-1) ?? 0) + flight.length).toBe(10)
})

test('after a slow batch that was refused in its turn, nothing is stored as in flight', async () => {
  const { session, flight } = open({
    transmit: async () => {
      await wait(220)
      return readHex('9000')
    },
  })
  const own = { cla: 0x80, ins: 0x55, p1: 0, p2: 0, data: new Uint8Array(), isExtended: false }
  await expect(session.sendBatch(stepsOf(cplc, select(), own, cplc))).rejects.toMatchObject({
    code: 'command_reserved',
  })
  await vi.waitFor(() => expect(flight()).toEqual([]))
})

test.each([
  ['lost', async () => false],
  ['unreachable', () => new Promise<boolean>(() => {})],
])(
  'a process whose lease is %s sends nothing once its proof has expired @long',
  async (_, after) => {
    let count = 0
    const at: number[] = []
    const { session } = open({
      transmit: async () => {
        at.push(performance.now())
        await wait(40)
        return readHex('9000')
      },
      store: async () => (count++ === 0 ? true : after()),
    })
    const batch = session.sendBatch(stepsOf(...upTo(100).map(() => cplc)))
    batch.catch(() => {})
    await wait(leaseProofMs + 500)
    const [first = 0] = at
    expect((at.at(-1) ?? Infinity) - first).toBeLessThan(leaseProofMs)
    expect(at.length).toBeGreaterThan(2)
    if (_ === 'lost') await expect(batch).rejects.toMatchObject({ code: 'lease_lost' })
  },
)

test('an end in the middle keeps only the sent commands', async () => {
  const { session, stored, flight, sent, onEnd } = open({
    transmit: async () => {
      if (sent.length === 3) void session.finish({ state: 'closed', reason: 'taken_over' })
      await new Promise(setImmediate)
      return readHex('9000')
    },
  })
  await expect(session.sendBatch(stepsOf(...upTo(8).map(() => cplc)))).rejects.toMatchObject({
    code: 'session_ended',
  })
  await vi.waitFor(() => expect(onEnd).toHaveBeenCalled())
  expect(sent).toHaveLength(3)
  expect([...stored, ...flight()].map(({ seq }) => seq)).toEqual([1, 2, 3])
})

test('a card lost in the middle leaves one exchange with an unknown outcome', async () => {
  let count = 0
  const { session, stored, flight, writes } = open({
    transmit: async () => {
      if (++count === 4) throw new Error('gone')
      return readHex('9000')
    },
  })
  await expect(session.sendBatch(stepsOf(...upTo(8).map(() => cplc)))).rejects.toMatchObject({
    code: 'transport_failed',
  })
  expect(stored.map(({ seq, statusWord }) => [seq, statusWord])).toEqual([
    [1, 0x9000],
    [2, 0x9000],
    [3, 0x9000],
    [4, null],
  ])
  expect([writes.length, flight()]).toEqual([2, []])
})

test('a malformed reply to bytes ends the batch and not the session', async () => {
  const { session, stored } = open({ transmit: async () => readHex('90') })
  await expect(session.sendBatch(stepsOf(cplcBytes, cplcBytes))).rejects.toMatchObject({
    name: 'DecodeError',
  })
  expect(session.ended()).toBeUndefined()
  await session.flush()
  expect(stored).toHaveLength(1)
})

test('after a failed write nothing more is sent, so that the log has no gaps', async () => {
  let count = 0
  const { session, sent } = open({
    transmit: async () => {
      await wait(70)
      return readHex('9000')
    },
    store: async () => {
      if (++count === 2) throw new Error('no database')
      return true
    },
  })
  await expect(session.sendBatch(stepsOf(...upTo(30).map(() => cplc)))).rejects.toMatchObject({
    code: 'internal',
  })
  expect(sent.length).toBeLessThan(8)
})

test('a DELETE in a batch is judged by the card’s registry', async () => {
  const { session, sent } = open()
  await session.select()
  await session.openChannel({ level: 0x01 })
  const before = sent.length
  const deletion = {
    cla: 0x80,
    ins: 0xe4,
    p1: 0,
    p2: 0,
    data: readHex('4F07D2760000850D01'),
    isExtended: false,
    le: 256,
  }
  const replies = await session.sendBatch(stepsOf(getStatus({ subset: 'issuer' }), deletion))
  expect(wordsOf(replies)).toEqual([0x9000, 0x6a88])
  expect(sent.length - before).toBeGreaterThan(2)
})
