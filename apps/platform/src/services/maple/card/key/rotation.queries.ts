import { sql } from 'kysely'
import type { Rotation } from '@grove/contract/maple/card/key'
import {
  openRotationSteps,
  type KeyDiversification,
  type RotationCause,
  type RotationStep,
} from '@grove/contract/maple/card/key.rules'
import type { MapleDb } from '../../base/tables.ts'

/** Why a rotation is at a step: text for the log, and a code that the console translates. */
export interface RotationNote {
  note: string
  cause: RotationCause
  statusWord?: string
}

/** The source of the new keys. Given keys are stored as the rotation's new set from the start. */
export type StoredTarget =
  | { kind: 'random'; keyLength?: number | undefined }
  | { kind: 'derived'; masterId: string; diversification: KeyDiversification }
  | { kind: 'imported' }

export interface RotationFacts extends Omit<Rotation, 'target'> {
  cplc: string
  /** Null for the first keys of a domain. */
  oldSet: string | null
  newSet: string | null
  target: StoredTarget
}

const columns = sql`
  id, cplc, domain_aid as domain, target, old_set as "oldSet", new_set as "newSet", custody, old_version as "oldVersion",
  new_version as "newVersion", step, journal, created_by as "createdBy", job_id as "jobId",
  created_at as "createdAt", updated_at as "updatedAt"`

export async function findRotation(db: MapleDb, id: string): Promise<RotationFacts | undefined> {
  const { rows } = await sql<RotationFacts>`
    select ${columns} from maple.key_rotation where id = ${id}
  `.execute(db)
  return rows[0]
}

export async function latestRotation(
  db: MapleDb,
  cplc: string,
): Promise<RotationFacts | undefined> {
  const { rows } = await sql<RotationFacts>`
    select ${columns} from maple.key_rotation where cplc = ${cplc}
    order by created_at desc, id limit 1
  `.execute(db)
  return rows[0]
}

/** The rotation of a set that a request led to, so that an interrupted job continues it. */
export async function rotationOfApproval(
  db: MapleDb,
  approvalId: string,
  oldSet: string,
): Promise<RotationFacts | undefined> {
  const { rows } = await sql<RotationFacts>`
    select ${columns} from maple.key_rotation
    where approval_id = ${approvalId} and old_set = ${oldSet}
    order by created_at desc limit 1
  `.execute(db)
  return rows[0]
}

export async function hasOpenRotation(db: MapleDb, cplc: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.key_rotation
    where cplc = ${cplc} and step in (${sql.join(openRotationSteps.map((step) => sql.lit(step)))})
  `.execute(db)
  return rows.length > 0
}

export async function insertRotation(
  db: MapleDb,
  row: Pick<
    RotationFacts,
    | 'id'
    | 'cplc'
    | 'domain'
    | 'oldSet'
    | 'custody'
    | 'oldVersion'
    | 'newVersion'
    | 'target'
    | 'createdBy'
  > & { approvalId: string | null; at: string },
): Promise<void> {
  const journal = JSON.stringify([{ step: 'asked', at: row.at, note: null }])
  await sql`
    insert into maple.key_rotation
      (id, cplc, domain_aid, old_set, custody, old_version, new_version, target, step,
        journal, created_by, approval_id)
    values (${row.id}, ${row.cplc}, ${row.domain}, ${row.oldSet}, ${row.custody},
      ${row.oldVersion}, ${row.newVersion}, ${JSON.stringify(row.target)}::jsonb, 'asked', ${journal}::jsonb, ${row.createdBy}, ${row.approvalId})
  `.execute(db)
}

/** Given keys belong to the rotation from the start. */
export async function setNewSet(db: MapleDb, id: string, newSet: string): Promise<void> {
  await sql`update maple.key_rotation set new_set = ${newSet} where id = ${id}`.execute(db)
}

/**
 * Stores a step if the current one is among those given. False if the rotation is elsewhere: another
 * run of the job is ahead, and its record stays.
 */
export async function writeStep(
  db: MapleDb,
  id: string,
  {
    step,
    from,
    at,
    note,
    newSet,
  }: {
    step: RotationStep
    from: readonly RotationStep[]
    at: string
    note?: RotationNote
    newSet?: string
  },
): Promise<boolean> {
  const entry = JSON.stringify([{ step, at, note: null, ...note }])
  const { rows } = await sql`
    update maple.key_rotation set step = ${step}, journal = journal || ${entry}::jsonb,
      new_set = coalesce(${newSet ?? null}, new_set), updated_at = now()
    where id = ${id} and step = any(${from}::text[])
    returning 1
  `.execute(db)
  return rows.length > 0
}

/** Whether the job of a rotation, or of its request, is running or queued. */
export async function hasLiveJob(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.key_rotation as rotation
    join maple.job as job on job.state in ('queued', 'running') and job.id in (
      rotation.job_id, (select job_id from maple.approval where id = rotation.approval_id)
    )
    where rotation.id = ${id}
  `.execute(db)
  return rows.length > 0
}

export async function setJob(db: MapleDb, id: string, jobId: string | null): Promise<void> {
  await sql`update maple.key_rotation set job_id = ${jobId} where id = ${id}`.execute(db)
}
