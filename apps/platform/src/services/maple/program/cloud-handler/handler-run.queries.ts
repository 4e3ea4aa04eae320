import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type {
  HandlerLogLine,
  HandlerProgram,
  HandlerRun,
} from '@grove/contract/maple/program/cloud-handler'
import type { QueryOf } from '@grove/contract/call'
import {
  handlerRunSorting,
  keptRunDays,
  maxWaiting,
  retryWait,
} from '@grove/contract/maple/program/handler.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import type { MapleDb } from '../../base/tables.ts'

const columns = sql`
  run.id, run.handler_id as "handlerId", run.source, run.type, run.state, run.version,
  run.attempts, run.most_attempts as "mostAttempts",
  case when run.state = 'queued' then run.due_at end as "dueAt", run.error, run.milliseconds,
  run.calls, run.created_at as "createdAt", run.finished_at as "finishedAt",
  case when about.id is not null
    then json_build_object('id', about.id, 'name', device.name) end as device`

/** The runs with their devices, if these belong to the handler's owner. */
const runs = sql`
  maple.cloud_handler_run as run
  left join lateral (
    -- PostgreSQL reads no JSON that has a NUL.
    select case when strpos(run.event::text, ${String.raw`\u0000`}) = 0
      then coalesce(run.event #>> '{device,id}',
        case when run.type like 'device.%' then run.event ->> 'subject' end) end as id
  ) as about on true
  left join maple.device as device on device.id = about.id
    and device.service_id is not distinct from (
      select handler.service_id from maple.cloud_handler as handler
      where handler.id = run.handler_id)`

type Query = QueryOf<Calls['GET /api/maple/cloud_handlers/{id}/run']>

export const runList = defineList({
  name: 'handler run',
  sorts: { createdAt: ['created_at', 'timestamp'] },
  sorting: handlerRunSorting,
  tiebreak: ['id', 'uuid'],
  filters: { state: (state) => sql`run.state = ${state}` },
  keys: (row: HandlerRun) => [row.createdAt, row.id],
  rows: (db: MapleDb, { where, orderBy, limit }: ListPage<Query, 'createdAt'>, handlerId: string) =>
    sql<HandlerRun>`
      select ${columns} from ${runs}
      where run.handler_id = ${handlerId} and ${where('run')}
      order by ${orderBy('run')} limit ${sql.lit(limit)}`.execute(db),
})

export async function findRun(
  db: MapleDb,
  handlerId: string,
  id: string,
): Promise<(HandlerRun & { event: unknown; result: unknown }) | undefined> {
  const { rows } = await sql<HandlerRun & { event: unknown; result: unknown }>`
    select ${columns}, run.event, run.result from ${runs}
    where run.handler_id = ${handlerId} and run.id = ${id}`.execute(db)
  return rows[0]
}

export async function readLog(
  db: MapleDb,
  runId: string,
  { after, limit }: { after: number; limit: number },
): Promise<HandlerLogLine[]> {
  const { rows } = await sql<HandlerLogLine>`
    select id, attempt, at, level, text from maple.cloud_handler_log
    where run_id = ${runId} and id > ${after} order by id limit ${sql.lit(limit)}`.execute(db)
  return rows
}

interface NewRun {
  handlerId: string
  source: HandlerRun['source']
  type: string
  /** Idempotency key of the cause: no second run is created for it. */
  key: string | null
  /** The proof of a webhook request, if it is specific to that request; likewise. */
  proof?: string | null
  event: unknown
  /** Of a test. */
  program?: HandlerProgram
  mostAttempts: number
}

/** Returns the id of the run with the same key or proof, if any. */
export async function insertRun(db: MapleDb, given: NewRun): Promise<string> {
  const { handlerId, key, proof = null } = given
  const inserted = await sql<{ id: string }>`
    insert into maple.cloud_handler_run
      (handler_id, source, type, key, proof, event, program, most_attempts)
    values (${handlerId}, ${given.source}, ${given.type}, ${key}, ${proof},
      ${JSON.stringify(given.event)}::json,
      ${given.program ? JSON.stringify(given.program) : null}::jsonb, ${given.mostAttempts})
    on conflict do nothing
    returning id`.execute(db)
  const [made] = inserted.rows
  if (made) return made.id
  // A separate statement: it sees the run that another process has just stored.
  const { rows } = await sql<{ id: string }>`
    select id from maple.cloud_handler_run
    where handler_id = ${handlerId} and (key = ${key} or proof = ${proof})
    order by created_at limit 1`.execute(db)
  const [known] = rows
  if (!known) throw new Error('A run was not stored.')
  return known.id
}

