import { sql } from 'kysely'
import type { MapleDb } from '../base/tables.ts'
import { keyOf } from './wake-rollout.ts'
import { hastenJobs } from './rollout.queries.ts'

/**
 * Makes rollouts that wait for these devices try them now. Rows locked by another process are being
 * changed anyway. True if there are any, so that a runner polls.
 */
export async function wakeAwaited(db: MapleDb, deviceIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with held as (
      select rollout_id, device_id from maple.rollout_execution
      where device_id = any(${deviceIds}::text[]) and state = 'queued' and attempts > 0
        and not_before > now()
      for update skip locked
    ), due as (
      update maple.rollout_execution as execution set not_before = now() from held
      where execution.rollout_id = held.rollout_id and execution.device_id = held.device_id
      returning execution.rollout_id as id
    )
    select distinct id from due`.execute(db)
  if (rows.length === 0) return false
  // A separate statement: a waiting run polls again once its next one is written.
  await hastenJobs(
    db,
    rows.map(({ id }) => keyOf({ id, lane: 0 })),
  )
  return true
}
