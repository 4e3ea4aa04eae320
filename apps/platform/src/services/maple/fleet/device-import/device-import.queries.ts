import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type {
  ColumnMapping,
  DeviceImport,
  ImportCounts,
} from '@grove/contract/maple/fleet/device-import'
import type { QueryOf } from '@grove/contract/call'
import {
  importSorting,
  maxImportErrors,
  type ExistingChoice,
  type ImportState,
} from '@grove/contract/maple/fleet/device-import.rules'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import { latestRevert, type BulkFacts } from '../device-bulk/device-bulk.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { InspectedFile } from './inspect-file.ts'
import type { StoredError } from './row-problem.ts'

/** An import as it is stored. */
export interface ImportRow {
  id: string
  state: ImportState
  fileName: string
  sha256: string
  bytes: number
  hasFile: boolean
  file: InspectedFile
  mapping: ColumnMapping[]
  existing: ExistingChoice
  position: number
  nextRow: number
  done: number
  counts: ImportCounts
  checked: ImportCounts | null
  errorsKept: number
  failure: DeviceImport['failure']
  /** Whether the former values of its devices are kept. */
  keepsValues: boolean
  revertedBy: BulkFacts['revertedBy']
  /** The service provider that it is limited to. */
  serviceId: string | null
  createdBy: string | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

// A job ends without its import when its last attempt fails or an admin cancels it.
const state = sql`case
  when import.state in ('checking', 'running') and job.state = 'cancelled' then 'cancelled'
  when import.state in ('checking', 'running') and (job.id is null or job.state = 'failed') then 'failed'
  else import.state end`

export const {
  list: importList,
  find: findImport,
  lock: lockImport,
  select: selectImports,
  delete: deleteImport,
} = defineOwned<ImportRow, QueryOf<Calls['GET /api/maple/device/import']>>({
  table: 'maple.device_import',
  as: 'import',
  list: 'device import',
  columns: sql`
    import.id, ${state} as state, file_name as "fileName", sha256, bytes, has_file as "hasFile", file,
    mapping, existing, position, next_row as "nextRow", done, errors_kept as "errorsKept", checked,
    json_build_object('created', created, 'changed', changed, 'unchanged', unchanged, 'wrong', wrong)
      as counts,
    case when job.state = 'failed' then job.failure ->> 'code' end as failure,
    import.keeps_values as "keepsValues", ${latestRevert('reverts_import', sql`import.id`)},
    import.service_id as "serviceId", import.created_by as "createdBy", import.created_at as "createdAt",
    import.started_at as "startedAt", import.finished_at as "finishedAt"`,
  join: sql`left join maple.job as job on job.id = import.job_id`,
  sorting: importSorting,
})

interface NewImport {
  fileName: string
  sha256: string
  bytes: number
  file: InspectedFile
  mapping: ColumnMapping[]
  existing: ExistingChoice
  createdBy: string
  serviceId: string | null
}

/** Batches of several imports are written one after the other, so that they never meet. */
export const lockMerge = (db: MapleDb) => sql`select pg_advisory_xact_lock(5180013)`.execute(db)

export async function insertImport(db: MapleDb, given: NewImport): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_import
      (state, file_name, sha256, bytes, file, mapping, existing, created_by, service_id)
    values ('uploaded', ${given.fileName}, ${given.sha256}, ${given.bytes},
      ${JSON.stringify(given.file)}::jsonb, ${JSON.stringify(given.mapping)}::jsonb,
      ${given.existing}, ${given.createdBy}, ${given.serviceId})
    returning id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('An insert without a condition answers its row.')
  return row.id
}

/** The last choices for a file with this header, with or without the errors column. */
export async function findChoices(
  db: MapleDb,
  {
    createdBy,
    serviceId,
    headers,
  }: { createdBy: string; serviceId: string | null; headers: readonly (readonly string[])[] },
): Promise<Pick<ImportRow, 'mapping' | 'existing'> | undefined> {
  const { rows } = await sql<Pick<ImportRow, 'mapping' | 'existing'>>`
    select mapping, existing from maple.device_import
    where created_by = ${createdBy} and service_id is not distinct from ${serviceId}
      and checked is not null
      and file -> 'columns' = any(${headers.map((names) => JSON.stringify(names))}::jsonb[])
    order by created_at desc limit 1`.execute(db)
  return rows[0]
}

interface Begin {
  state: 'checking' | 'running'
  jobId: string | null
  position: number
  nextRow: number
}

/** Starts a dry run or an import: nothing is read, counted or wrong yet. */
export async function beginImport(db: MapleDb, id: string, begin: Begin): Promise<void> {
  await sql`delete from maple.device_import_error where import_id = ${id}`.execute(db)
  await sql`
    update maple.device_import
    set state = ${begin.state}, job_id = coalesce(${begin.jobId}, job_id),
      position = ${begin.position}, next_row = ${begin.nextRow}, done = 0, created = 0, changed = 0,
      unchanged = 0, wrong = 0, errors_kept = 0, finished_at = null, touched_at = now(),
      started_at = case when ${begin.state} = 'running' then now() else started_at end
    where id = ${id}`.execute(db)
}

