import { Readable } from 'node:stream'
import type { ElementSession, Exchange } from '@grove/contract/maple/card/session'
import { isLive } from '@grove/contract/maple/card/session.rules'
import type { Actor } from '../../../../core/actor.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { SessionContext } from '../context.ts'
import { exchangeOf } from './exchange-record.ts'
import { readExchanges, readFlight } from './exchange.queries.ts'
import { nextChange } from './next-change.ts'
import { findSession } from './session.queries.ts'
import { sessionOf, withRights } from './session.service.ts'

interface StreamInput {
  id: string
  /** The last exchange that the watcher has. */
  after: number
  /** When the token of the watcher ends, in milliseconds since the epoch. */
  until: number
  /** The client disconnected. */
  signal: AbortSignal
}

/** Exchanges per read: for a slow client the rest waits in the database, not here. */
const batch = 200
/** To learn of exchanges that another process stored. */
const lookMs = 250
const heartbeatMs = 15_000

/**
 * The events of a session as they are stored, from any exchange on. The log itself is the queue, so
 * a watcher misses nothing and sees nothing twice, whichever process serves it.
 * @throws ProblemError `not_found`.
 */
export async function streamSession(
  context: SessionContext,
  actor: Actor,
  input: StreamInput,
): Promise<Readable> {
  await sessionOf(context, actor, input.id)
  return Readable.from(eventsOf(context, actor, input), {
    objectMode: false,
    highWaterMark: 64 * 1024,
  })
}

async function* eventsOf(
  context: SessionContext,
  actor: Actor,
  { id, after, until, signal }: StreamInput,
): AsyncGenerator<string> {
  const { db, now, sessions: hub } = context
  let last = after
  let shown = ''
  let waiting = 0
  let quietSince = now()
  yield ': watching\n\n'
  while (!signal.aborted && !hub.isClosing() && now() < until) {
    // Before reading: data stored meanwhile wakes the next round.
    const woken = nextChange(hub.changes, id, signal)
    const facts = await findSession(db, id, scopeOf(actor))
    if (!facts) break
    const records = await readExchanges(db, facts, { after: last, limit: batch })
    const flight = records.length < batch ? await readFlight(db, id) : null
    const events: string[] = []
    for (const record of records) {
      last = record.seq
      events.push(event('exchange', exchangeOf(record), last))
    }
    if (flight && flight.seq > Math.max(last, waiting)) {
      waiting = flight.seq
      events.push(event('waiting', exchangeOf(flight, true)))
    }
    const session = withRights(actor, facts)
    const state = stateOf(session)
    if (state !== shown) events.push(event('session', session))
    shown = state
    const isEnd = !isLive(session.state) && records.length < batch
    if (isEnd) events.push(event('end', session))
    if (events.length === 0 && now() - quietSince >= heartbeatMs) events.push(': heartbeat\n\n')
    if (events.length > 0) {
      quietSince = now()
      yield events.join('')
    }
    if (isEnd) return
    if (records.length < batch) await woken.wait(lookMs)
    else woken.cancel()
  }
}

/** Changes other than the counts, which follow from the exchanges. */
const stateOf = (session: ElementSession) =>
  JSON.stringify({
    ...session,
    exchanges: 0,
    failed: 0,
    state: session.state === 'waiting' ? 'active' : session.state,
  })

const event = (name: string, data: Exchange | ElementSession, id?: number): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
