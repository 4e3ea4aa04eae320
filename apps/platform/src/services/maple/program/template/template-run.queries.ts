import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { TemplateRun, TemplateTarget } from '@grove/contract/maple/program/template'
import {
  templateRunSorting,
  templateTargetSorting,
} from '@grove/contract/maple/program/template.rules'
import type { TemplateTargetState } from '@grove/contract/maple/program/template-run.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { ElementOutcome } from './run-on-element.ts'

/** A run as it is stored; what may be done to it follows from its state. */
export interface RunRow extends Omit<TemplateRun, 'rights'> {
  serviceId: string | null
  rightNames: string[]
  sealedInput: string | null
}

// A finished job is deleted after some days.
const state = sql`case
  when job.state in ('queued', 'running', 'failed', 'cancelled') then job.state
  when run.cancelled_at is not null then 'cancelled'
  else 'completed' end`
const columns = sql`
  run.id, run.service_id as "serviceId", run.version, run.input,
  run.sealed_input as "sealedInput", run.rights as "rightNames",
  json_build_object('id', template.id, 'name', template.name) as template,
  ${state} as state, run.total, run.succeeded, run.failed,
  run.created_by as "createdBy", run.created_at as "createdAt"`
const runs = sql`
  maple.template_run as run
  join maple.template as template on template.id = run.template_id
  left join maple.job as job on job.id = run.job_id`

export const runList = defineList({
  name: 'template run',
  sorts: { createdAt: ['created_at', 'timestamp'] },
  sorting: templateRunSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`run.id = ${id}`,
    template: (id) => sql`run.template_id = ${id}`,
  },
  keys: ({ createdAt, id }: RunRow) => [createdAt, id],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/templates/run']>, 'createdAt'>,
    scope: Scope,
  ) =>
    sql<RunRow>`
      select ${columns} from ${runs}
      where ${inScope(scope, 'run.service_id')} and ${where('run')}
      order by ${orderBy('run')} limit ${sql.lit(limit)}`.execute(db),
})

export async function findRun(db: MapleDb, id: string, scope: Scope): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    select ${columns} from ${runs}
    where run.id = ${id} and ${inScope(scope, 'run.service_id')}`.execute(db)
  return rows[0]
}

/** Locks the run for the transaction. */
export async function lockRun(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.template_run where id = ${id} for update`.execute(db)
  return findRun(db, id, scope)
}

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
  await sql`
    insert into maple.template_target (run_id, cplc)
    select ${id}, cplc from unnest(${given.cplcs}::text[]) as given (cplc)`.execute(db)
  return id
}

export const setRunJob = (db: MapleDb, id: string, jobId: string | null) =>
  sql`update maple.template_run set job_id = ${jobId} where id = ${id}`.execute(db)

/** Secret values are no longer needed. */
export const forgetInput = (db: MapleDb, id: string) =>
  sql`update maple.template_run set sealed_input = null where id = ${id}`.execute(db)

/** Elements not started stay unchanged. */
export async function cancelWaiting(db: MapleDb, id: string): Promise<void> {
  await sql`update maple.template_run set cancelled_at = now() where id = ${id}`.execute(db)
  await sql`
    update maple.template_target set state = 'cancelled', finished_at = now()
    where run_id = ${id} and state = 'waiting'`.execute(db)
}

export const targetList = defineList({
  name: 'template target',
  sorts: { cplc: ['cplc', 'text'] },
  sorting: templateTargetSorting,
  tiebreak: ['cplc', 'text'],
  keys: ({ cplc }: TemplateTarget) => [cplc, cplc],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/templates/run/{id}/target']>, 'cplc'>,
    runId: string,
  ) =>
    sql<TemplateTarget>`
      select cplc, state, step, cause, rollback, session_id as "sessionId",
        started_at as "startedAt", finished_at as "finishedAt"
      from maple.template_target as target
      where run_id = ${runId} and ${where('target')}
      order by ${orderBy('target')} limit ${sql.lit(limit)}`.execute(db),
})

interface BegunTarget {
  cplc: string
  /** The step that a killed process was at. */
  step: number | null
  sessionId: string | null
}

/** Elements that an interrupted run had started. */
export async function begunTargets(db: MapleDb, id: string): Promise<BegunTarget[]> {
  const { rows } = await sql<BegunTarget>`
    select cplc, step, session_id as "sessionId" from maple.template_target
    where run_id = ${id} and state = 'running' order by cplc`.execute(db)
  return rows
}

/** The next element not started. */
export async function nextTarget(db: MapleDb, id: string): Promise<BegunTarget | undefined> {
  const { rows } = await sql<BegunTarget>`
    with next as materialized (
      select cplc from maple.template_target
      where run_id = ${id} and state = 'waiting'
      order by cplc limit 1 for update skip locked
    )
    update maple.template_target as target set state = 'running', started_at = now() from next
    where run_id = ${id} and target.cplc = next.cplc
    returning target.cplc, target.step, target.session_id as "sessionId"`.execute(db)
  return rows[0]
}

export const setTargetStep = (
  db: MapleDb,
  id: string,
  cplc: string,
  { step, sessionId }: { step?: number; sessionId?: string },
) =>
  sql`
    update maple.template_target
    set step = coalesce(${step ?? null}::integer, step),
      session_id = coalesce(${sessionId ?? null}, session_id)
    where run_id = ${id} and cplc = ${cplc}`.execute(db)

/** Stores the outcome of an element, and counts it. */
export async function finishTarget(
  tx: MapleDb,
  id: string,
  cplc: string,
  { state: next, step, cause, rollback, sessionId }: ElementOutcome,
): Promise<void> {
  const stored = next satisfies TemplateTargetState
  await sql`
    update maple.template_target
    set state = ${stored}, step = ${step}::integer, cause = ${json(cause)}::jsonb,
      rollback = ${json(rollback)}::jsonb, session_id = ${sessionId}, finished_at = now()
    where run_id = ${id} and cplc = ${cplc}`.execute(tx)
  const column = sql.ref(next === 'succeeded' ? 'succeeded' : 'failed')
  await sql`
    update maple.template_run set ${column} = ${column} + 1 where id = ${id}`.execute(tx)
}

const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

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

/** Which of these elements are in a scope. */
export async function elementsInScope(
  db: MapleDb,
  cplcs: readonly string[],
  scope: Scope,
): Promise<Set<string>> {
  const { rows } = await sql<{ cplc: string }>`
    select cplc from maple.element as element
    where cplc = any(${cplcs}::text[]) and ${inScope(scope, 'element.service_id')}`.execute(db)
  return new Set(rows.map(({ cplc }) => cplc))
}
