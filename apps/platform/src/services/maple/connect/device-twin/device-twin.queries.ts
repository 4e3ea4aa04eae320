import { sql } from 'kysely'
import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { maxReportedLength } from '@grove/contract/maple/connect/device-twin.rules'
import {
  deepestState,
  isDeeperThan,
  isState,
  mergePatch,
} from '@grove/contract/maple/base/json-state.rules'
import type { MapleDb } from '../../base/tables.ts'

export type TwinFacts = Omit<DeviceTwin, 'difference' | 'rights'> & {
  /** The version that last changed each key. */
  desiredKeys: Record<string, number>
}

const isUndelivered = sql`undelivered_version = desired_version and desired_version > 0`
const columns = sql<TwinFacts>`
  device_id as "deviceId", desired, desired_version as "desiredVersion",
  desired_keys as "desiredKeys", desired_at as "desiredAt", desired_by as "desiredBy", reported,
  reported_version as "reportedVersion", reported_at as "reportedAt",
  reported_problem as "reportedProblem", answered_version as "answeredVersion",
  answered_at as "answeredAt", refused,
  case when ${isUndelivered} and answered_version < desired_version then 'too_long' end
    as "desiredProblem"`

export async function findTwin(db: MapleDb, deviceId: string): Promise<TwinFacts | undefined> {
  const { rows } = await sql<TwinFacts>`
    select ${columns} from maple.device_twin where device_id = ${deviceId}`.execute(db)
  return rows[0]
}

/** Locks the twin of a device, creating it if necessary. */
export async function lockTwin(tx: MapleDb, deviceId: string): Promise<TwinFacts> {
  const [twin] = await lockTwins(tx, [deviceId])
  if (!twin) throw new Error('A twin was not stored.')
  return twin
}

/** In one order, so that a transaction with several waits instead of blocking others. */
async function lockTwins(tx: MapleDb, ids: readonly string[]): Promise<TwinFacts[]> {
  const ordered = ids.toSorted()
  await sql`
    insert into maple.device_twin (device_id) select id from maple.device
    where id = any(${ordered}::text[])
      and not exists (select from maple.device_twin where device_id = id)
    order by id on conflict do nothing`.execute(tx)
  const { rows } = await sql<TwinFacts>`
    select ${columns} from maple.device_twin where device_id = any(${ordered}::text[])
    order by device_id for update`.execute(tx)
  return rows
}

export async function updateDesired(
  tx: MapleDb,
  {
    deviceId,
    desired,
    desiredVersion,
    desiredKeys,
    desiredBy,
  }: Pick<TwinFacts, 'deviceId' | 'desired' | 'desiredVersion' | 'desiredKeys' | 'desiredBy'>,
): Promise<void> {
  await sql`
    update maple.device_twin set desired = ${JSON.stringify(desired)}::json,
      desired_version = ${desiredVersion}, desired_keys = ${JSON.stringify(desiredKeys)}::jsonb,
      desired_at = now(), desired_by = ${desiredBy}
    where device_id = ${deviceId}`.execute(tx)
}

/** The desired state of a device. */
export interface Desired {
  deviceId: string
  version: number
  state: Record<string, unknown>
  /** It exceeds the device's maximum message length. */
  isUndelivered: boolean
}

/** The desired states of devices that do not have them yet. */
export async function readDesired(
  db: MapleDb,
  known: readonly { deviceId: string; version: number }[],
): Promise<Desired[]> {
  const { rows } = await sql<Desired>`
    select twin.device_id as "deviceId", twin.desired_version as version, twin.desired as state,
      ${isUndelivered} as "isUndelivered"
    from unnest(${known.map(({ deviceId }) => deviceId)}::text[],
      ${known.map(({ version }) => version)}::int[]) as given (device_id, version)
    join maple.device_twin as twin on twin.device_id = given.device_id
    where twin.desired_version > given.version`.execute(db)
  return rows
}

/**
 * Records whether the device accepts a message as long as its desired state, unless that has changed.
 */
export async function markDesired(
  db: MapleDb,
  { deviceId, version, isTaken }: { deviceId: string; version: number; isTaken: boolean },
): Promise<void> {
  await sql`
    update maple.device_twin set undelivered_version = ${isTaken ? 0 : version}
    where device_id = ${deviceId} and desired_version = ${version}`.execute(db)
}

/** Devices whose desired state was changed in the last minute. */
export async function devicesWithNewDesired(db: MapleDb, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select device_id as id from maple.device_twin
    where desired_at > now() - interval '1 minute' order by desired_at desc limit ${most}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The reported state of a device. */
export interface Report {
  deviceId: string
  change: Record<string, unknown>
  /** The desired version that it answers. */
  version: number | undefined
  refused: Record<string, string>
}

/** Stores reports, in order. An answer to an older version than the newest answered is outdated. */
export async function storeReports(tx: MapleDb, reports: readonly Report[]): Promise<void> {
  const twins = await lockTwins(tx, [...new Set(reports.map(({ deviceId }) => deviceId))])
  const changed = twins.map((twin) =>
    reports
      .filter(({ deviceId }) => deviceId === twin.deviceId)
      .reduce<ReportedState>((state, report) => afterReport(state, report), {
        deviceId: twin.deviceId,
        reported: twin.reported,
        problem: null,
        answered: twin.answeredVersion,
        hasAnswered: false,
        desiredVersion: twin.desiredVersion,
        refused: twin.refused,
      }),
  )
  await sql`
    update maple.device_twin as twin
    set reported = given.reported::json, reported_version = reported_version + 1,
      reported_at = now(), reported_problem = given.problem, answered_version = given.answered,
      answered_at = case when given.has_answered then now() else answered_at end,
      refused = given.refused::json
    from unnest(${changed.map(({ deviceId }) => deviceId)}::text[],
      ${changed.map(({ reported }) => JSON.stringify(reported))}::text[],
      ${changed.map(({ problem }) => problem)}::text[],
      ${changed.map(({ answered }) => answered)}::int[],
      ${changed.map(({ hasAnswered }) => hasAnswered)}::bool[],
      ${changed.map(({ refused }) => JSON.stringify(refused))}::text[])
      as given (device_id, reported, problem, answered, has_answered, refused)
    where twin.device_id = given.device_id`.execute(tx)
}

interface ReportedState {
  deviceId: string
  reported: Record<string, unknown>
  problem: DeviceTwin['reportedProblem']
  answered: number
  hasAnswered: boolean
  desiredVersion: number
  refused: Record<string, string>
}

function afterReport(state: ReportedState, { change, version, refused }: Report): ReportedState {
  const merged = mergePatch(state.reported, change)
  const problem =
    !isState(merged) || isDeeperThan(deepestState, merged)
      ? 'too_deep'
      : Buffer.byteLength(JSON.stringify(merged)) > maxReportedLength
        ? 'too_long'
        : null
  const kept = problem === null && isState(merged) ? merged : state.reported
  // A version that was never desired is unknown to the device too.
  const isAnswer =
    version !== undefined && version >= state.answered && version <= state.desiredVersion
  return {
    ...state,
    reported: kept,
    problem: problem ?? state.problem,
    ...(isAnswer && { answered: version, hasAnswered: true, refused }),
  }
}
