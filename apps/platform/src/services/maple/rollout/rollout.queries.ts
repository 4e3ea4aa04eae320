import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { Rollout, RolloutGroup, RolloutPlan } from '@grove/contract/maple/rollout/rollout'
import {
  rolloutSearchLimit,
  rolloutSorting,
  type GroupState,
  type PauseReason,
  type RetriedState,
  type RolloutState,
} from '@grove/contract/maple/rollout/rollout.rules'
import { defineOwned } from '../../../core/owned/define-owned.ts'
import type { Scope } from '../../../core/scope.ts'
import type { MapleDb } from '../base/tables.ts'

/** A group as it is stored; its thresholds are in the plan of its rollout. */
export type GroupRow = Omit<
  RolloutGroup,
  'isCanary' | 'pausesAfter' | 'success' | 'errorShare' | 'errorMinimum' | 'mostErrors'
>

/** A rollout as it is stored; what may be done to it follows from its state. */
export interface RolloutRow extends Omit<Rollout, 'rights' | 'groups' | 'isPrepared'> {
  step: 'find' | 'group' | 'run'
  /** Another rollout is yet to find its devices in this one. */
  isSource: boolean
  /** Whether the person who started it has the right to. */
  maySendRaw: boolean
  /** The approved plan, if Grove signs for it. */
  approvedPlan: string | null
  groups: GroupRow[]
}

/** Unapproved rollouts can be changed and started again. */
const state = sql`case
  when rollout.state = 'waiting_for_approval' and exists (
    select from maple.approval as approval where approval.id = rollout.approval_id
      and approval.state in ('refused', 'withdrawn', 'expired')) then 'draft'
  else rollout.state end`

/** Failures from the counters of causes, so that a million devices need not be counted. */
const retries = sql`case when rollout.retries is not null then json_build_object(
    'id', rollout.retries,
    'name', (select origin.name from maple.rollout as origin where origin.id = rollout.retries),
    'state', rollout.retried_state, 'cause', rollout.retried_cause,
    'count', (select coalesce(sum(count), 0) from maple.rollout_cause as known
      where known.rollout_id = rollout.retries
        and known.state in ('failed', 'timed_out')
        and known.state = coalesce(rollout.retried_state, known.state)
        and known.cause = coalesce(rollout.retried_cause, known.cause)))
  end`

const isSource = sql`exists (
    select from maple.rollout as next
    where (next.retries = rollout.id or (next.retries is null and next.rolls_back = rollout.id))
      and next.step = 'find' and next.state not in ('stopped', 'finished'))`

export const groupColumns = sql`
  number, state, is_tolerant as "isTolerant", total, queued, running, succeeded, failed,
  timed_out as "timedOut", cancelled, skipped, started_at as "startedAt", ended_at as "endedAt"`

type Query = QueryOf<Calls['GET /api/maple/rollouts']>
type Ungrouped = Omit<RolloutRow, 'groups'>

export const rollouts = defineOwned<Ungrouped, Query>({
  table: 'maple.rollout',
  list: 'rollout',
  columns: sql`
    rollout.id, rollout.service_id as "serviceId", rollout.name,
    json_build_object('kind', rollout.kind, 'id', rollout.program_id, 'name', rollout.program_name,
      'version', rollout.program_version, 'input', rollout.input) as program,
    rollout.rolls_back as "rollsBack", ${retries} as retries, ${isSource} as "isSource",
    rollout.targets, rollout.plan, ${state} as state,
    rollout.pause_reason as "pauseReason", rollout.step, rollout.approval_id as "approvalId",
    rollout.created_by as "createdBy", rollout.started_at as "startedAt",
    rollout.ended_at as "endedAt", rollout.revision, rollout.created_at as "createdAt",
    rollout.updated_at as "updatedAt", rollout.may_send_raw as "maySendRaw",
    (select approval.input ->> 'plan' from maple.approval as approval
      where approval.id = rollout.approval_id and approval.state = 'approved') as "approvedPlan"`,
  sorting: rolloutSorting,
  filters: {
    state: (wanted) => sql`${state} = ${wanted}`,
    kind: (kind) => sql`rollout.kind = ${kind}`,
    retries: (id) => sql`rollout.retries = ${id}`,
  },
  searchLimit: rolloutSearchLimit,
})

/** One page of the rollouts of a scope with their groups. @throws BadCursorError */
export async function readRollouts(db: MapleDb, query: Query, scope: Scope) {
  const page = await rollouts.list.read(db, query, scope)
  const groups = await groupsOf(
    db,
    page.items.map(({ id }) => id),
  )
  return {
    ...page,
    items: page.items.map((row): RolloutRow => ({ ...row, groups: groups.get(row.id) ?? [] })),
  }
}

async function groupsOf(db: MapleDb, ids: readonly string[]): Promise<Map<string, GroupRow[]>> {
  const { rows } = await sql<GroupRow & { rolloutId: string }>`
    select rollout_id as "rolloutId", ${groupColumns} from maple.rollout_group
    where rollout_id = any(${ids}::uuid[]) order by rollout_id, number`.execute(db)
  const groups = new Map<string, GroupRow[]>()
  for (const { rolloutId, ...group } of rows)
    groups.set(rolloutId, [...(groups.get(rolloutId) ?? []), group])
  return groups
}

/** Those of other scopes are invisible. */
export const findRollout = async (db: MapleDb, id: string, scope: Scope) =>
  withGroups(db, await rollouts.find(db, id, scope))

