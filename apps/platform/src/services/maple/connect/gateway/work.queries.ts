import { sql } from 'kysely'
import { takeCommands, type Outgoing } from '../device-command/device-command.queries.ts'
import { insertSent } from '../device-session/device-session.queries.ts'
import { readDesired, type Desired } from '../device-twin/device-twin.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { Looking } from './device-work.ts'

/**
 * Outgoing messages of devices: marked as sent, and in their session logs, before the bytes are sent.
 */
export async function takeWork(
  db: MapleDb,
  asked: readonly Looking[],
): Promise<{ commands: Outgoing[]; desired: Desired[] }> {
  const wanted = await findWanted(db, asked)
  const waiting = asked.filter(({ deviceId }) => wanted.has(deviceId))
  if (waiting.length === 0) return { commands: [], desired: [] }
  return db.transaction().execute(async (tx) => {
    await holdStreams(
      tx,
      waiting.map(({ deviceId }) => deviceId),
    )
    const commands = await takeCommands(tx, waiting)
    const desired = await readDesired(tx, waiting)
    await insertSent(tx, [
      ...commands.map(({ deviceId, id, name, data }) => ({
        deviceId,
        kind: 'command' as const,
        data: { id, name, d: data },
      })),
      ...desired.map(({ deviceId, version, state }) => ({
        deviceId,
        kind: 'desired' as const,
        data: { version, d: state },
      })),
    ])
    return { commands, desired }
  })
}

/** Devices with possible work: most polls find nothing, and need no transaction. */
async function findWanted(db: MapleDb, asked: readonly Looking[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select given.device_id as id
    from unnest(${asked.map(({ deviceId }) => deviceId)}::text[],
      ${asked.map(({ version }) => version)}::int[], ${asked.map(({ isFirst }) => isFirst)}::bool[])
      as given (device_id, version, is_first)
    where exists (
      select from maple.device_command as open
      where open.device_id = given.device_id and open.state in ('queued', 'sent')
        and (given.is_first or open.state = 'queued')
    ) or exists (
      select from maple.device_twin as twin
      where twin.device_id = given.device_id and twin.desired_version > given.version
    )`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Locked like the intake, and in the same order: the messages of a device then get their ids in
 * commit order, so a reader that follows the log misses none.
 */
const holdStreams = (tx: MapleDb, ids: readonly string[]) =>
  sql`
    select 1 from maple.device_stream where device_id = any(${ids}::text[])
    order by device_id, boot for update`.execute(tx)
