import { setTimeout as wait } from 'node:timers/promises'
import { bulkResultDays } from '@grove/contract/maple/base/bulk.rules'
import { JobError, type JobDefinition, type JobRun } from '../../../../core/jobs/define-jobs.ts'
import { everything, scopeOfService } from '../../../../core/scope.ts'
import { tidyTables } from '../device/device-import.queries.ts'
import { fairLine } from '../../../../core/sandbox/fair-line.ts'
import { importEvents, type FleetContext } from '../context.ts'
import type { MapleTables } from '../../base/tables.ts'
import { ownerOf } from '../../base/job-turn.ts'
import * as queries from './device-import.queries.ts'
import { removeFile } from './import-file.ts'
import type { ImportBatch } from './import-batch.ts'
import {
  addKeys,
  ChangedMeanwhileError,
  mergeDevices,
  previewMerge,
  setPlanner,
  type Merged,
} from './merge-devices.queries.ts'
import { eachAhead, readBatches } from './read-batches.ts'

export interface ImportInput {
  id: string
  actor: { id: string; origin: { requestId: string; ip: string; userAgent: string } }
}

/** The import was cancelled, or another process continues it. */
class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/**
 * Concurrent batches of all imports. Service providers take turns per batch, so a short file does not
 * wait for a long one.
 */
const inLine = fairLine({ most: 2, maxOfOwner: 1, maxWaiting: Infinity, maxAway: 0 })

/** Reads a file in batches, each with the place that it ends at in one transaction. */
export const importJob: JobDefinition<FleetContext, ImportInput> = {
  // Each for another owner: the queue decides who runs concurrently.
  atOnce: 8,
  maxOfOwner: 1,
  maxAttempts: 5,
  run: async (context, input, run) => {
    const found = await queries.findImport(context.db, input.id, everything)
    if (!found || (found.state !== 'checking' && found.state !== 'running')) return
    // A check writes nothing, and what it stored may be gone: it starts again.
    if (found.state === 'checking') await restartCheck(context, found)
    const started = await queries.findImport(context.db, input.id, everything)
    if (!started) return
    try {
      await readFile(context, input, started, run)
      await finish(context, input, started)
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  },
}

async function restartCheck({ db }: FleetContext, { id, file }: queries.ImportRow): Promise<void> {
  await queries.forgetKeys(db, id)
  await db.transaction().execute(async (tx) => {
    const locked = await queries.lockImport(tx, id, everything)
    if (locked?.state !== 'checking') return
    await queries.forgetRepeats(tx, id)
    const begin = { state: 'checking', jobId: null, position: file.at, nextRow: file.row } as const
    await queries.beginImport(tx, id, begin)
  })
}

async function readFile(
  context: FleetContext,
  input: ImportInput,
  started: queries.ImportRow,
  { signal, progress }: JobRun,
): Promise<void> {
  const object = await context.objects.read(started.sha256)
  if (!object) throw new JobError('file_damaged', 'The file is gone.', { isFinal: true })
  const batches = readBatches(object.stream, {
    ...started.file,
    mapping: started.mapping,
    at: started.position,
    row: started.nextRow,
    batchRows: context.importBatchRows,
  })
  let at = started.position
  await eachAhead(batches, async (batch) => {
    signal.throwIfAborted()
    const take = () => takeBatch(context, input, { state: started.state, at, batch })
    await inLine(ownerOf(started.serviceId, started.createdBy), signal, take)
    signal.throwIfAborted()
    at = batch.at
    progress(batch.done, started.bytes)
  })
}

interface Taken {
  state: queries.ImportRow['state']
  /** The start of the batch. */
  at: number
  batch: ImportBatch
}

const maxTries = 6

/** Processes a batch in its own transaction; retried if its devices were changed concurrently. */
async function takeBatch(context: FleetContext, input: ImportInput, taken: Taken): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await takeOnce(context, input, taken)
    } catch (error) {
      if (attempt === maxTries || !isRace(error)) throw error
      await wait(20 * attempt)
    }
  }
}

/** A row that someone else wrote first, or a deadlock with their transaction. */
const isRace = (error: unknown): boolean =>
  error instanceof ChangedMeanwhileError ||
  ['23505', '40P01'].includes(String((error as { code?: unknown }).code))

const takeOnce = ({ db }: FleetContext, { id, actor }: ImportInput, { state, at, batch }: Taken) =>
  db.transaction().execute(async (tx) => {
    if (state === 'running') await queries.lockMerge(tx)
    const found = await queries.lockImport(tx, id, everything)
    if (found?.state !== state || found.position !== at) throw new StoppedError()
    await setPlanner(tx)
    const merge = {
      importId: id,
      existing: found.existing,
      scope: scopeOfService(found.serviceId),
      batch,
    }
    if (state === 'checking') await addKeys(tx, merge)
    const merged =
      state === 'checking'
        ? await previewMerge(tx, merge)
        : await mergeDevices(tx, { ...merge, actor })
    const step = {
      ...merged,
      wrong: batch.wrong + new Set(merged.wrong.map(({ row }) => row)).size,
      errors: [...batch.errors, ...storedErrors(merged, found)],
      position: batch.at,
      nextRow: batch.row,
      done: batch.done,
    }
    await queries.addStep(tx, id, step, found.errorsKept)
  })

const storedErrors = ({ wrong }: Merged, { mapping, file }: queries.ImportRow) =>
  wrong.map(({ row, field, code, value, params }) => {
    const column = mapping.find((each) => each.field === field)?.column ?? -1
    return { row, column: file.columns[column] ?? null, code, value, params }
  })

/** This many devices invalidate the tables' statistics. */
const manyRows = 20_000

async function finish(
  context: FleetContext,
  { id, actor }: ImportInput,
  { state }: queries.ImportRow,
) {
  const { db } = context
  const ended = await db.transaction().execute(async (tx) => {
    const found = await queries.lockImport(tx, id, everything)
    if (found?.state !== state) return undefined
    if (state === 'checking') await queries.setChecked(tx, id)
    else {
      await queries.setState(tx, id, 'completed')
      await queries.forgetRepeats(tx, id)
      const after = { fileName: found.fileName, ...found.counts }
      await importEvents.record(tx, actor, 'device.import', id, { after })
    }
    return found
  })
  if (!ended) return
  if (state === 'checking') return queries.forgetKeys(db, id)
  // Failed rows can be downloaded for some days.
  if (ended.counts.wrong === 0) await removeFile(context, ended)
  if (ended.counts.created + ended.counts.changed <= manyRows) return
  // It has its own time limit, which belongs to a session.
  const { direct } = context
  await (direct ? direct((past) => tidyTables(past.withTables<MapleTables>())) : tidyTables(db))
}

const forgottenDays = 7
const dayMs = 86_400_000

/**
 * Deletes files that were never imported, those of imports whose process died before removing them,
 * and expired former values of devices.
 */
export async function tidyImports(context: FleetContext, signal: AbortSignal): Promise<void> {
  const { db } = context
  const before = new Date(context.now() - bulkResultDays * dayMs).toISOString()
  while (!signal.aborted && (await queries.deleteOldValues(db, before)));
  for (;;) {
    const forgotten = await queries.findForgotten(db, forgottenDays)
    if (forgotten.length === 0) return
    for (const each of forgotten) {
      signal.throwIfAborted()
      const isOpen = each.state !== 'completed'
      if (isOpen)
        await queries.setState(db, each.id, each.state === 'failed' ? 'failed' : 'cancelled')
      await queries.forgetRepeats(db, each.id)
      await removeFile(context, each)
    }
  }
}
