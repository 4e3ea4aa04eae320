import { sql, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { ElementSession } from '@grove/contract/maple/card/session'
import type { KeyMismatch } from '@grove/contract/maple/card/key'
import type { QueryOf } from '@grove/contract/call'
import {
  sessionSorting,
  type SessionEnd,
  type SessionFailure,
} from '@grove/contract/maple/card/session.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, isInScope, type Scope } from '../../../../core/scope.ts'
import { readCplc } from '../../base/cplc-text.ts'
import type { MapleDb } from '../../base/tables.ts'
import { exchangeColumns, exchangeShape, exchangeValues } from './exchange-writer.ts'
import { flightsIn, unknownOf, type StoredFlight } from './exchange-record.ts'

/** A session as it is stored; what may be done to it depends on the reader. */
export type SessionFacts = Omit<ElementSession, 'rights'> & { day: string }

const columns = sql<SessionFacts>`
  session.id, session.cplc, session.device_id as "deviceId",
  (select case when device.service_id is not distinct from session.service_id then device.name
    else device.id end from maple.device as device where device.id = session.device_id)
    as "deviceName",
  session.service_id as "serviceId",
  case when session.state = 'active' and lease.flight is not null then 'waiting'
    else session.state end as state,
  session.purpose, session.transport, session.opened_by as "openedBy", session.held_by as "heldBy",
  session.channel, session.replay_of as "replayOf",
  coalesce(lease.exchanges, session.exchanges) as exchanges,
  coalesce(lease.failed, session.failed) as failed,
  coalesce(lease.first_error, session.first_error) as "firstError",
  session.failure, session.end_reason as "endReason", session.opened_at as "openedAt",
  session.ended_at as "endedAt", session.day`
const from = sql`
  maple.session as session left join maple.session_lease as lease on lease.session_id = session.id`

/** Null: every service provider's. */
export const sessionList = defineList({
  name: 'session',
  sorts: { openedAt: ['opened_at', 'timestamp'] },
  sorting: sessionSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    state: (state) => sql`session.state = ${state}`,
    cplc: (cplc) => sql`session.cplc = ${readCplc('cplc', cplc)}`,
    device: (device) => sql`session.device_id = ${device}`,
    openedBy: (user) => sql`session.opened_by = ${user}`,
    from: (moment) => sql`session.opened_at >= ${moment}::timestamptz`,
    to: (moment) => sql`session.opened_at < ${moment}::timestamptz`,
  },
  keys: ({ openedAt, id }) => [openedAt, id],
  rows: (
    db: MapleDb,
    { where, orderBy, limit }: ListPage<QueryOf<Calls['GET /api/maple/sessions/se']>, 'openedAt'>,
    scope: Scope,
  ) =>
    sql<SessionFacts>`
      select ${columns} from ${from} where ${inScope(scope, 'session.service_id')} and ${where('session')}
      order by ${orderBy('session')} limit ${sql.lit(limit)}`.execute(db),
})

