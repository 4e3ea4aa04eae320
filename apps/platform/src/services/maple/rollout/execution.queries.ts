import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { RolloutCause, RolloutExecution } from '@grove/contract/maple/rollout/rollout'
import {
  executionSorting,
  maxCauseLength,
  maxCauses,
  type ExecutionState,
} from '@grove/contract/maple/rollout/rollout.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../core/scope.ts'
import type { MapleDb } from '../base/tables.ts'

export const executionList = defineList({
  name: 'rollout execution',
  sorts: { deviceId: ['device_id', 'text'] },
  sorting: executionSorting,
  tiebreak: ['device_id', 'text'],
  filters: {
    device: (id) => sql`execution.device_id = ${id}`,
    group: (number) => sql`execution.group_number = ${number}`,
    state: (state) => sql`execution.state = ${state}`,
    cause: (cause) => sql`execution.cause = ${cause}`,
  },
  keys: ({ deviceId }: RolloutExecution) => [deviceId, deviceId],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/rollouts/{id}/execution']>, 'deviceId'>,
    rolloutId: string,
  ) =>
    sql<RolloutExecution>`
      select execution.device_id as "deviceId", device.name as "deviceName",
        execution.group_number as "group", execution.state, execution.cause,
        execution.session_id as "sessionId", execution.attempts,
        execution.started_at as "startedAt", execution.ended_at as "endedAt"
      from maple.rollout_execution as execution
      left join maple.device as device on device.id = execution.device_id
      where execution.rollout_id = ${rolloutId} and ${where('execution')}
      order by ${orderBy('execution')} limit ${sql.lit(limit)}`.execute(db),
})

/** The failures of a rollout by cause, most frequent first. */
export async function readCauses(db: MapleDb, rolloutId: string): Promise<RolloutCause[]> {
  const { rows } = await sql<RolloutCause>`
    select cause, state, sum(count)::int as count,
      array_agg(group_number order by group_number) as groups
    from maple.rollout_cause where rollout_id = ${rolloutId} and count > 0
    group by cause, state order by 3 desc, cause`.execute(db)
  return rows
}

/** The time zones of devices, and when the next one may start under a rate limit. */
export async function readPace(
  tx: MapleDb,
  id: string,
): Promise<{ zones: string[]; rateAt: string | null }> {
  const { rows } = await sql<{ zones: string[]; rateAt: string | null }>`
    select zones, rate_at as "rateAt" from maple.rollout where id = ${id}`.execute(tx)
  return rows[0] ?? { zones: [], rateAt: null }
}

export async function setPace(tx: MapleDb, id: string, rateAt: number): Promise<void> {
  await sql`
    update maple.rollout set rate_at = ${new Date(rateAt).toISOString()} where id = ${id}`.execute(
    tx,
  )
}

export interface ClaimedExecution {
  deviceId: string
  group: number
  attempts: number
  /** The elements where the program succeeded. */
  done: readonly string[]
}

interface Claim {
  groups: readonly number[]
  zones: readonly string[]
  claim: string
  now: number
}

/** Claims the next device of these groups and zones: by group, then by position. */
export async function claimExecution(
  tx: MapleDb,
  rolloutId: string,
  { groups, zones, claim, now }: Claim,
): Promise<ClaimedExecution | undefined> {
  const { rows } = await sql<ClaimedExecution>`
    update maple.rollout_execution as execution
    set state = 'running', claim = ${claim}, attempts = attempts + 1, session_id = null,
      cause = null, started_at = now(), ended_at = null
    from (
      select first.device_id
      from unnest(${groups}::integer[]) as wanted (number),
        unnest(${zones}::text[]) as open (zone),
        lateral (
          select device_id, not_before, place from maple.rollout_execution
          where rollout_id = ${rolloutId} and group_number = wanted.number and zone = open.zone
            and state = 'queued' and not_before <= ${isoOf(now)}
          order by not_before, place limit 1
        ) as first
      order by wanted.number, first.not_before, first.place limit 1
    ) as next
    where execution.rollout_id = ${rolloutId} and execution.device_id = next.device_id
    returning execution.device_id as "deviceId", execution.group_number as "group", attempts,
      done`.execute(tx)
  const [found] = rows
  if (found)
    await sql`
      update maple.rollout_group set queued = queued - 1, running = running + 1
      where rollout_id = ${rolloutId} and number = ${found.group}`.execute(tx)
  return found
}