/** Locks the rollout, and with it its groups and counters, for the transaction. */
export const lockRollout = async (tx: MapleDb, id: string, scope: Scope) =>
  withGroups(tx, await rollouts.lock(tx, id, scope))

async function withGroups(
  db: MapleDb,
  row: Ungrouped | undefined,
): Promise<RolloutRow | undefined> {
  return row && { ...row, groups: (await groupsOf(db, [row.id])).get(row.id) ?? [] }
}

export type StoredRollout = Pick<
  RolloutRow,
  'id' | 'serviceId' | 'name' | 'program' | 'rollsBack' | 'targets' | 'createdBy'
> & { plan: RolloutPlan; retry?: Retry }

export interface Retry {
  of: string
  /** The first rollout of the chain of retries. */
  first: string
  state: RetriedState | null
  cause: string | null
}

const draftOf = ({ name, program, targets, plan }: StoredRollout) => ({
  name,
  kind: program.kind,
  program_id: program.id,
  program_name: program.name,
  program_version: program.version,
  input: JSON.stringify(program.input),
  targets: JSON.stringify(targets),
  plan: JSON.stringify(plan),
})

export const insertRollout = (tx: MapleDb, rollout: StoredRollout) =>
  rollouts.insert(tx, {
    ...draftOf(rollout),
    id: rollout.id,
    service_id: rollout.serviceId,
    rolls_back: rollout.rollsBack,
    created_by: rollout.createdBy,
    retries: rollout.retry?.of ?? null,
    retried_first: rollout.retry?.first ?? null,
    retried_state: rollout.retry?.state ?? null,
    retried_cause: rollout.retry?.cause ?? null,
  })

/** The contents of a draft; a change turns an unapproved rollout into a draft. */
export const updateDraft = (tx: MapleDb, rollout: StoredRollout) =>
  rollouts.update(tx, rollout.id, { ...draftOf(rollout), state: 'draft', approval_id: null })

/** The additional rights of a rollout's programs, taken from the person who starts it. */
export async function storeRights(tx: MapleDb, id: string, maySendRaw: boolean): Promise<void> {
  await sql`update maple.rollout set may_send_raw = ${maySendRaw} where id = ${id}`.execute(tx)
}

interface Move {
  state: RolloutState
  pauseReason?: PauseReason | null
  approvalId?: string
}

export async function moveRollout(tx: MapleDb, id: string, to: Move): Promise<void> {
  const hasEnded = to.state === 'finished' || to.state === 'stopped'
  await sql`
    update maple.rollout set state = ${to.state}, pause_reason = ${to.pauseReason ?? null},
      approval_id = coalesce(${to.approvalId ?? null}, approval_id),
      started_at = case when ${to.state} = 'running' then coalesce(started_at, now())
        else started_at end,
      ended_at = case when ${hasEnded} then now() end,
      revision = revision + 1, updated_at = now()
    where id = ${id}`.execute(tx)
}

export async function insertGroups(
  tx: MapleDb,
  id: string,
  numbers: readonly number[],
): Promise<void> {
  await sql`
    insert into maple.rollout_group (rollout_id, number)
    select ${id}, number from unnest(${numbers}::integer[]) as given (number)
    on conflict do nothing`.execute(tx)
}

export async function moveGroup(
  tx: MapleDb,
  id: string,
  number: number,
  { state: next, isTolerant = false }: { state: GroupState; isTolerant?: boolean },
): Promise<void> {
  const isUnderWay = next === 'running' || next === 'skipping'
  await sql`
    update maple.rollout_group set state = ${next},
      is_tolerant = is_tolerant or ${isTolerant},
      started_at = coalesce(started_at, now()),
      ended_at = case when ${isUnderWay} then null else now() end
    where rollout_id = ${id} and number = ${number}`.execute(tx)
}

export async function readPolicy(db: MapleDb, serviceId: string | null): Promise<boolean> {
  const { rows } = await sql<{ needsApproval: boolean }>`
    select needs_approval as "needsApproval" from maple.rollout_policy
    where service_id = ${serviceId ?? ''}`.execute(db)
  return rows[0]?.needsApproval ?? false
}

export async function storePolicy(tx: MapleDb, serviceId: string | null, needsApproval: boolean) {
  await sql`
    insert into maple.rollout_policy (service_id, needs_approval)
    values (${serviceId ?? ''}, ${needsApproval})
    on conflict (service_id) do update set needs_approval = excluded.needs_approval`.execute(tx)
}

/** Rollouts that a job must drive. */
export async function rolloutsUnderWay(db: MapleDb): Promise<Pick<RolloutRow, 'id'>[]> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.rollout where state in ('ready', 'running', 'stopping')
      or (state = 'paused' and exists (
        select from maple.rollout_group where rollout_id = id and running > 0))`.execute(db)
  return rows
}

/** Reschedules the jobs of rollouts that wait for a later time to this one; locked in one order. */
export async function hastenJobs(
  db: MapleDb,
  keys: readonly string[],
  runAt?: Date,
): Promise<void> {
  await sql`
    update maple.job
    set due_at = least(due_at, coalesce(${runAt?.toISOString() ?? null}::timestamptz, now()))
    where id in (
      select id from maple.job
      where name = 'rollout.run' and key = any(${keys}::text[]) and state = 'queued'
      order by id for update)`.execute(db)
}

/** Devices have joined a group that was over. */
export async function reopenGroup(tx: MapleDb, id: string, number: number): Promise<void> {
  await sql`
    update maple.rollout_group set state = 'running', ended_at = null
    where rollout_id = ${id} and number = ${number} and state = 'finished'`.execute(tx)
}