export async function findSession(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<SessionFacts | undefined> {
  const { rows } = await sql<SessionFacts>`
    select ${columns} from ${from} where session.id = ${id} and ${inScope(scope, 'session.service_id')}`.execute(
    db,
  )
  return rows[0]
}

/** What a session needs to know of its element. */
export interface SessionElement {
  cplc: string
  deviceId: string | null
  serviceId: string | null
  state: string
}

/**
 * Locks the element, so that two sessions cannot be opened concurrently. Undefined outside the scope.
 */
export async function lockElementFor(
  tx: MapleDb,
  cplc: string,
  scope: Scope,
): Promise<SessionElement | undefined> {
  const { rows } = await sql<SessionElement>`
    select cplc, device_id as "deviceId", state, service_id as "serviceId"
    from maple.element where cplc = ${cplc} for update`.execute(tx)
  const [found] = rows
  return found && isInScope(scope, found.serviceId) ? found : undefined
}

/** The session that has an element now. */
export async function findHolder(
  db: MapleDb,
  cplc: string,
): Promise<{ id: string; heldBy: string | null; purpose: string; processId: string } | undefined> {
  const { rows } = await sql<{
    id: string
    heldBy: string | null
    purpose: string
    processId: string
  }>`
    select session.id, session.held_by as "heldBy", session.purpose, lease.process_id as "processId"
    from maple.session_lease as lease join maple.session as session on session.id = lease.session_id
    where lease.cplc = ${cplc}`.execute(db)
  return rows[0]
}

/** The process that runs a session. */
export async function findProcess(db: MapleDb, sessionId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select process_id as id from maple.session_lease where session_id = ${sessionId}`.execute(db)
  return rows[0]?.id
}

export interface NewSession {
  id: string
  cplc: string
  serviceId: string | null
  deviceId: string | null
  purpose: string
  transport: string
  openedBy: string | null
  heldBy: string | null
  replayOf: string | null
  day: string
  processId: string
}

export async function insertSession(tx: MapleDb, given: NewSession): Promise<void> {
  await sql`
    insert into maple.session (id, service_id, cplc, device_id, state, purpose, transport, opened_by,
      held_by, replay_of, day)
    values (${given.id}, ${given.serviceId}, ${given.cplc}, ${given.deviceId}, 'active',
      ${given.purpose}, ${given.transport}, ${given.openedBy}, ${given.heldBy}, ${given.replayOf},
      ${given.day})`.execute(tx)
  await sql`
    insert into maple.session_lease (cplc, session_id, process_id)
    values (${given.cplc}, ${given.id}, ${given.processId})`.execute(tx)
}

export const setChannel = (db: MapleDb, id: string, channel: ElementSession['channel']) =>
  sql`update maple.session set channel = ${channel && JSON.stringify(channel)}::jsonb
    where id = ${id} and ended_at is null`.execute(db)

export const setHolder = (db: MapleDb, id: string, user: string) =>
  sql`update maple.session set held_by = ${user} where id = ${id} and ended_at is null`.execute(db)

/** How a session ended. */
export type SessionEnding =
  | { state: 'closed' | 'expired'; reason: SessionEnd }
  | { state: 'failed'; failure: { code: SessionFailure; message: string; mismatch?: KeyMismatch } }

/**
 * How long a process may send the commands of a batch, stored beforehand, after its last write that
 * found the lease.
 */
export const leaseProofMs = 500

/**
 * Ends sessions and releases their elements. Commands in flight become exchanges with an unknown
 * outcome. Only sessions that still match the condition on `lease` are ended. The process that runs a
 * session (`isOwn`) itself records how its current command ended.
 */
export async function endSessions(
  tx: MapleDb,
  condition: RawBuilder<unknown>,
  ending: SessionEnding,
  { isOwn = false }: { isOwn?: boolean } = {},
): Promise<string[]> {
  const { rows } = await sql<Lost>`
    delete from maple.session_lease as lease using maple.session as session
    where session.id = lease.session_id and ${condition}
    returning session.id, to_char(session.day, 'YYYY-MM-DD') as day, lease.flight, lease.exchanges,
      lease.failed, lease.first_error as "firstError"`.execute(tx)
  if (rows.length === 0) return []
  // Its process may send until its proof of the lease has expired; until this commits, no other
  // process does.
  if (!isOwn && rows.some(({ flight }) => flight?.rest))
    await sql`select pg_sleep(${leaseProofMs / 1000})`.execute(tx)
  const lost = rows.flatMap(({ id, day, flight, exchanges }) =>
    flightsIn(flight, exchanges).map((each) => ({ sessionId: id, day, ...unknownOf(each) })),
  )
  if (lost.length > 0)
    await sql`
      insert into maple.exchange (${exchangeColumns}) select ${exchangeValues}
      from jsonb_to_recordset(${JSON.stringify(lost)}::jsonb) as record ${exchangeShape}
      on conflict do nothing`.execute(tx)
  const counts = rows.map(({ id, flight, exchanges, failed, firstError }) => {
    const unknown = flightsIn(flight, exchanges)
    return {
      id,
      exchanges: exchanges + unknown.length,
      failed: failed + unknown.length,
      firstError: firstError ?? unknown[0]?.seq ?? null,
    }
  })
  const failure = ending.state === 'failed' ? JSON.stringify(ending.failure) : null
  const reason = ending.state === 'failed' ? null : ending.reason
  await sql`
    update maple.session as session set state = ${ending.state}, ended_at = now(), held_by = null,
      failure = ${failure}::jsonb, end_reason = ${reason}, exchanges = given.exchanges,
      failed = given.failed, first_error = given."firstError"
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as given
      (id uuid, exchanges integer, failed integer, "firstError" integer)
    where session.id = given.id`.execute(tx)
  await sql`
    update maple.session_command
    set state = case state when 'sent' then 'unknown' else 'refused' end, sealed_input = null,
      problem = '{"code":"session_ended","message":"The session ended."}', finished_at = now()
    where session_id = any(${rows.map(({ id }) => id)}::uuid[]) and state = any(${isOwn ? ['queued'] : ['queued', 'sent']}::text[])
  `.execute(tx)
  return rows.map(({ id }) => id)
}

interface Lost {
  id: string
  day: string
  flight: StoredFlight | null
  exchanges: number
  failed: number
  firstError: number | null
}

/** Sessions of processes without a heartbeat. */
export const isAbandoned = sql`not exists (
  select from maple.session_process as process
  where process.id = lease.process_id and process.alive_until > now())`

export const keepAlive = (db: MapleDb, processId: string, seconds: number) =>
  sql`
    insert into maple.session_process (id, alive_until)
    values (${processId}, now() + make_interval(secs => ${seconds}))
    on conflict (id) do update set alive_until = excluded.alive_until`.execute(db)

export const forgetProcesses = (db: MapleDb) =>
  sql`
    delete from maple.session_process as process where alive_until < now()
      and not exists (select from maple.session_lease where process_id = process.id)`.execute(db)

/** An embedded database has one process, so another process there has ended. */
export const endOtherProcesses = (db: MapleDb, processId: string) =>
  sql`delete from maple.session_process where id <> ${processId}`.execute(db)

/** The sessions among these whose lease this process has lost. */
export async function findLostLeases(
  db: MapleDb,
  ids: readonly string[],
  processId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::uuid[]) as given (id) where not exists (
      select from maple.session_lease where session_id = id and process_id = ${processId})
  `.execute(db)
  return rows.map(({ id }) => id)
}
