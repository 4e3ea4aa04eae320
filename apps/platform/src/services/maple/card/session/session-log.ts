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
  /** The index of its step in the batch. */
  place: number
}

interface Options {
  sessionId: string
  day: string
  transport: ElementTransport
  writer: ExchangeWriter
  now: () => number
}

/** How often replies are written during a batch, and after how many. */
const progressMs = 200
const progressCount = 50
/** After a batch, replies wait this long for the next command. */
const settleMs = 3

/**
 * Passes commands to the element and stores each: before its bytes are sent, and with its reply
 * before the next one. A reply waits for the next command so that both are one write; if none follows
 * immediately, it is written alone. The commands of a batch are stored together before the first of
 * them is sent; any other command in between is stored separately.
 */
export function sessionLog({ sessionId, day, transport, writer, now }: Options) {
  const counts: SessionCounts = { exchanges: 0, failed: 0, firstError: null }
  let meaning: Meaning = { step: null, isSecret: false, isProtected: false, plain: null }
  /** Replies that are not written yet. The channel may still explain the last one. */
  let answered: ExchangeRecord[] = []
  let outgoing: Flight | undefined
  /** The remaining commands of the batch. */
  let plan: { command: Planned; flight: Flight }[] = []
  /** The number of plans so far, and of those that the last write has stored. */
  let planned = 0
  let stored = 0
  /** The lease still contains commands that will not be sent. */
  let isExcessive = false
  let written: Promise<boolean> = Promise.resolve(true)
  let underWay = 0
  let failure: { error: unknown } | undefined
  /** When the last write that found the lease started, and the last write of all, in milliseconds. */
  let provenAt = -Infinity
  let writtenAt = -Infinity

  const last = () => answered.at(-1)?.seq ?? counts.exchanges

  const count = (record: ExchangeRecord) => {
    counts.exchanges = record.seq
    if (!record.isFailed) return
    counts.failed++
    counts.firstError ??= record.seq
  }

  /** The commands that may be in flight from now on, in stored form. */
  function flightNow(): StoredFlight | null {
    const flights = [...(outgoing ? [outgoing] : []), ...plan.map(({ flight }) => flight)]
    const from = last() + 1
    return storedFlight(flights.map((each, index) => ({ ...each, seq: from + index })))
  }

  /**
   * Stores the replies so far, and the commands that may be in flight unless they are stored already.
   */
  function write({ keepsFlight = false } = {}): Promise<boolean> {
    // After a failure the log's state is unknown: nothing more is written, so that it has no gaps.
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

  /** Nothing awaits it: the next write reports its failure. */
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

  /** Every reply is written, but the lease still contains skipped commands. */
  const writeRest = () => {
    if (isExcessive && plan.length === 0 && answered.length === 0) write().catch(ignore)
  }

  /** The planned command with these bytes; undefined for another one in between. */
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

  /** Whether the last write proves that this process still has the lease. */
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
    /** Plans the next commands, in order: all are stored before the first is sent. */
    plan(commands: readonly Planned[]) {
      const at = now()
      plan = commands.map((command) => ({ command, flight: plannedOf(command, at) }))
      planned++
    },
    /** Drops the planned commands before this step; without one, all of them. */
    reach(place = Infinity) {
      const left = plan.filter(({ command }) => command.place >= place)
      isExcessive ||= left.length < plan.length
      plan = left
      const record = answered.at(-1)
      if (record) writeSoon(record, settleMs)
      else if (isExcessive && plan.length === 0 && stored === planned)
        setTimeout(writeRest, settleMs)
    },
    /**
     * Called between the commands of a batch: writes the replies so far while further commands are
     * sent.
     */
    async pace() {
      if (!isDue() || stored !== planned) return
      write({ keepsFlight: !isExcessive }).catch(ignore)
      // A card in this process would answer all of them before the write starts.
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