export const setMapping = (
  db: MapleDb,
  id: string,
  { mapping, existing }: Pick<ImportRow, 'mapping' | 'existing'>,
) =>
  sql`
    update maple.device_import
    set mapping = ${JSON.stringify(mapping)}::jsonb, existing = ${existing}, checked = null
    where id = ${id}`.execute(db)

export const setState = (db: MapleDb, id: string, next: ImportState) =>
  sql`
    update maple.device_import
    set state = ${next}, touched_at = now(),
      finished_at = case when ${next} in ('completed', 'cancelled', 'failed') then now() end
    where id = ${id}`.execute(db)

/** Ends a dry run with its counts. */
export const setChecked = (db: MapleDb, id: string) =>
  sql`
    update maple.device_import
    set state = 'checked', touched_at = now(), checked = json_build_object(
      'created', created, 'changed', changed, 'unchanged', unchanged, 'wrong', wrong)
    where id = ${id}`.execute(db)

/** What the transaction of a batch adds. */
export interface Step extends ImportCounts {
  position: number
  nextRow: number
  done: number
  errors: readonly StoredError[]
}

export async function addStep(db: MapleDb, id: string, step: Step, kept: number): Promise<void> {
  const errors = step.errors.slice(0, Math.max(0, maxImportErrors - kept))
  if (errors.length > 0)
    await sql`
      insert into maple.device_import_error (import_id, row, column_name, code, value, params)
      select ${id}, row, "column", code, value, params
      from jsonb_to_recordset(${JSON.stringify(errors)}::jsonb)
        as error (row bigint, "column" text, code text, value text, params jsonb)`.execute(db)
  await sql`
    update maple.device_import
    set position = ${step.position}, next_row = ${step.nextRow}, done = ${step.done},
      created = created + ${step.created}, changed = changed + ${step.changed},
      unchanged = unchanged + ${step.unchanged}, wrong = wrong + ${step.wrong},
      errors_kept = errors_kept + ${errors.length}
    where id = ${id}`.execute(db)
}

export async function readErrors(
  db: MapleDb,
  id: string,
  { limit, after }: { limit: number; after?: { row: number; id: number } | undefined },
): Promise<(StoredError & { id: number })[]> {
  const { rows } = await sql<StoredError & { id: number }>`
    select id, row, column_name as "column", code, value, params from maple.device_import_error
    where import_id = ${id}
      and ${after ? sql`(row, id) > (${after.row}, ${after.id})` : sql`true`}
    order by row, id limit ${limit}`.execute(db)
  return rows
}

/** The stored errors by message and place, most frequent first. */
export async function groupErrors(
  db: MapleDb,
  id: string,
): Promise<(StoredError & { count: number })[]> {
  const { rows } = await sql<StoredError & { count: number }>`
    select code, column_name as "column", count(*) as count, min(row) as row,
      (array_agg(value order by row, id))[1] as value,
      (array_agg(params order by row, id))[1] as params
    from maple.device_import_error where import_id = ${id}
    group by code, column_name order by count desc, code, column_name`.execute(db)
  return rows
}

export const forgetRepeats = (db: MapleDb, id: string) =>
  sql`delete from maple.device_import_repeat where import_id = ${id}`.execute(db)

/** Removes the ids and chips of a check; immediately if it is the only one. */
export async function forgetKeys(db: MapleDb, id: string): Promise<void> {
  const isAlone = await db.transaction().execute(async (tx) => {
    await sql`lock table maple.device_import_key in access exclusive mode`.execute(tx)
    const { rows } = await sql`
      select from maple.device_import where state = 'checking' and id <> ${id} limit 1`.execute(tx)
    if (rows.length === 0) await sql`truncate maple.device_import_key`.execute(tx)
    return rows.length === 0
  })
  if (isAlone) return
  for (;;) {
    const { rows } = await sql`
      delete from maple.device_import_key where ctid = any(array(
        select ctid from maple.device_import_key where import_id = ${id} limit 20000))
      returning 1`.execute(db)
    if (rows.length === 0) return
  }
}

/**
 * Imports that no longer need their file: finished or abandoned, or with failed rows that nobody
 * corrected.
 */
export const findForgotten = (db: MapleDb, days: number) =>
  selectImports(
    db,
    sql`where has_file and (
      import.state in ('cancelled', 'failed') or (import.state = 'completed' and wrong = 0)
      or (touched_at < now() - make_interval(days => ${days})
        and (job.id is null or job.state not in ('queued', 'running'))))
    order by import.created_at limit 100`,
  )

const itemsAtOnce = 10_000

/** Deletes some former values of imports older than a given time; false if there are none. */
export async function deleteOldValues(db: MapleDb, before: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.device_import
    where keeps_values and created_at < ${before} and state in ('completed', 'cancelled', 'failed')
    order by created_at limit 1`.execute(db)
  const [old] = rows
  if (!old) return false
  await sql`
    delete from maple.device_import_item where ctid = any(array(
      select ctid from maple.device_import_item where import_id = ${old.id}
      limit ${sql.lit(itemsAtOnce)}))`.execute(db)
  await sql`
    update maple.device_import set keeps_values = false where id = ${old.id}
      and not exists (select from maple.device_import_item where import_id = ${old.id})`.execute(db)
  return true
}

export const releaseFile = (db: MapleDb, id: string) =>
  sql`update maple.device_import set has_file = false where id = ${id}`.execute(db)
