import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type {
  CloudHandler,
  HandlerProgram,
  HandlerVersion,
  OpenCloudHandler,
} from '@grove/contract/maple/program/cloud-handler'
import type { QueryOf } from '@grove/contract/call'
import {
  handlerSorting,
  shownVersions,
  type HandlerState,
} from '@grove/contract/maple/program/handler.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../base/name-key.ts'
import { hookSecretName } from '../secret/secret.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A handler as it is stored; what may be done to it depends on the reader. */
export type HandlerRow = Omit<CloudHandler, 'rights'> & { nameKey: string }
export type OpenHandlerRow = Omit<OpenCloudHandler, 'rights' | 'hookPath'> & {
  nameKey: string
  hookKey: string
  isDisabled: boolean
  draftSha256: string
}

const listed = sql`
  handler.id, handler.name, handler.name_key as "nameKey", handler.service_id as "serviceId",
  handler.state, handler.draft -> 'trigger' as trigger,
  handler.draft_sha256 is distinct from handler.live_sha256 as "isChanged",
  (select json_build_object('version', live.version, 'trigger', live.program -> 'trigger',
      'at', maple.handler_time(live.created_at), 'by', live.created_by)
    from maple.cloud_handler_version as live
    where live.handler_id = handler.id and live.version = handler.version) as deployed,
  handler.next_at as "nextAt", handler.last_run_at as "lastRunAt", handler.failures,
  handler.is_full as "isFull", handler.created_by as "createdBy", handler.revision,
  handler.created_at as "createdAt", handler.updated_at as "updatedAt"`

const opened = sql`${listed}, handler.draft ->> 'code' as code, handler.draft -> 'hosts' as hosts,
  handler.draft -> 'limits' as limits, handler.hook_key as "hookKey",
  handler.is_disabled as "isDisabled", handler.draft_sha256 as "draftSha256",
  exists (select from maple.handler_secret as secret
    where secret.handler_id = handler.id and secret.name = ${hookSecretName()}) as "hasHookSecret"`

type Query = QueryOf<Calls['GET /api/maple/cloud_handlers']>

export const handlerList = defineList({
  name: 'cloud handler',
  sorts: { createdAt: ['created_at', 'timestamp'], name: ['name_key', 'text'] },
  sorting: handlerSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`handler.id = ${id}`,
    state: (state: HandlerState) => sql`handler.state = ${state}`,
    q: (text) => {
      const from = nameKey(text.trim())
      if (from === '') return undefined
      return sql`handler.name_key >= ${from} and handler.name_key < ${`${from}\u{10FFFF}`}`
    },
  },
  keys: (row: HandlerRow, sort) => [sort === 'name' ? row.nameKey : row.createdAt, row.id],
  rows: (
    db: MapleDb,
    { where, orderBy, limit }: ListPage<Query, 'createdAt' | 'name'>,
    scope: Scope,
  ) =>
    sql<HandlerRow>`
      select ${listed} from maple.cloud_handler as handler
      where ${inScope(scope, 'handler.service_id')} and ${where('handler')}
      order by ${orderBy('handler')} limit ${sql.lit(limit)}`.execute(db),
})

export async function findHandler(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<OpenHandlerRow | undefined> {
  const { rows } = await sql<OpenHandlerRow>`
    select ${opened} from maple.cloud_handler as handler
    where handler.id = ${id} and ${inScope(scope, 'handler.service_id')}`.execute(db)
  return rows[0]
}

/** Locks the handler for the transaction. */
export async function lockHandler(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.cloud_handler where id = ${id} for update`.execute(db)
  return findHandler(db, id, scope)
}

export async function hasHandler(db: MapleDb, id: string, scope: Scope): Promise<boolean> {
  const { rows } = await sql`
    select from maple.cloud_handler as handler
    where handler.id = ${id} and ${inScope(scope, 'handler.service_id')}`.execute(db)
  return rows.length > 0
}

/** Waits for another that adds one, so that two do not pass the limit together. */
export async function countHandlers(db: MapleDb, serviceId: string | null): Promise<number> {
  await sql`
    select pg_advisory_xact_lock(hashtext(${`cloud handlers of ${serviceId ?? ''}`}))`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.cloud_handler
    where service_id is not distinct from ${serviceId}`.execute(db)
  return rows[0]?.count ?? 0
}

interface NewHandler {
  serviceId: string | null
  name: string
  draft: HandlerProgram
  sha256: string
  hookKey: string
  createdBy: string
}

export async function insertHandler(db: MapleDb, given: NewHandler): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.cloud_handler
      (service_id, name, name_key, draft, draft_sha256, hook_key, created_by)
    values (${given.serviceId}, ${given.name}, ${nameKey(given.name)},
      ${JSON.stringify(given.draft)}::jsonb, ${given.sha256}, ${given.hookKey}, ${given.createdBy})
    returning id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A handler was not stored.')
  return row.id
}

interface Draft {
  name: string
  draft: HandlerProgram
  sha256: string
  isDisabled: boolean
  /** When its schedule is due next, if it has one and runs. */
  nextAt: string | null
}

