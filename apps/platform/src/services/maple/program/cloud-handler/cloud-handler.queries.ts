import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type {
  CloudHandler,
  HandlerProgram,
  OpenCloudHandler,
} from '@grove/contract/maple/program/cloud-handler'
import type { QueryOf } from '@grove/contract/call'
import { handlerSorting, type HandlerState } from '@grove/contract/maple/program/handler.rules'
import { definePrograms } from '../../../../core/program/define-programs.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { hookSecretName } from '../secret/secret.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A handler as it is stored; what may be done to it depends on the reader. */
export type HandlerRow = Omit<CloudHandler, 'rights'> & { version: number | null }
export type OpenHandlerRow = Omit<OpenCloudHandler, 'rights' | 'hookPath'> & {
  version: number | null
  hookKey: string
  isDisabled: boolean
  draftSha256: string
}
type Query = QueryOf<Calls['GET /api/maple/cloud_handlers']>

export const cloudHandlers = definePrograms<
  HandlerRow,
  OpenHandlerRow,
  { program: HandlerProgram },
  Query
>({
  table: 'maple.cloud_handler',
  list: 'cloud handler',
  listed: sql`
    program.state, program.draft -> 'trigger' as trigger,
    (select json_build_object('version', live.version, 'trigger', live.program -> 'trigger',
        'at', maple.handler_time(live.created_at), 'by', live.created_by)
      from maple.cloud_handler_version as live
      where live.handler_id = program.id and live.version = program.version) as deployed,
    program.next_at as "nextAt", program.last_run_at as "lastRunAt", program.failures,
    program.is_full as "isFull"`,
  opened: sql`
    program.draft ->> 'code' as code, program.draft -> 'hosts' as hosts,
    program.draft -> 'limits' as limits, program.hook_key as "hookKey",
    program.is_disabled as "isDisabled", program.draft_sha256 as "draftSha256",
    exists (select from maple.handler_secret as secret
      where secret.handler_id = program.id and secret.name = ${hookSecretName()}) as "hasHookSecret"`,
  sorting: handlerSorting,
  filters: { state: (state: HandlerState) => sql`program.state = ${state}` },
  versions: {
    content: { program: 'jsonb' },
    sorting: { by: ['number'], default: 'number', order: 'desc' },
    hash: ({ program }) => hashOf(program),
    ownerColumn: 'handler_id',
    hashColumn: 'live_sha256',
    columns: {
      number: 'version',
      note: null,
      restoredFrom: 'copy_of',
      publishedBy: 'created_by',
      publishedAt: 'created_at',
    },
  },
})

/** Canonical order of its parts. */
export const hashOf = ({ trigger, code, hosts, limits }: HandlerProgram): string =>
  createHash('sha256')
    .update(JSON.stringify([sorted(trigger), code, hosts, sorted(limits)]))
    .digest('hex')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([name, child]) => [name, sorted(child)])
}

export async function hasHandler(db: MapleDb, id: string, scope: Scope): Promise<boolean> {
  const { rows } = await sql`
    select from maple.cloud_handler as handler
    where handler.id = ${id} and ${inScope(scope, 'handler.service_id')}`.execute(db)
  return rows.length > 0
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
