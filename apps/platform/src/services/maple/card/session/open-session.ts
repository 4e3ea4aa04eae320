import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { SessionPurpose } from '@grove/contract/maple/card/session.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { everything, scopeOf } from '../../../../core/scope.ts'
import { record } from '../../fleet/context.ts'
import { sessionEvents, type SessionContext } from '../context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { proveElements } from '../../fleet/device/take-over.queries.ts'
import { readFacts } from '../element-card/card-facts.ts'
import { storeReading } from '../element-card/card-reading.ts'
import { isUncertain, lastKnown } from '../element-card/card-reading.queries.ts'
import { changeElement, findElement, lockElement } from '../../fleet/element/element.queries.ts'
import { keySourceFor, nearestFirst } from '../key/key-source.ts'
import { findMismatch, liveSets } from '../key/key.queries.ts'
import { scp11OptionsFor } from '../scp11/open-scp11.ts'
import { elementSession, type ElementSession, type LiveSession } from './element-session.ts'
import {
  endSessions,
  findHolder,
  insertSession,
  isAbandoned,
  lockElementFor,
  setChannel,
  type SessionEnding,
} from './session.queries.ts'
import { sessionLog } from './session-log.ts'
import {
  isElsewhere,
  transportFor,
  type ElementTransport,
  type Way,
} from './transport/transport.ts'

export interface OpenInput {
  cplc: string
  purpose: SessionPurpose
  /** Ends the session that has the element now. */
  takeOver?: boolean | undefined
  replayOf?: string | null
}

/** Maximum sessions of one process. */
const maxSessions = 2000

/** A session that has its element from now on, and the way to it. */
interface Begun<Found extends Way> {
  id: string
  cplc: string
  day: string
  way: Found
}

/**
 * Opens a session in this process, which owns the element until it ends.
 * @throws ProblemError `not_found`, `lease_held` naming the current session, `transport_missing`,
 * `element_terminated` or `limit_reached`.
 */
export async function openSession(
  context: SessionContext,
  actor: AnyActor,
  input: OpenInput,
): Promise<LiveSession> {
  const { way, ...prepared } = await beginSession(context, actor, input, transportFor)
  return startSession(context, actor, { ...prepared, purpose: input.purpose, transport: way })
}

export async function beginSession<Found extends Way>(
  context: SessionContext,
  actor: AnyActor,
  { cplc: given, purpose, takeOver = false, replayOf = null }: OpenInput,
  findWay: (context: SessionContext, cplc: string) => Promise<Found>,
): Promise<Begun<Found>> {
  const { db, now, sessions: hub } = context
  const cplc = readCplc('cplc', given)
  if (hub.live.size >= maxSessions)
    throw new ProblemError(
      'limit_reached',
      'This server has reached its maximum number of sessions.',
    )
  const id = randomUUID()
  const day = new Date(now()).toISOString().slice(0, 10)
  await hub.prepare(day)
  const scope = scopeOf(actor)
  const known = await db.transaction().execute((tx) => lockElementFor(tx, cplc, scope))
  if (!known) throw noElement(cplc)
  // Its own data can still be looked at.
  if (known.state === 'terminated' && purpose !== 'console') throw terminated()
  if (takeOver) await endHolder(context, actor, cplc)
  const way = await findWay(context, cplc)
  try {
    await db.transaction().execute(async (tx) => {
      const element = await lockElementFor(tx, cplc, scope)
      if (!element) throw noElement(cplc)
      const { serviceId, deviceId } = element
      await endSessions(tx, sql`lease.cplc = ${cplc} and ${isAbandoned}`, {
        state: 'closed',
        reason: 'server_restarted',
      })
      const holder = await findHolder(tx, cplc)
      if (holder) throw leaseHeld(holder)
      await insertSession(tx, {
        id,
        cplc,
        serviceId,
        deviceId,
        purpose,
        transport: way.kind,
        openedBy: actor.id,
        heldBy: purpose === 'console' ? actor.id : null,
        replayOf,
        day,
        processId: isElsewhere(way) ? way.processId : hub.processId,
      })
      await sessionEvents.record(tx, actor, 'session.open', id, {
        after: { id, cplc, purpose, deviceId },
      })
    })
  } catch (error) {
    if (!isElsewhere(way)) await way.close().catch(() => {})
    throw error
  }
  return { id, cplc, day, way }
}

const terminated = () =>
  new ProblemError('element_terminated', 'The card is terminated and can no longer be used.')

const noElement = (cplc: string) => new ProblemError('not_found', `There is no element ${cplc}.`)