export const changeHandler = (db: MapleDb, id: string, given: Draft) =>
  sql`
    update maple.cloud_handler set name = ${given.name}, name_key = ${nameKey(given.name)},
      draft = ${JSON.stringify(given.draft)}::jsonb, draft_sha256 = ${given.sha256},
      is_disabled = ${given.isDisabled}, next_at = ${given.nextAt}::timestamptz,
      revision = revision + 1, updated_at = now()
    where id = ${id}`.execute(db)

interface Deployment {
  version: number
  program: HandlerProgram
  sha256: string
  copyOf: number | null
  createdBy: string
  nextAt: string | null
}

export async function deployHandler(db: MapleDb, id: string, given: Deployment): Promise<void> {
  const { trigger, limits } = given.program
  const event = trigger.type === 'event' ? trigger : null
  await sql`
    insert into maple.cloud_handler_version
      (handler_id, version, program, sha256, copy_of, created_by)
    values (${id}, ${given.version}, ${JSON.stringify(given.program)}::jsonb, ${given.sha256},
      ${given.copyOf}, ${given.createdBy})`.execute(db)
  await sql`
    update maple.cloud_handler set version = ${given.version}, live_sha256 = ${given.sha256},
      live_events = ${event?.events ?? null}::text[], live_kinds = ${event?.kinds ?? null}::text[],
      live_match = ${event ? JSON.stringify(event.match) : null}::jsonb,
      live_attempts = ${limits.attempts}, next_at = ${given.nextAt}::timestamptz, failures = 0,
      revision = revision + 1, updated_at = now()
    where id = ${id}`.execute(db)
}

export const deleteHandler = (db: MapleDb, id: string) =>
  sql`delete from maple.cloud_handler where id = ${id}`.execute(db)

/** The newest first. */
export async function listVersions(db: MapleDb, id: string): Promise<HandlerVersion[]> {
  const { rows } = await sql<HandlerVersion>`
    select version.version, version.sha256, version.version = handler.version as "isDeployed",
      version.copy_of as of, version.created_by as "createdBy", version.created_at as "createdAt"
    from maple.cloud_handler_version as version
    join maple.cloud_handler as handler on handler.id = version.handler_id
    where version.handler_id = ${id}
    order by version.version desc limit ${sql.lit(shownVersions)}`.execute(db)
  return rows
}

export async function findVersion(
  db: MapleDb,
  id: string,
  number: number,
): Promise<(HandlerVersion & { program: HandlerProgram }) | undefined> {
  const { rows } = await sql<HandlerVersion & { program: HandlerProgram }>`
    select version.version, version.sha256, version.version = handler.version as "isDeployed",
      version.copy_of as of, version.created_by as "createdBy", version.created_at as "createdAt",
      version.program
    from maple.cloud_handler_version as version
    join maple.cloud_handler as handler on handler.id = version.handler_id
    where version.handler_id = ${id} and version.version = ${number}`.execute(db)
  return rows[0]
}

export async function lastVersion(db: MapleDb, id: string): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select coalesce(max(version), 0)::int as version from maple.cloud_handler_version
    where handler_id = ${id}`.execute(db)
  return rows[0]?.version ?? 0
}

export interface Hook {
  id: string
  /** Of the deployed version. */
  trigger: HandlerProgram['trigger']
  attempts: number
  isFull: boolean
}

/** Who waits for a webhook at an address: a handler that is deployed so and not disabled. */
export async function findHook(db: MapleDb, hookKey: string): Promise<Hook | undefined> {
  const { rows } = await sql<Hook>`
    select handler.id, live.program -> 'trigger' as trigger, handler.live_attempts as attempts,
      handler.is_full as "isFull"
    from maple.cloud_handler as handler
    join maple.cloud_handler_version as live
      on live.handler_id = handler.id and live.version = handler.version
    left join maple.service as service on service.id = handler.service_id
    where handler.hook_key = ${hookKey} and not handler.is_disabled
      and live.program -> 'trigger' ->> 'type' = 'webhook'
      and coalesce(service.state <> 'suspended', true)`.execute(db)
  return rows[0]
}

export interface DueSchedule {
  id: string
  nextAt: string
  attempts: number
  trigger: HandlerProgram['trigger']
}

/** Due schedules, locked for the transaction. Those of a suspended service provider wait. */
export async function lockDueSchedules(db: MapleDb, limit: number): Promise<DueSchedule[]> {
  const { rows } = await sql<DueSchedule>`
    select handler.id, handler.next_at as "nextAt", handler.live_attempts as attempts,
      live.program -> 'trigger' as trigger
    from maple.cloud_handler as handler
    join maple.cloud_handler_version as live
      on live.handler_id = handler.id and live.version = handler.version
    left join maple.service as service on service.id = handler.service_id
    where handler.next_at <= now() and coalesce(service.state <> 'suspended', true)
    order by handler.next_at limit ${sql.lit(limit)} for update of handler skip locked`.execute(db)
  return rows
}

export const setNextAt = (db: MapleDb, id: string, nextAt: string | null) =>
  sql`update maple.cloud_handler set next_at = ${nextAt}::timestamptz where id = ${id}`.execute(db)
