import { sql } from 'kysely'
import type { MapleDb } from '../base/tables.ts'
import type { ClaimedExecution } from './execution.queries.ts'
import type { StartedDevice } from './program.ts'

export interface StartedExecution extends StartedDevice {
  claim: string
}

/** Devices of a rollout that work on their own. */
export async function startedExecutions(db: MapleDb, id: string): Promise<StartedExecution[]> {
  const { rows } = await sql<StartedExecution>`
    select device_id as "deviceId", claim, start_id as "startId",
      extract(epoch from now() - started_at)::float8 * 1000 as "startedMs"
    from maple.rollout_execution as execution
    where rollout_id = ${id} and state = 'running' and start_id is not null`.execute(db)
  return rows
}

/** Devices that a process claimed but gave no work before it died. */
export async function unstartedExecutions(
  db: MapleDb,
  id: string,
): Promise<(ClaimedExecution & { claim: string })[]> {
  const { rows } = await sql<ClaimedExecution & { claim: string }>`
    select device_id as "deviceId", group_number as "group", attempts, done, claim
    from maple.rollout_execution as execution
    where rollout_id = ${id} and state = 'running' and not exists (
        select from maple.job as job
        where job.id = execution.claim and job.state in ('queued', 'running'))
      and not exists (
        select from maple.device_command as command where command.id = execution.start_id)
    limit 100`.execute(db)
  return rows
}

/** Starts devices that were offline, if they have connected since the last attempt. */
export async function hastenConnected(db: MapleDb, id: string): Promise<void> {
  await sql`
    update maple.rollout_execution as execution set not_before = now()
    from maple.device as device
    join maple.device_presence as presence on presence.device_id = device.id
    where execution.rollout_id = ${id} and execution.state = 'queued'
      and execution.not_before > now() and device.id = execution.device_id
      and device.state = 'online' and presence.connected_at > execution.started_at`.execute(db)
}
