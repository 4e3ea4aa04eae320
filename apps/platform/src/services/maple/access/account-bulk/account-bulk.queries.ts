import { sql } from 'kysely'
import type { AccountBulk } from '@grove/contract/maple/access/account-bulk'
import type { Actor } from '../../../../core/actor.ts'
import { defineResults } from '../../../../core/batch/define-results.ts'
import { inScope, serviceOf, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

export interface StoredBulk extends AccountBulk {
  actor: Actor
  isCancelled: boolean
}

// A finished job is deleted after some days.
const state = sql`case
  when job.state in ('queued', 'running') and is_cancelled then 'cancelled'
  when is_cancelled and changed + unchanged + refused < total then 'cancelled'
  else coalesce(job.state, 'completed') end`

/** Those of other scopes are invisible. */
export async function findBulk(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<StoredBulk | undefined> {
  const { rows } = await sql<StoredBulk>`
    select bulk.id, change, actor, is_cancelled as "isCancelled", ${state} as state, total, changed,
      unchanged, refused, bulk.created_by as "createdBy", bulk.created_at as "createdAt"
    from maple.account_bulk as bulk left join maple.job as job on job.id = bulk.job_id
    where bulk.id = ${id} and ${inScope(scope, 'bulk.scope')}
  `.execute(db)
  return rows[0]
}

interface NewBulk {
  ids: readonly string[]
  change: object
  actor: Actor
  scope: Scope
}

export async function insertBulk(
  tx: MapleDb,
  { ids, change, actor, scope }: NewBulk,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with bulk as (
      insert into maple.account_bulk (change, actor, scope, total, created_by)
      values (${JSON.stringify(change)}, ${JSON.stringify(actor)}, ${serviceOf(scope)}, ${ids.length},
        ${actor.id})
      returning id
    ),
    items as (
      insert into maple.account_bulk_item (bulk_id, account_id)
      select bulk.id, account_id from bulk, unnest(${ids}::uuid[]) as account_id
    )
    select id from bulk`.execute(tx)
  return rows[0]?.id ?? ''
}

export const setJob = (tx: MapleDb, id: string, jobId: string | null) =>
  sql`update maple.account_bulk set job_id = ${jobId} where id = ${id}`.execute(tx)

export const setCancelled = (db: MapleDb, id: string) =>
  sql`
    update maple.account_bulk set is_cancelled = true
    where id = ${id} and changed + unchanged + refused < total`.execute(db)

export const accountResults = defineResults({
  batch: 'maple.account_bulk',
  table: 'maple.account_bulk_item',
  of: 'bulk_id',
  key: 'account_id',
  type: 'uuid',
})

/** The next unprocessed accounts, by id; none once the change is cancelled. */
export async function lockNext(tx: MapleDb, id: string, limit: number): Promise<string[]> {
  // Locked until the results are written: a cancellation waits, and is then seen.
  const held = await sql`
    select from maple.account_bulk where id = ${id} and not is_cancelled for update`.execute(tx)
  if (held.rows.length === 0) return []
  const { rows } = await accountResults.left(id, limit).execute(tx)
  return rows.map((row) => row.id)
}

export const deleteOldBulks = (db: MapleDb, before: string) =>
  sql`delete from maple.account_bulk where created_at < ${before}`.execute(db)