export async function countWaiting(db: MapleDb, handlerId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from maple.cloud_handler_run where handler_id = ${handlerId} and state = 'queued'
      limit ${sql.lit(limit)}) as waiting`.execute(db)
  return rows[0]?.count ?? 0
}

/** A delivery to run now. */
export interface ClaimedRun {
  id: string
  handlerId: string
  serviceId: string | null
  source: HandlerRun['source']
  type: string
  /** JSON. */
  event: string
  attempt: number
  mostAttempts: number
  version: number | null
  program: HandlerProgram
  /** The last line of the log. */
  lines: number
}

interface Claim {
  limit: number
  leaseMs: number
  /** Handlers at their limit here. */
  busy: readonly string[]
  maxOfOwner: number
  /** Service providers with runs here, and those that had the last turns; empty for none. */
  owners: readonly { owner: string; running: number; servedAt: number }[]
}

/**
 * Claims due deliveries fairly among service providers, each within its share of the slots, and for
 * each provider the oldest of its handlers in turn: a handler with many delays only its own. The
 * handlers are found by a loose scan of the queue's index. Deliveries of a disabled handler wait; its
 * tests run.
 */
export async function claimRuns(
  db: MapleDb,
  { limit, leaseMs, busy, maxOfOwner, owners }: Claim,
): Promise<ClaimedRun[]> {
  const { rows } = await sql<ClaimedRun>`
    with recursive waiting (handler_id) as (
      (select handler_id from maple.cloud_handler_run where state = 'queued'
        order by handler_id limit 1)
      union all
      select (select run.handler_id from maple.cloud_handler_run as run
        where run.state = 'queued' and run.handler_id > waiting.handler_id
        order by run.handler_id limit 1)
      from waiting where waiting.handler_id is not null
    ), turn as (
      select * from unnest(${owners.map(({ owner }) => owner)}::text[],
        ${owners.map(({ running }) => running)}::int[],
        ${owners.map(({ servedAt }) => servedAt)}::float8[]) as turn (owner, running, served_at)
    ), candidates as (
      select due.id, due.due_at, turn.served_at, coalesce(turn.running, 0) + row_number() over (
        partition by coalesce(handler.service_id, '')
        order by handler.last_run_at nulls first, due.due_at) as place
      from waiting
      join maple.cloud_handler as handler on handler.id = waiting.handler_id
      left join maple.service as service on service.id = handler.service_id
      cross join lateral (
        select run.id, run.due_at from maple.cloud_handler_run as run
        where run.handler_id = handler.id and run.state = 'queued' and run.due_at <= now()
          and (run.program is not null
            or not handler.is_disabled and handler.version is not null
              and coalesce(service.state <> 'suspended', true))
        order by run.due_at limit 1) as due
      left join turn on turn.owner = coalesce(handler.service_id, '')
      where handler.id <> all(${busy}::uuid[])
    ), chosen as (
      select id from candidates where place <= ${sql.lit(maxOfOwner)}
      order by place, served_at nulls first, due_at limit ${sql.lit(limit)}
    ), claimed as (
      update maple.cloud_handler_run as run
      set state = 'running', attempts = run.attempts + 1, error = null, result = null,
        calls = 0, milliseconds = null,
        lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8)
      where run.id in (
        select id from maple.cloud_handler_run
        where id in (select id from chosen) and state = 'queued'
        for update skip locked)
      returning run.*
    )
    select claimed.id, claimed.handler_id as "handlerId", handler.service_id as "serviceId",
      claimed.source, claimed.type, claimed.event::text as event, claimed.attempts as attempt,
      claimed.most_attempts as "mostAttempts",
      case when claimed.program is null then handler.version end as version,
      coalesce(claimed.program, live.program) as program,
      (select coalesce(max(log.id), 0)::int from maple.cloud_handler_log as log
        where log.run_id = claimed.id) as lines
    from claimed
    join maple.cloud_handler as handler on handler.id = claimed.handler_id
    left join maple.cloud_handler_version as live
      on live.handler_id = handler.id and live.version = handler.version`.execute(db)
  return rows
}

/** Whether anything is queued: the only query of an idle process. */
export async function isAnyQueued(db: MapleDb): Promise<boolean> {
  const { rows } = await sql`
    select from maple.cloud_handler_run where state = 'queued' limit 1`.execute(db)
  return rows.length > 0
}

/** Renews the claims of this process's runs. */
export const renewLeases = (db: MapleDb, ids: readonly string[], leaseMs: number) =>
  sql`
    update maple.cloud_handler_run
    set lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8)
    where id = any(${ids}::uuid[]) and state = 'running'`.execute(db)

/** Deliveries whose process died run again; the started attempt counts. */
export async function freeLostRuns(db: MapleDb): Promise<number> {
  const { rows } = await sql`
    update maple.cloud_handler_run
    set state = case when attempts >= most_attempts then 'dead' else 'queued' end,
      finished_at = case when attempts >= most_attempts then now() end,
      error = json_build_object('name', 'process_lost', 'line', null, 'column', null,
        'message', 'The process that ran it stopped before the end.'),
      lease_until = null, due_at = now()
    where state = 'running' and lease_until < now() returning 1`.execute(db)
  return rows.length
}

/** Deliveries that a stopping process returns, without counting the attempt. */
export const giveBackRuns = (db: MapleDb, ids: readonly string[]) =>
  sql`
    update maple.cloud_handler_run
    set state = 'queued', attempts = attempts - 1, due_at = now(), lease_until = null
    where id = any(${ids}::uuid[]) and state = 'running'`.execute(db)

export interface RunEnd {
  id: string
  handlerId: string
  attempt: number
  version: number | null
  error: HandlerRun['error']
  /** JSON of the program's result. */
  result: string | null
  milliseconds: number
  calls: number
  isTest: boolean
}

/**
 * Records how an attempt ended: a failed one is due again later, or dead. Nothing if another process
 * has taken over the delivery.
 */
export async function finishRun(db: MapleDb, end: RunEnd): Promise<boolean> {
  const isFailed = end.error !== null
  const { first, most } = retryWait
  // Atomic, so a reader that sees a dead delivery also sees that its handler is failing.
  const { rows } = await sql`
    with ended as (
      update maple.cloud_handler_run
      set state = case when not ${isFailed}::boolean then 'succeeded'
          when attempts >= most_attempts then 'dead' else 'queued' end,
        finished_at = case when not ${isFailed}::boolean or attempts >= most_attempts then now() end,
        -- Up to a fifth later, so that those that failed together do not come together again.
        due_at = now() + make_interval(secs => least(${most}::float8,
          ${first}::float8 * power(2, attempts - 1)) * (1 + random() / 5)),
        version = ${end.version}, error = ${end.error && JSON.stringify(end.error)}::json,
        result = ${end.result}::json, milliseconds = ${end.milliseconds}, calls = ${end.calls},
        lease_until = null
      where id = ${end.id} and state = 'running' and attempts = ${end.attempt}
      returning 1
    ), counted as (
      update maple.cloud_handler
      set failures = case when ${isFailed}::boolean then failures + 1 else 0 end, last_run_at = now()
      where id = ${end.handlerId} and not ${end.isTest}::boolean and exists (select from ended)
    )
    select from ended`.execute(db)
  return rows.length > 0
}

export async function appendLog(
  db: MapleDb,
  runId: string,
  lines: readonly Omit<HandlerLogLine, 'at'>[],
): Promise<void> {
  await sql`
    insert into maple.cloud_handler_log (run_id, id, attempt, at, level, text)
    select ${runId}, id, attempt, clock_timestamp(), level, text
    from unnest(${lines.map(({ id }) => id)}::int[], ${lines.map(({ attempt }) => attempt)}::smallint[],
      ${lines.map(({ level }) => level)}::text[], ${lines.map(({ text }) => text)}::text[])
      as given (id, attempt, level, text)
    on conflict do nothing`.execute(db)
}

/** Dead letters become due immediately, with all their attempts. Returns the number. */
export async function resendRuns(
  db: MapleDb,
  handlerId: string,
  { runId, most }: { runId: string | undefined; most: number },
): Promise<number> {
  const { rows } = await sql`
    update maple.cloud_handler_run
    set state = 'queued', attempts = 0, due_at = now(), finished_at = null
    where id in (
      select id from maple.cloud_handler_run
      where handler_id = ${handlerId} and state = 'dead' and program is null
        and ${runId === undefined ? sql`true` : sql`id = ${runId}`}
      order by created_at limit ${sql.lit(most)} for update skip locked)
    returning 1`.execute(db)
  return rows.length
}

/** Marks the handlers whose queues exceed the limit, and unmarks the others. */
export async function markFull(db: MapleDb): Promise<void> {
  const waiting = sql`(select count(*) from (
    select from maple.cloud_handler_run as run
    where run.handler_id = handler.id and run.state = 'queued'
    limit ${sql.lit(maxWaiting)}) as counted)`
  await sql`
    update maple.cloud_handler as handler set is_full = not is_full
    where handler.version is not null and case when is_full
      then ${waiting} < ${sql.lit(maxWaiting / 2)} else ${waiting} >= ${sql.lit(maxWaiting)} end
  `.execute(db)
}

/** Finished deliveries and their logs, in batches. Returns the number. */
export async function deleteOldRuns(db: MapleDb, most: number): Promise<number> {
  const { rows } = await sql`
    delete from maple.cloud_handler_run where id in (
      select id from maple.cloud_handler_run
      where finished_at < now() - make_interval(days => ${keptRunDays}::int)
      order by finished_at limit ${sql.lit(most)})
    returning 1`.execute(db)
  return rows.length
}
