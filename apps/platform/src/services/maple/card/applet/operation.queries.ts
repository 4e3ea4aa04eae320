import { sql } from 'kysely'
import type { AppletInstance, AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  operationSorting,
  type OperationKind,
} from '@grove/contract/maple/card/applet-operation.rules'
import { defineBatch } from '../../../../core/batch/define-batch.ts'
import type { MapleDb } from '../../base/tables.ts'
import { insertTargets } from './target.queries.ts'

export interface OperationInput {
  instances?: AppletInstance[] | undefined
  dapDomainAid?: string | undefined
  /** The domain in whose name it runs. */
  domain?: string | undefined
  tokens?: { command: string; token: string }[] | undefined
}

/** An operation as it is stored; what may be done to it follows from its state. */
export interface OperationRow extends Omit<AppletOperation, 'rights'> {
  serviceId: string | null
  input: OperationInput
}

export const {
  list: operationList,
  find: findOperation,
  lock: lockOperation,
  setJob: setOperationJob,
} = defineBatch<OperationRow, QueryOf<Calls['GET /api/maple/applets/operation']>>({
  table: 'maple.applet_operation',
  list: 'applet operation',
  sorting: operationSorting,
  filters: { applet: (id) => sql`batch.applet_id = ${id}` },
  columns: sql`
    batch.service_id as "serviceId", batch.kind, batch.input, batch.input ->> 'domain' as domain,
    case when approval.id is null then null
      else json_build_object('id', approval.id, 'state', approval.state) end as approval,
    json_build_object('id', applet.id, 'name', applet.name,
      'version', applet.major || '.' || applet.minor) as applet`,
  join: sql`
    join maple.applet as applet on applet.id = batch.applet_id
    left join maple.approval as approval on approval.id = batch.approval_id`,
  sums: ['succeeded', 'unchanged', 'failed'],
  isCancelled: sql`
    (batch.cancelled_at is not null or approval.state in ('refused', 'withdrawn', 'expired'))`,
  isWaiting: sql`(batch.job_id is null and approval.id is not null)`,
})

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
  await insertTargets(db, id, given.cplcs)
  return id
}

/** The request whose approval the operation waits for. */
export async function setOperationApproval(
  db: MapleDb,
  id: string,
  approvalId: string,
): Promise<void> {
  await sql`update maple.applet_operation set approval_id = ${approvalId} where id = ${id}`.execute(
    db,
  )
}

/** Whether the operation ever started. */
export async function hasJob(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.applet_operation where id = ${id} and job_id is not null`.execute(db)
  return rows.length > 0
}

/** Requeues everything that did not succeed; returns the number. */
export async function requeueTargets(db: MapleDb, id: string): Promise<number> {
  const { rows } = await sql`
    update maple.applet_target
    set state = 'waiting', step = null, sent = 0, blocks = 0, findings = '[]', finished_at = null
    where operation_id = ${id} and state not in ('succeeded', 'unchanged')
    returning 1`.execute(db)
  await sql`update maple.applet_operation set failed = 0, cancelled_at = null where id = ${id}`.execute(
    db,
  )
  return rows.length
}