/** Runs a session in this process. */
export function startSession(
  context: SessionContext,
  actor: AnyActor,
  {
    id,
    cplc,
    day,
    purpose,
    transport,
  }: {
    id: string
    cplc: string
    day: string
    purpose: SessionPurpose
    transport: ElementTransport
  },
): LiveSession {
  const { db, now, sessions: hub } = context
  const log = sessionLog({ sessionId: id, day, transport, writer: hub.writer, now })
  const session = elementSession({
    id,
    cplc,
    purpose,
    log,
    now,
    keysFor: (domain, keyVersion) =>
      keySourceFor(context, { cplc, domain, ...(keyVersion !== undefined && { keyVersion }) }),
    knownVersions: async (domain) => {
      const newestFirst = (await liveSets(db, cplc)).toReversed()
      return [...new Set(nearestFirst(newestFirst, domain).map(({ version }) => version))]
    },
    scp11For: (credential) => scp11OptionsFor(context, { cplc, id: credential }),
    isBlocked: async () => (await findElement(db, cplc, everything))?.state === 'blocked',
    onChannel: async (channel) => {
      await setChannel(db, id, channel)
      // Opened with keys of the chip. A software card's CPLC was typed in, and so were the
      // authorities whose certificates identify a card.
      if (channel && !channel.protocol.startsWith('SCP11') && transport.kind !== 'virtual')
        await proveElements(db, [cplc])
      hub.changes.emit(id)
    },
    onWrongKeys: async () => {
      await blockElement(context, actor, { cplc, sessionId: id })
      return findMismatch(db, cplc)
    },
    ...(isDriven(purpose) && {
      recall: async () => ({
        known: await lastKnown(db, cplc),
        isUncertain: await isUncertain(db, cplc),
      }),
      readCard: (own) => readAfterChange(context, actor, own),
    }),
    onEnd: async (ending) => {
      await storeEnd(context, actor, { id, ending, isOwn: true })
      hub.remove(id)
      await transport.close().catch(() => {})
    },
  })
  hub.add(session)
  return session
}

/** People and programs drive these; the others read the card as their own work needs it. */
const isDriven = (purpose: SessionPurpose): boolean =>
  purpose === 'console' || purpose === 'program' || purpose === 'replay'

/** A command's effect is not assumed: the card is queried. A foreign domain reports nothing. */
async function readAfterChange(
  context: SessionContext,
  actor: AnyActor,
  session: ElementSession,
): Promise<void> {
  try {
    const facts = await readFacts((command) => session.send(command))
    // The session was opened within the scope of its actor, whom another process knows only by id.
    const reader = { ...actor, mandate: { rights: [], scope: everything } }
    if (facts.domains.length > 0)
      await storeReading(context, reader, {
        session,
        facts,
        action: 'element.read',
        isExpected: true,
      })
  } catch {
    // The session shows the outcome, and the next reading finds the rest.
  }
}

/** Opens a session for some work and ends it after. */
export async function withSession<Result>(
  context: SessionContext,
  actor: AnyActor,
  input: OpenInput,
  work: (session: ElementSession) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(context, actor, input)
  try {
    return await work(session)
  } finally {
    await session.readAgain()
    await session.end('finished')
  }
}

interface Holder {
  id: string
  heldBy: string | null
  purpose: string
}

function leaseHeld({ id, heldBy, purpose }: Holder): ProblemError {
  const message = heldBy
    ? `The element has the session ${id} of ${heldBy}. End it or take it over first.`
    : `The element has the session ${id}, which runs automatically (${purpose}). Wait for it or end it first.`
  return new ProblemError('lease_held', message, {
    errors: [
      {
        path: 'cplc',
        code: 'lease_held',
        message,
        params: { session: id, purpose, ...(heldBy !== null && { holder: heldBy }) },
      },
    ],
  })
}

/** Ends the session that has an element, whichever process runs it. */
async function endHolder(context: SessionContext, actor: AnyActor, cplc: string): Promise<void> {
  const { db, sessions: hub } = context
  const element = await db.transaction().execute((tx) => lockElementFor(tx, cplc, scopeOf(actor)))
  const holder = element && (await findHolder(db, cplc))
  if (!holder) return
  const ending: SessionEnding = { state: 'closed', reason: 'taken_over' }
  const own = hub.live.get(holder.id)
  if (own) return own.finish(ending)
  await storeEnd(context, actor, { id: holder.id, ending })
  // It releases the card immediately.
  await hub.tell('check', holder.processId)
}

/** Stores how a session ended, unless it has ended already. */
export async function storeEnd(
  { db, sessions: hub }: SessionContext,
  actor: AnyActor,
  { id, ending, isOwn = false }: { id: string; ending: SessionEnding; isOwn?: boolean },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const ids = await endSessions(tx, sql`session.id = ${id}`, ending, { isOwn })
    if (ids.length === 0) return
    const { state, ...why } = ending
    await sessionEvents.record(tx, actor, 'session.close', id, { after: { id, state, ...why } })
  })
  hub.changes.emit(id)
}

/** After keys that did not match: no further attempts until somebody clears the block. */
function blockElement(
  { db }: SessionContext,
  actor: AnyActor,
  { cplc, sessionId }: { cplc: string; sessionId: string },
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const before = await lockElement(tx, cplc, everything)
    if (!before || before.state === 'blocked') return
    await changeElement(tx, cplc, { state: 'blocked' })
    await record(tx, actor, 'element.block', cplc, {
      before: { state: before.state },
      after: { state: 'blocked', session: sessionId },
    })
  })
}
