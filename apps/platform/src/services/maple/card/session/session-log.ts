import type { ElementTransport } from './transport/transport.ts'
import {
  answeredOf,
  flightOf,
  sentOf,
  plannedOf,
  storedFlight,
  unknownOf,
  type ExchangeRecord,
  type Flight,
  type StoredFlight,
} from './exchange-record.ts'
import type { ExchangeWriter, SessionCounts } from './exchange-writer.ts'
import { leaseProofMs } from './session.queries.ts'
import { ReaderLost } from '../reader/reader-hub.ts'
import { SessionError } from './session-error.ts'

/** The outgoing command as the log needs it. */
export interface Meaning {
  step: string | null
  isSecret: boolean
  /** Protected by a secure channel: `plain` is the original. */
  isProtected: boolean
  plain: Uint8Array | null
}

/** A command of a batch, not yet protected. */
export interface Planned extends Omit<Meaning, 'plain'> {
  bytes: Uint8Array
  /** The step of the batch that it belongs to, from 0. */
  place: number
}

interface Options {
  sessionId: string
  day: string
  transport: ElementTransport
  writer: ExchangeWriter
  now: () => number
}

/** During a batch, replies are written beside the commands: this often, and so many at once. */
const progressMs = 200
const progressCount = 50
/** After it they wait this long for what follows. */
const settleMs = 3

/**
 * Passes commands to the element and stores each: before its bytes are sent, and with its reply
 * before the next one. A reply waits for the next command so that both are one write; if none comes
 * immediately, it is written alone. The commands of a batch are stored together before the first of
 * them is sent, and any other that comes between them by itself.
 */
