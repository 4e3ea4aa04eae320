import { sql } from 'kysely'
import type { AppletFinding, AppletTarget } from '@grove/contract/maple/card/applet-operation'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  targetSorting,
  type OperationStep,
  type TargetState,
} from '@grove/contract/maple/card/applet-operation.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import type { MapleDb } from '../../base/tables.ts'

export const targetList = defineList({
  name: 'applet target',
  sorts: { cplc: ['cplc', 'text'] },
  sorting: targetSorting,
  tiebreak: ['cplc', 'text'],
  keys: ({ cplc }: AppletTarget) => [cplc, cplc],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/applets/operation/{id}/target']>, 'cplc'>,
    operationId: string,
  ) =>
    sql<AppletTarget>`
      select cplc, state, step, sent, blocks, findings, session_id as "sessionId",
        started_at as "startedAt", finished_at as "finishedAt"
      from maple.applet_target as target
      where operation_id = ${operationId} and ${where('target')}
      order by ${orderBy('target')} limit ${sql.lit(limit)}`.execute(db),
})

/** Elements that an interrupted run had started, with their steps. */
export async function startedTargets(
  db: MapleDb,
  id: string,
): Promise<{ cplc: string; step: OperationStep | null }[]> {
  const { rows } = await sql<{ cplc: string; step: OperationStep | null }>`
    select cplc, step from maple.applet_target
    where operation_id = ${id} and state = 'running' order by cplc`.execute(db)
  return rows
}

/**
 * The next element not started. It is selected first: a join may rerun a subquery for each row, and
 * get another one each time.
 */
export async function nextTarget(db: MapleDb, id: string): Promise<{ cplc: string } | undefined> {
  const { rows } = await sql<{ cplc: string }>`
    with next as materialized (
      select cplc from maple.applet_target
      where operation_id = ${id} and state = 'waiting'
      order by cplc limit 1 for update skip locked
    )
    update maple.applet_target as target set state = 'running', started_at = now() from next
    where operation_id = ${id} and target.cplc = next.cplc
    returning target.cplc`.execute(db)
  return rows[0]
}

export interface TargetProgress {
  step?: OperationStep
  sent?: number
  blocks?: number
  sessionId?: string
}

export const setTargetProgress = (
  db: MapleDb,
  id: string,
  cplc: string,
  { step, sent, blocks, sessionId }: TargetProgress,
) =>
  sql`
    update maple.applet_target
    set step = coalesce(${step ?? null}, step), sent = coalesce(${sent ?? null}, sent),
      blocks = coalesce(${blocks ?? null}, blocks),
      session_id = coalesce(${sessionId ?? null}, session_id)
    where operation_id = ${id} and cplc = ${cplc}`.execute(db)

const counterOf: Partial<Record<TargetState, string>> = {
  succeeded: 'succeeded',
  unchanged: 'unchanged',
  refused: 'failed',
  failed: 'failed',
  unknown: 'failed',
}

/** Stores the outcome of an element, and counts it. */
export async function finishTarget(
  tx: MapleDb,
  id: string,
  cplc: string,
  { state: next, findings }: { state: TargetState; findings: readonly AppletFinding[] },
): Promise<void> {
  await sql`
    update maple.applet_target
    set state = ${next}, findings = ${JSON.stringify(findings)}::jsonb, finished_at = now()
    where operation_id = ${id} and cplc = ${cplc}`.execute(tx)
  const counter = counterOf[next]
  if (counter === undefined) return
  const column = sql.ref(counter)
  await sql`
    update maple.applet_operation set ${column} = ${column} + 1 where id = ${id}`.execute(tx)
}
