import type { ElementTransport } from './transport/transport.ts'
import { answeredOf, flightOf, unknownOf, type ExchangeRecord } from './exchange-record.ts'
import type { ExchangeWriter, LogWrite, SessionCounts } from './exchange-writer.ts'
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

interface Options {
  sessionId: string
  day: string
  transport: ElementTransport
  writer: ExchangeWriter
  now: () => number
}

/**
 * Passes commands to the element and stores each: before its bytes are sent, and with its reply
 * before the next one. A reply waits for the next command so that both are one write; if none comes
 * immediately, it is written alone.
 */
export function sessionLog({ sessionId, day, transport, writer, now }: Options) {
  const counts: SessionCounts = { exchanges: 0, failed: 0, firstError: null }
  let meaning: Meaning = { step: null, isSecret: false, isProtected: false, plain: null }
  let settling: ExchangeRecord | undefined
  let written: Promise<boolean> = Promise.resolve(true)

  const count = (record: ExchangeRecord) => {
    counts.exchanges = record.seq
    if (!record.isFailed) return
    counts.failed++
    counts.firstError ??= record.seq
  }

  const write = (entry: Pick<LogWrite, 'answered' | 'flight'>): Promise<boolean> => {
    for (const record of entry.answered) count(record)
    written = writer.write({ sessionId, day, ...counts, ...entry })
    // A caller that awaits it sees a failure; otherwise the next write fails too.
    written.catch(() => {})
    return written
  }

  const settled = (): ExchangeRecord[] => {
    const records = settling ? [settling] : []
    settling = undefined
    return records
  }

  const writeSoon = (record: ExchangeRecord) => {
    settling = record
    setImmediate(() => {
      if (settling === record) void write({ answered: settled(), flight: null })
    })
  }

  return {
    counts,
    /** The number of the last exchange, whether answered or not. */
    last: () => settling?.seq ?? counts.exchanges,
    mean(next: Meaning) {
      meaning = next
    },
    /** The reply of the last exchange without its protection, or why the channel refused it. */
    explain(found: { reply?: string; problem?: string }) {
      if (!settling) return
      settling = {
        ...settling,
        reply: found.reply ?? settling.reply,
        problem: found.problem ?? null,
        isFailed: settling.isFailed || found.problem !== undefined,
      }
      writeSoon(settling)
    },
    async transmit(bytes: Uint8Array): Promise<Uint8Array> {
      const { isProtected } = meaning
      const answered = settled()
      const seq = (answered[0]?.seq ?? counts.exchanges) + 1
      const flight = flightOf({ seq, at: now(), bytes, ...meaning })
      // The following fragments have no meaning of their own.
      meaning = { ...meaning, plain: null }
      if (!(await write({ answered, flight })))
        throw new SessionError('lease_lost', 'Another session is using the element.')
      const start = performance.now()
      try {
        const received = await transport.transmit(bytes)
        const latencyUs = Math.round((performance.now() - start) * 1000)
        const record = answeredOf(flight, received, { isProtected, latencyUs })
        // The secure channel unwraps it before this is due.
        if (isProtected) settling = record
        else writeSoon(record)
        return received
      } catch (error) {
        await write({ answered: [unknownOf(flight)], flight: null })
        throw lossOf(error)
      }
    },
    /** Resolves when everything is durable. */
    async flush(): Promise<void> {
      const answered = settled()
      await (answered.length > 0 ? write({ answered, flight: null }) : written)
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
