import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { TemplateRun, TemplateTarget } from '@grove/contract/maple/program/template'
import {
  templateRunSorting,
  templateTargetSorting,
} from '@grove/contract/maple/program/template.rules'
import { defineBatch } from '../../../../core/batch/define-batch.ts'
import { defineTargets } from '../../../../core/batch/define-targets.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A run as it is stored; what may be done to it follows from its state. */
export interface RunRow extends Omit<TemplateRun, 'rights'> {
  serviceId: string | null
  rightNames: string[]
  sealedInput: string | null
}

export const {
  list: runList,
  find: findRun,
  lock: lockRun,
  setJob: setRunJob,
} = defineBatch<RunRow, QueryOf<Calls['GET /api/maple/templates/run']>>({
  name: 'template run',
  table: 'maple.template_run',
  sorting: templateRunSorting,
  filters: {
    id: (id) => sql`batch.id = ${id}`,
    template: (id) => sql`batch.template_id = ${id}`,
  },
  columns: sql`
    batch.service_id as "serviceId", batch.version, batch.input,
    batch.sealed_input as "sealedInput", batch.rights as "rightNames",
    json_build_object('id', template.id, 'name', template.name) as template`,
  join: sql`join maple.template as template on template.id = batch.template_id`,
  sums: ['succeeded', 'failed'],
  isCancelled: sql`batch.cancelled_at is not null`,
})

export const {
  list: targetList,
  insert: insertTargets,
  started: startedTargets,
  next: nextTarget,
  update: setTargetStep,
  finish: finishTarget,
  cancel: cancelWaiting,
} = defineTargets<TemplateTarget, 'cplc'>({
  name: 'template target',
  batch: 'maple.template_run',
  table: 'maple.template_target',
  of: 'run_id',
  key: 'cplc',
  sorting: templateTargetSorting,
  columns: { step: 'integer', cause: 'jsonb', rollback: 'jsonb', sessionId: 'text' },
  sums: { succeeded: 'succeeded', refused: 'failed', failed: 'failed', unknown: 'failed' },
})

interface NewRun {
  serviceId: string | null
  templateId: string
  version: number
  input: Readonly<Record<string, string>>
  sealedInput: string
  rights: readonly string[]
  cplcs: readonly string[]
  createdBy: string
}

export async function insertRun(db: MapleDb, given: NewRun): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.template_run
      (service_id, template_id, version, input, sealed_input, total, rights, created_by)
    values (${given.serviceId}, ${given.templateId}, ${given.version},
      ${JSON.stringify(given.input)}::jsonb, ${given.sealedInput}, ${given.cplcs.length},
      ${given.rights}::text[], ${given.createdBy})
    returning id`.execute(db)
  const id = rows[0]?.id ?? ''
  await insertTargets(db, id, given.cplcs)
  return id
}

/** Secret values are no longer needed. */
export const forgetInput = (db: MapleDb, id: string) =>
  sql`update maple.template_run set sealed_input = null where id = ${id}`.execute(db)

/** An element of a scope, and whether it is a software card. */
export async function findElementKind(
  db: MapleDb,
  cplc: string,
  scope: Scope,
): Promise<{ isVirtual: boolean } | undefined> {
  const { rows } = await sql<{ isVirtual: boolean }>`
    select exists (select from maple.software_card as card where card.cplc = element.cplc)
      as "isVirtual"
    from maple.element as element
    where element.cplc = ${cplc} and ${inScope(scope, 'element.service_id')}`.execute(db)
  return rows[0]
}
