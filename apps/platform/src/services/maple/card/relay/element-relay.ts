import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { readHex, toHex } from '@grove/secure-element/bytes'
import type { Notices } from '../../../../core/database/notices.ts'
import { seal, unseal } from '../../../../core/sealed.ts'
import { contextOf, inSpan, SpanKind, traceparent } from '../../../../core/tracing/tracing.ts'
import type { MapleDb } from '../../base/tables.ts'
import { ReaderLost } from '../reader/reader-hub.ts'
import { nextChange } from '../session/next-change.ts'
import { provenCard } from '../session/transport/proven-card.ts'
import type { ElementTransport } from '../session/transport/transport.ts'
import {
  answerExchange,
  deleteExchanges,
  deleteOldExchanges,
  insertExchange,
  livingProcesses,
  takeEnd,
  takeExchanges,
  type RelayKind,
} from './relay.queries.ts'

const channel = 'maple_relay'
const sealPurpose = 'maple relayed exchange'

/** Longer than the maximum time of a reader or a device for an answer. */
const patienceMs = 70_000
/** Polling intervals: while notices arrive, in case one was lost, and while they do not. */
const slowPollMs = 2000
const pollMs = 200
const roundMs = 5000

/** The location of an element, in the process with its connection. */
interface Spot {
  /** The id of the reader or device. */
  at: string
  cplc: string
}

interface Input extends Spot {
  isFirst: boolean
  /** In hex; null ends the link. */
  command: string | null
  /** The session's trace position; missing in those of the previous release. */
  traceparent?: string | null
}

/** The connections of one kind in this process. */
export interface LocalElements {
  /** @throws ReaderLost */
  exchange: (
    exchange: Spot & { session: string; isFirst: boolean; command: Uint8Array },
  ) => Promise<Uint8Array>
  end: (at: string, session: string) => void
  /** Whether other processes may ask for elements. */
  isAny: () => boolean
}

interface Parts {
  db: MapleDb
  processId: string
  notices: Notices
  /** Encrypts what waits for another process. */
  secret: string
  kinds: Record<RelayKind, LocalElements>
}

/**
 * Carries a session's exchanges from the process that runs it to the process with the connection to
 * the reader or device. Keys stay in the former.
 */
export function openElementRelay({ db, processId, notices, secret, kinds }: Parts) {
  const changes = new EventEmitter().setMaxListeners(0)
  /** Links of other processes through this one's connections. */
  const links = new Map<string, { askedBy: string; end: () => void }>()
  let timers: NodeJS.Timeout[] = []
  let stopListening: (() => void) | undefined
  let polling: Promise<void> | undefined
  let isAskedAgain = false
  let lookedAt = 0

  const listen = () => {
    stopListening ??= notices.on(channel, (text) => {
      if (text === `take ${processId}`) void poll().catch(() => {})
      else if (text.startsWith('done ')) changes.emit(text)
    })
  }

  async function ask(
    to: { processId: string; kind: RelayKind; link: string },
    input: Input,
  ): Promise<string> {
    const id = randomUUID()
    const sealedInput = seal(
      JSON.stringify({ ...input, traceparent: traceparent() }),
      secret,
      sealPurpose,
    )
    await insertExchange(db, channel, { id, askedBy: processId, sealedInput, ...to })
    return id
  }

  async function answerOf(id: string): Promise<Uint8Array> {
    const until = performance.now() + patienceMs
    for (;;) {
      const notified = nextChange(changes, `done ${id}`)
      const end = await takeEnd(db, id)
      if (end || performance.now() > until) notified.cancel()
      if (end?.sealedReply) return readHex(unseal(end.sealedReply, secret, sealPurpose))
      if (end) throw new ReaderLost(end.failure as ReaderLost['code'])
      if (performance.now() > until) {
        await deleteExchanges(db, [id])
        throw new ReaderLost('lost')
      }
      await notified.wait(notices.isLive() ? slowPollMs : pollMs)
    }
  }

  /** Runs what other processes request from this one's connections. */
  function poll(): Promise<void> {
    isAskedAgain = true
    polling ??= (async () => {
      while (isAskedAgain) {
        isAskedAgain = false
        lookedAt = performance.now()
        for (const taken of await takeExchanges(db, processId)) void serve(taken).catch(() => {})
      }
    })().finally(() => (polling = undefined))
    return polling
  }

  async function serve({
    id,
    link,
    kind,
    askedBy,
    sealedInput,
  }: Awaited<ReturnType<typeof takeExchanges>>[number]): Promise<void> {
    const input = JSON.parse(unseal(sealedInput, secret, sealPurpose)) as Input
    const { at, cplc, isFirst, command } = input
    const local = kinds[kind]
    if (command === null) {
      links.get(link)?.end()
      links.delete(link)
      return void (await deleteExchanges(db, [id]))
    }
    links.set(link, { askedBy, end: () => local.end(at, link) })
    const end = await inSpan(
      'exchange with an element',
      { kind: SpanKind.CONSUMER, parent: contextOf(input.traceparent) },
      () => local.exchange({ at, cplc, session: link, isFirst, command: readHex(command) }),
    ).then(
      (reply) => ({ sealedReply: seal(toHex(reply), secret, sealPurpose), failure: null }),
      (error: unknown) => ({
        sealedReply: null,
        failure: error instanceof ReaderLost ? error.code : 'lost',
      }),
    )
    await answerExchange(db, channel, { id, ...end })
  }

  /** A process that died cannot end its links. */
  async function round(): Promise<void> {
    if (links.size === 0) return
    await deleteOldExchanges(db)
    const living = await livingProcesses(db, [
      ...new Set([...links.values()].map(({ askedBy }) => askedBy)),
    ])
    for (const [link, { askedBy, end }] of links)
      if (!living.has(askedBy)) {
        end()
        links.delete(link)
      }
  }

  const isNeeded = () => links.size > 0 || Object.values(kinds).some(({ isAny }) => isAny())
  const isDue = () => !notices.isLive() || performance.now() - lookedAt >= slowPollMs

  return {
    /** The way to an element through another process's connection. */
    wayTo(
      { processId: there, kind, at }: { processId: string; kind: RelayKind; at: string },
      cplc: string,
    ): ElementTransport {
      listen()
      const to = { processId: there, kind, link: randomUUID() }
      const way = {
        send: async (command: Uint8Array, isFirst: boolean) =>
          answerOf(await ask(to, { at, cplc, isFirst, command: toHex(command) })),
        end: () =>
          void ask(to, { at, cplc, isFirst: false, command: null }).catch(() => {
            // The other process ends it once this one is gone.
          }),
      }
      return { ...provenCard(cplc, way), kind }
    },
    /** From now on, other processes can reach this one's elements. */
    start(warn: (fields: object, message: string) => void) {
      if (timers.length > 0) return
      listen()
      const safely = (work: () => Promise<void>) => () =>
        void work().catch((error: Error) =>
          warn({ reason: error.message }, 'Exchanges for other processes were not read'),
        )
      timers = [
        setInterval(
          safely(async () => {
            if (isNeeded() && isDue()) await poll()
          }),
          pollMs,
        ),
        setInterval(safely(round), roundMs),
      ]
      for (const timer of timers) timer.unref()
    },
    close() {
      stopListening?.()
      for (const timer of timers) clearInterval(timer)
    },
  }
}

export type ElementRelay = ReturnType<typeof openElementRelay>
