import { sql } from 'kysely'
import type { AppletInstance, AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  operationSorting,
  type OperationKind,
} from '@grove/contract/maple/card/applet-operation.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

export interface OperationInput {
  instances?: AppletInstance[] | undefined
  dapDomainAid?: string | undefined
}

/** An operation as it is stored; what may be done to it follows from its state. */
export interface OperationRow extends Omit<AppletOperation, 'rights'> {
  serviceId: string | null
  input: OperationInput
}

// A finished job is deleted after some days.
const state = sql`case
  when job.state in ('queued', 'running', 'failed', 'cancelled') then job.state
  when operation.cancelled_at is not null then 'cancelled'
  else 'completed' end`
const columns = sql`
  operation.id, operation.service_id as "serviceId", operation.kind, operation.input,
  json_build_object('id', applet.id, 'name', applet.name,
    'version', applet.major || '.' || applet.minor) as applet,
  ${state} as state, operation.total, operation.succeeded, operation.unchanged, operation.failed,
  operation.created_by as "createdBy", operation.created_at as "createdAt"`
const operations = sql`
  maple.applet_operation as operation
  join maple.applet as applet on applet.id = operation.applet_id
  left join maple.job as job on job.id = operation.job_id`

export const operationList = defineList({
  name: 'applet operation',
  sorts: { createdAt: ['created_at', 'timestamp'] },
  sorting: operationSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`operation.id = ${id}`,
    applet: (id) => sql`operation.applet_id = ${id}`,
  },
  keys: ({ createdAt, id }: OperationRow) => [createdAt, id],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/applets/operation']>, 'createdAt'>,
    scope: Scope,
  ) =>
    sql<OperationRow>`
      select ${columns} from ${operations}
      where ${inScope(scope, 'operation.service_id')} and ${where('operation')}
      order by ${orderBy('operation')} limit ${sql.lit(limit)}`.execute(db),
})

export async function findOperation(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<OperationRow | undefined> {
  const { rows } = await sql<OperationRow>`
    select ${columns} from ${operations}
    where operation.id = ${id} and ${inScope(scope, 'operation.service_id')}`.execute(db)
  return rows[0]
}

/** Locks the operation for the transaction. */
export async function lockOperation(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.applet_operation where id = ${id} for update`.execute(db)
  return findOperation(db, id, scope)
}

interface NewOperation {
  serviceId: string | null
  appletId: string
  kind: OperationKind
  input: OperationInput
  cplcs: readonly string[]
  createdBy: string
}

export async function insertOperation(db: MapleDb, given: NewOperation): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.applet_operation (service_id, applet_id, kind, input, total, created_by)
    values (${given.serviceId}, ${given.appletId}, ${given.kind},
      ${JSON.stringify(given.input)}::jsonb, ${given.cplcs.length}, ${given.createdBy})
    returning id`.execute(db)
  const id = rows[0]?.id ?? ''
  await sql`
    insert into maple.applet_target (operation_id, cplc)
    select ${id}, cplc from unnest(${given.cplcs}::text[]) as given (cplc)`.execute(db)
  return id
}

export const setOperationJob = (db: MapleDb, id: string, jobId: string | null) =>
  sql`
    update maple.applet_operation set job_id = ${jobId}, cancelled_at = null
    where id = ${id}`.execute(db)

/** Elements not started stay unchanged. */
export async function cancelWaiting(db: MapleDb, id: string): Promise<void> {
  await sql`update maple.applet_operation set cancelled_at = now() where id = ${id}`.execute(db)
  await sql`
    update maple.applet_target set state = 'cancelled', finished_at = now()
    where operation_id = ${id} and state = 'waiting'`.execute(db)
}

/** Requeues everything that did not succeed; returns the number. */
export async function requeueTargets(db: MapleDb, id: string): Promise<number> {
  const { rows } = await sql`
    update maple.applet_target
    set state = 'waiting', step = null, sent = 0, blocks = 0, findings = '[]', finished_at = null
    where operation_id = ${id} and state not in ('succeeded', 'unchanged')
    returning 1`.execute(db)
  await sql`update maple.applet_operation set failed = 0 where id = ${id}`.execute(db)
  return rows.length
}