export function sessionLog({ sessionId, day, transport, writer, now }: Options) {
  const counts: SessionCounts = { exchanges: 0, failed: 0, firstError: null }
  let meaning: Meaning = { step: null, isSecret: false, isProtected: false, plain: null }
  /** Replies that are not written yet. The channel may still explain the last. */
  let answered: ExchangeRecord[] = []
  let outgoing: Flight | undefined
  /** What is left of the batch. */
  let plan: { command: Planned; flight: Flight }[] = []
  /** Plans so far, and which of them the last write has stored. */
  let planned = 0
  let stored = 0
  /** The lease still has commands that are not going to be sent. */
  let isExcessive = false
  let written: Promise<boolean> = Promise.resolve(true)
  let underWay = 0
  let failure: { error: unknown } | undefined
  /** When the last write began that found the lease, and the last of all, in milliseconds. */
  let provenAt = -Infinity
  let writtenAt = -Infinity

  const last = () => answered.at(-1)?.seq ?? counts.exchanges

  const count = (record: ExchangeRecord) => {
    counts.exchanges = record.seq
    if (!record.isFailed) return
    counts.failed++
    counts.firstError ??= record.seq
  }

  /** What may be on its way from now on, as it is stored. */
  function flightNow(): StoredFlight | null {
    const flights = [...(outgoing ? [outgoing] : []), ...plan.map(({ flight }) => flight)]
    const from = last() + 1
    return storedFlight(flights.map((each, index) => ({ ...each, seq: from + index })))
  }

  /** Stores the replies so far, and what may be on its way, unless that is stored already. */
  function write({ keepsFlight = false } = {}): Promise<boolean> {
    // After a failure it is unknown what the log has: it gets no gaps.
    if (failure) return Promise.reject(failure.error)
    const flight = keepsFlight ? undefined : flightNow()
    const records = answered
    answered = []
    for (const record of records) count(record)
    const current = planned
    if (!keepsFlight) isExcessive = false
    underWay++
    const start = performance.now()
    writtenAt = start
    written = writer
      .write({ sessionId, day, ...counts, answered: records, flight })
      .then((isHeld) => {
        provenAt = isHeld ? start : -Infinity
        if (isHeld) stored = current
        return isHeld
      })
      .catch((error: unknown) => {
        failure = { error }
        provenAt = -Infinity
        throw error
      })
      .finally(() => underWay--)
    written.catch(() => {})
    return written
  }

  /** Nobody waits for it: the next write has its failure. */
  const ignore = () => {}

  const writeSoon = (record: ExchangeRecord, ms?: number) => {
    // The rest of a batch follows.
    if (plan.length > 0) return
    const writeLast = () => {
      if (answered.at(-1) === record && plan.length === 0) write().catch(ignore)
    }
    if (ms === undefined) setImmediate(writeLast)
    else setTimeout(writeLast, ms)
  }

  /** Every reply is written, but the lease has commands that were left out. */
  const writeRest = () => {
    if (isExcessive && plan.length === 0 && answered.length === 0) write().catch(ignore)
  }

  /** The planned command that these bytes are; undefined for one that comes between. */
  function takePlanned(bytes: Uint8Array): Flight | undefined {
    const [head] = plan
    if (!head) return undefined
    const { step, isSecret, isProtected, plain } = meaning
    const sent = isProtected ? plain : bytes
    const { command } = head
    const isSame =
      command.step === step && command.isSecret === isSecret && command.isProtected === isProtected
    if (!isSame || !sent || Buffer.compare(command.bytes, sent) !== 0) return undefined
    plan.shift()
    return head.flight
  }

  /** Whether this process still has the lease, by its last write. */
  const isProven = () => performance.now() - provenAt < leaseProofMs

  const isDue = () =>
    underWay === 0 &&
    (performance.now() - writtenAt > progressMs || answered.length >= progressCount)

  return {
    counts,
    /** The number of the last exchange, whether answered or not. */
    last,
    mean(next: Meaning) {
      meaning = next
    },
    /** The commands that follow, in order: all are stored before the first is sent. */
    plan(commands: readonly Planned[]) {
      const at = now()
      plan = commands.map((command) => ({ command, flight: plannedOf(command, at) }))
      planned++
    },
    /** Of the plan nothing is left before this step; without one, nothing at all. */
    reach(place = Infinity) {
      const left = plan.filter(({ command }) => command.place >= place)
      isExcessive ||= left.length < plan.length
      plan = left
      const record = answered.at(-1)
      if (record) writeSoon(record, settleMs)
      else if (isExcessive && plan.length === 0 && stored === planned)
        setTimeout(writeRest, settleMs)
    },
    /** Between the commands of a batch: writes the replies so far beside those that follow. */
    async pace() {
      if (!isDue() || stored !== planned) return
      write({ keepsFlight: !isExcessive }).catch(ignore)
      // A card in this process would answer all of them before the write is under way.
      await new Promise(setImmediate)
    },
    /** The reply of the last exchange without its protection, or why the channel refused it. */
    explain(found: { reply?: string; problem?: string }) {
      const settling = answered.pop()
      if (!settling) return
      const explained = {
        ...settling,
        reply: found.reply ?? settling.reply,
        problem: found.problem ?? null,
        isFailed: settling.isFailed || found.problem !== undefined,
      }
      answered.push(explained)
      writeSoon(explained)
    },
    async transmit(bytes: Uint8Array): Promise<Uint8Array> {
      const { isProtected } = meaning
      const head = takePlanned(bytes)
      const sending = { seq: last() + 1, at: now(), bytes }
      const flight = head
        ? sentOf(head, { ...sending, isProtected })
        : flightOf({ ...sending, ...meaning })
      // The following fragments have no meaning of their own.
      meaning = { ...meaning, plain: null }
      outgoing = flight
      if (!head || stored !== planned || !isProven()) {
        const isHeld = await write().catch((error: unknown) => {
          outgoing = undefined
          throw error
        })
        if (!isHeld) {
          outgoing = undefined
          throw new SessionError('lease_lost', 'Another session is using the element.')
        }
      }
      const start = performance.now()
      try {
        const received = await transport.transmit(bytes)
        const latencyUs = Math.round((performance.now() - start) * 1000)
        const record = answeredOf(flight, received, { isProtected, latencyUs })
        outgoing = undefined
        answered.push(record)
        // The secure channel unwraps it before this is due.
        if (!isProtected) writeSoon(record)
        return received
      } catch (error) {
        outgoing = undefined
        plan = []
        answered.push(unknownOf(flight))
        await write()
        throw lossOf(error)
      }
    },
    /** Resolves when everything is durable. */
    async flush(): Promise<void> {
      await (answered.length > 0 || isExcessive ? write() : written)
    },
  }
}

export type SessionLog = ReturnType<typeof sessionLog>

const lossOf = (error: unknown): SessionError =>
  error instanceof ReaderLost && error.code === 'tooLong'
    ? new SessionError(
        'not_sent',
        'The command exceeds the device’s maximum message length, so it was not sent.',
      )
    : error instanceof Error && error.name === 'PowerCut'
      ? new SessionError(
          'power_lost',
          'The card lost power, so it is unknown whether it ran the command.',
        )
      : new SessionError(
          'transport_failed',
          'The connection to the element was lost, so it is unknown whether the card ran the command.',
        )
