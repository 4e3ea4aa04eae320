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
  name: 'applet operation',
  table: 'maple.applet_operation',
  sorting: operationSorting,
  filters: {
    id: (id) => sql`batch.id = ${id}`,
    applet: (id) => sql`batch.applet_id = ${id}`,
  },
  columns: sql`
    batch.service_id as "serviceId", batch.kind, batch.input,
    json_build_object('id', applet.id, 'name', applet.name,
      'version', applet.major || '.' || applet.minor) as applet`,
  join: sql`join maple.applet as applet on applet.id = batch.applet_id`,
  sums: ['succeeded', 'unchanged', 'failed'],
  isCancelled: sql`batch.cancelled_at is not null`,
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