/** For each zone with devices waiting in these groups, when the first of them may start. */
export async function waitingZones(
  tx: MapleDb,
  rolloutId: string,
  { groups, zones }: Pick<Claim, 'groups' | 'zones'>,
): Promise<{ zone: string; notBefore: string }[]> {
  const { rows } = await sql<{ zone: string; notBefore: string }>`
    select zone, greatest(min(not_before), 'epoch') as "notBefore"
    from unnest(${groups}::integer[]) as wanted (number),
      unnest(${zones}::text[]) as known (zone),
      lateral (
        select not_before from maple.rollout_execution as execution
        where rollout_id = ${rolloutId} and group_number = wanted.number
          and execution.zone = known.zone and state = 'queued'
        order by not_before, place limit 1
      ) as first
    group by zone`.execute(tx)
  return rows
}

/** False if the device no longer belongs to this run. */
export async function setSession(
  db: MapleDb,
  at: { rolloutId: string; deviceId: string; claim: string },
  sessionId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update maple.rollout_execution set session_id = ${sessionId}
    where rollout_id = ${at.rolloutId} and device_id = ${at.deviceId} and claim = ${at.claim}
      and state = 'running'
    returning 1`.execute(db)
  return rows.length > 0
}

/** The program succeeded on an element: nothing repeats it there. */
export async function keepDone(
  db: MapleDb,
  at: { rolloutId: string; deviceId: string; claim: string },
  cplc: string,
): Promise<void> {
  await sql`
    update maple.rollout_execution set done = done || ${cplc}::text
    where rollout_id = ${at.rolloutId} and device_id = ${at.deviceId} and claim = ${at.claim}
      and state = 'running'`.execute(db)
}

/** The id of the work for a device; a new one after somebody retried it. */
export async function keepStartId(
  db: MapleDb,
  at: { rolloutId: string; deviceId: string; claim: string },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    update maple.rollout_execution set start_id = coalesce(start_id, gen_random_uuid())
    where rollout_id = ${at.rolloutId} and device_id = ${at.deviceId} and claim = ${at.claim}
      and state = 'running'
    returning start_id as id`.execute(db)
  const [kept] = rows
  if (!kept) throw new Error('The device was taken from this process.')
  return kept.id
}

interface Ending {
  state: Exclude<ExecutionState, 'running'>
  cause?: string | undefined
  sessionId?: string | undefined
  /** Of one that waits again. */
  notBefore?: number
}

/** It connected while it was tried, so nothing else will wake its rollout. */
const hasConnected = sql`exists (
  select from maple.device_presence as presence
  where presence.device_id = execution.device_id and presence.gateway_id is not null
    and presence.connected_at > execution.started_at)`

/**
 * Stores and counts the outcome of a device, in one transaction with its consequences. False if it
 * was already stored: a repeated outcome counts once.
 */
export async function endExecution(
  tx: MapleDb,
  rolloutId: string,
  { deviceId, claim }: { deviceId: string; claim: string },
  { state, cause, sessionId, notBefore }: Ending,
): Promise<boolean> {
  const isFailure = state === 'failed' || state === 'timed_out' || state === 'skipped'
  const known = isFailure ? await knownCause(tx, rolloutId, cause ?? 'unknown') : null
  // For a success this is what the card's receipts prove, which is not a cause to count.
  const shown = state === 'succeeded' ? (cause?.slice(0, maxCauseLength) ?? null) : known
  const { rows } = await sql<{ group: number }>`
    update maple.rollout_execution as execution
    set state = ${state}, cause = ${shown}, claim = null,
      session_id = coalesce(${sessionId ?? null}::uuid, session_id),
      not_before = case when ${state} = 'queued' and ${hasConnected} then now()
        else coalesce(${notBefore === undefined ? null : isoOf(notBefore)}::timestamptz, not_before)
        end,
      ended_at = case when ${state} = 'queued' then null else now() end
    where rollout_id = ${rolloutId} and device_id = ${deviceId} and claim = ${claim}
      and state = 'running'
    returning group_number as "group"`.execute(tx)
  const [ended] = rows
  if (!ended) return false
  const counter = sql.ref(state)
  await sql`
    update maple.rollout_group set running = running - 1, ${counter} = ${counter} + 1
    where rollout_id = ${rolloutId} and number = ${ended.group}`.execute(tx)
  if (known !== null)
    await sql`
      insert into maple.rollout_cause as known (rollout_id, group_number, state, cause, count)
      values (${rolloutId}, ${ended.group}, ${state}, ${known}, 1)
      on conflict (rollout_id, group_number, state, cause) do update set count = known.count + 1`.execute(
      tx,
    )
  return true
}

