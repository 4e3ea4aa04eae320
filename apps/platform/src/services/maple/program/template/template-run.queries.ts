import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type {
  TemplateCause,
  TemplateRun,
  TemplateTarget,
} from '@grove/contract/maple/program/template'
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
  jobId: string | null
  /** The plan of the approved request. */
  approvedPlan: string | null
}

export const {
  list: runList,
  find: findRun,
  lock: lockRun,
  setJob: setRunJob,
} = defineBatch<RunRow, QueryOf<Calls['GET /api/maple/templates/run']>>({
  table: 'maple.template_run',
  list: 'template run',
  sorting: templateRunSorting,
  filters: { template: (id) => sql`batch.template_id = ${id}` },
  columns: sql`
    batch.service_id as "serviceId", batch.version, batch.input,
    batch.sealed_input as "sealedInput", batch.rights as "rightNames", batch.job_id as "jobId",
    case when approval.id is null then null
      else json_build_object('id', approval.id, 'state', approval.state) end as approval,
    case when approval.state = 'approved' then approval.input ->> 'plan' end as "approvedPlan",
    json_build_object('id', template.id, 'name', template.name) as template`,
  join: sql`
    join maple.template as template on template.id = batch.template_id
    left join maple.approval as approval on approval.id = batch.approval_id`,
  sums: ['succeeded', 'failed'],
  isCancelled: sql`
    (batch.cancelled_at is not null or approval.state in ('refused', 'withdrawn', 'expired'))`,
  isWaiting: sql`(batch.job_id is null and approval.id is not null)`,
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
  columns: {
    step: 'integer',
    cause: 'jsonb',
    rollback: 'jsonb',
    receipts: 'jsonb',
    sessionId: 'text',
  },
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

/** The request whose approval the run waits for. */
export async function setRunApproval(db: MapleDb, id: string, approvalId: string): Promise<void> {
  await sql`update maple.template_run set approval_id = ${approvalId} where id = ${id}`.execute(db)
}

/** The stored values of a run, encrypted. */
export async function sealedInputOf(db: MapleDb, id: string): Promise<string | null> {
  const { rows } = await sql<{ sealedInput: string | null }>`
    select sealed_input as "sealedInput" from maple.template_run where id = ${id}`.execute(db)
  return rows[0]?.sealedInput ?? null
}

/** The elements of a run, in order. */
export async function elementsOfRun(db: MapleDb, id: string): Promise<string[]> {
  const { rows } = await sql<{ cplc: string }>`
    select cplc from maple.template_target where run_id = ${id} order by cplc`.execute(db)
  return rows.map(({ cplc }) => cplc)
}

/** Ends a run that has not started, with the reason on each element. */
export async function refuseRun(tx: MapleDb, id: string, cause: TemplateCause): Promise<void> {
  await cancelWaiting(tx, id)
  await sql`
    update maple.template_target set cause = ${JSON.stringify(cause)}::jsonb
    where run_id = ${id} and state = 'cancelled'`.execute(tx)
}

/** Approved runs that were not started, for `startSignedRun`. */
export async function approvedUnstarted(
  db: MapleDb,
): Promise<{ subject: string; requestedBy: string }[]> {
  const { rows } = await sql<{ subject: string; requestedBy: string }>`
    select run.id as subject, approval.requested_by as "requestedBy"
    from maple.template_run as run
    join maple.approval as approval on approval.id = run.approval_id
    where approval.state = 'approved' and run.job_id is null and run.cancelled_at is null
      and run.sealed_input is not null`.execute(db)
  return rows
}

/** Deletes the values of runs that will never start. */
export async function forgetUnstarted(db: MapleDb): Promise<void> {
  await sql`
    update maple.template_run as run set sealed_input = null
    from maple.approval as approval
    where approval.id = run.approval_id and run.job_id is null and run.sealed_input is not null
      and (run.cancelled_at is not null
        or approval.state in ('refused', 'withdrawn', 'expired'))`.execute(db)
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