/** A program may give each device its own message: only a limited number are counted separately. */
async function knownCause(tx: MapleDb, rolloutId: string, given: string): Promise<string> {
  const cause = given.slice(0, maxCauseLength).trim() || 'unknown'
  const { rows } = await sql<{ isKnown: boolean; count: number }>`
    select coalesce(bool_or(cause = ${cause}), false) as "isKnown",
      count(distinct cause)::int as count
    from maple.rollout_cause where rollout_id = ${rolloutId}`.execute(tx)
  const [known] = rows
  return known && !known.isKnown && known.count >= maxCauses ? 'other' : cause
}

export interface LeftExecution {
  deviceId: string
  claim: string
  sessionId: string | null
  startedAt: string
}

/** Devices that a run started but did not end: of one claim, or of every run that is over. */
export async function leftExecutions(
  db: MapleDb,
  rolloutId: string,
  claim?: string,
): Promise<LeftExecution[]> {
  const { rows } = await sql<LeftExecution>`
    select device_id as "deviceId", claim, session_id as "sessionId", started_at as "startedAt"
    from maple.rollout_execution as execution
    where rollout_id = ${rolloutId} and state = 'running' and ${
      claim === undefined
        ? sql`not exists (select from maple.job as job
            where job.id = execution.claim and job.state in ('queued', 'running'))`
        : sql`claim = ${claim}`
    }`.execute(db)
  return rows
}

/** The last session with a device's element since a time, and its outcome. */
export async function lastSession(
  db: MapleDb,
  { deviceId, since, openedBy }: { deviceId: string; since: string; openedBy: string | null },
): Promise<{ id: string; exchanges: number; failure: { code: string } | null } | undefined> {
  const { rows } = await sql<{ id: string; exchanges: number; failure: { code: string } | null }>`
    select session.id, session.failure,
      greatest(session.exchanges, coalesce(lease.exchanges, 0)) as exchanges
    from maple.session as session
    left join maple.session_lease as lease on lease.session_id = session.id
    where session.device_id = ${deviceId} and session.opened_at >= ${since}
      and session.opened_by is not distinct from ${openedBy}
    order by session.opened_at desc limit 1`.execute(db)
  return rows[0]
}

/** The elements of a device, in order. */
export async function elementsOf(db: MapleDb, deviceId: string): Promise<string[]> {
  const { rows } = await sql<{ cplc: string }>`
    select cplc from maple.element where device_id = ${deviceId} order by cplc`.execute(db)
  return rows.map(({ cplc }) => cplc)
}

/** Whether the device is still the service provider's, and may get a program. */
export async function isServed(db: MapleDb, deviceId: string, scope: Scope): Promise<boolean> {
  const { rows } = await sql`
    select from maple.device as device
    where id = ${deviceId} and state not in ('retired', 'quarantined')
      and ${inScope(scope, 'service_id')}`.execute(db)
  return rows.length > 0
}

/** Ends the next waiting devices, of one group or of all; returns the number. */
export async function endWaiting(
  tx: MapleDb,
  rolloutId: string,
  { group, state, limit }: { group: number | null; state: 'cancelled' | 'skipped'; limit: number },
): Promise<number> {
  const { rows } = await sql<{ number: number; count: number }>`
    with ended as (
      update maple.rollout_execution
      set state = ${state}, ended_at = now()
      where ctid = any(array(
        select ctid from maple.rollout_execution
        where rollout_id = ${rolloutId} and state = 'queued'
          and ${group === null ? sql`group_number is not null` : sql`group_number = ${group}`}
        limit ${sql.lit(limit)} for update))
      returning group_number
    )
    select group_number as number, count(*)::int as count from ended group by group_number`.execute(
    tx,
  )
  const counter = sql.ref(state)
  for (const { number, count } of rows)
    await sql`
      update maple.rollout_group
      set queued = queued - ${count}, ${counter} = ${counter} + ${count}
      where rollout_id = ${rolloutId} and number = ${number}`.execute(tx)
  return rows.reduce((sum, { count }) => sum + count, 0)
}

/** The failed devices of a group wait again. */
export async function requeueFailed(tx: MapleDb, rolloutId: string, group: number): Promise<void> {
  await sql`
    update maple.rollout_execution
    set state = 'queued', cause = null, start_id = null, not_before = '-infinity', ended_at = null
    where rollout_id = ${rolloutId} and group_number = ${group}
      and state in ('failed', 'timed_out')`.execute(tx)
  await sql`
    update maple.rollout_group
    set queued = queued + failed + timed_out, failed = 0, timed_out = 0
    where rollout_id = ${rolloutId} and number = ${group}`.execute(tx)
  await sql`
    delete from maple.rollout_cause
    where rollout_id = ${rolloutId} and group_number = ${group}
      and state in ('failed', 'timed_out')`.execute(tx)
}

const isoOf = (time: number) => new Date(time).toISOString()
