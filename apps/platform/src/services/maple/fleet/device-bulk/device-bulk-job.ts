import type { Actor } from '../../../../core/actor.ts'
import { resultOf, type ItemResult } from '../../../../core/batch/define-results.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobDefinition, JobRun } from '../../../../core/jobs/define-jobs.ts'
import { everything, isInScope, type Scope } from '../../../../core/scope.ts'
import { bulkResultDays } from '@grove/contract/maple/base/bulk.rules'
import { events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { choiceOf } from '../device/device-choice.ts'
import type { DeviceFacts } from '../device/device.queries.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  changeDevices,
  deleteOldResults,
  deviceResults,
  findBulk,
  keepChanges,
  lockNext,
  readScope,
  writeItems,
  writeTouched,
  type BulkFacts,
} from './device-bulk.queries.ts'
import { changed, type BulkChange } from './device-bulk.rules.ts'
import { keptChanges } from './kept-changes.ts'
import { giveUp } from './give-up.ts'
import { planRevert, touchedOf, type Plan } from './revert.ts'

/** Devices that are changed in one transaction. */
export const bulkBatch = 500

/**
 * Changes the devices of a filter, or reverts a change. Their list is stored first; a batch and its
 * results are one transaction, so an interrupted run continues after the last batch. Relative times
 * such as "seen within the hour" refer to the time of the request.
 */
export const bulkJob: JobDefinition<MapleContext, { id: string }> = {
  async run({ db }, { id }, { signal, progress }: JobRun) {
    const bulk = await findBulk(db, id, everything)
    const scope = await readScope(db, id)
    if (!bulk || !scope) return
    const of = touchedOf(bulk)
    const choice = of
      ? undefined
      : await choiceOf(db, bulk.filter, { scope, now: Date.parse(bulk.createdAt) })
    await db.transaction().execute(async (tx) => {
      if (of) await writeTouched(tx, id, of)
      else if (choice) await writeItems(tx, id, choice)
    })
    const actor = actorOf(bulk.createdBy ?? '', id)
    for (;;) {
      const now = await findBulk(db, id, everything)
      if (now?.total) progress(now.changed + now.unchanged + now.refused, now.total)
      signal.throwIfAborted()
      const count = await db.transaction().execute((tx) => changeBatch(tx, { bulk, scope, actor }))
      if (count === 0) return
    }
  },
}

/** The requester; the bulk change is the origin. */
const actorOf = (userId: string, id: string): Actor => ({
  id: userId,
  roles: [],
  sessionId: undefined,
  origin: { requestId: id, ip: '', userAgent: 'device.bulk', partOf: id },
})

interface Batch {
  bulk: BulkFacts
  scope: Scope
  actor: Actor
}

/** Returns how many devices it processed. */
async function changeBatch(tx: MapleDb, { bulk, scope, actor }: Batch): Promise<number> {
  const { id, jobId } = bulk
  const { ids, devices } = await lockNext(tx, { id, jobId, limit: bulkBatch })
  if (ids.length === 0) return 0
  const plan = touchedOf(bulk)
    ? await planRevert(tx, bulk, devices)
    : await planChange(tx, actor, bulk.change as BulkChange)
  const found = new Map(devices.map((device) => [device.id, device]))
  const results: ItemResult[] = []
  const pairs: { before: DeviceFacts; after: DeviceFacts }[] = []
  const unmade: DeviceFacts[] = []
  for (const deviceId of ids) {
    const before = found.get(deviceId)
    results.push(
      await resultOf(deviceId, () => {
        // Since the list was stored, a device may have moved to another service provider, or been
        // deleted.
        if (!before || !isInScope(scope, before.serviceId))
          throw new ProblemError('not_found', 'The device is not there any more.')
        const after = plan(before)
        if (after === 'delete') unmade.push(before)
        else if (after) pairs.push({ before, after })
        return after !== undefined
      }),
    )
  }
  if (pairs.length > 0) {
    await changeDevices(
      tx,
      pairs.map(({ after }) => after),
    )
    await keepChanges(
      tx,
      id,
      pairs.map(({ before, after }) => ({
        id: before.id,
        changes: keptChanges(before, after),
        revision: before.revision + 1,
      })),
    )
    await events.recordAll(
      tx,
      actor,
      bulk.change.action === 'retire' ? 'device.retire' : 'device.update',
      pairs.map(({ before, after }) => ({
        subject: before.id,
        before,
        after: { ...after, revision: before.revision + 1 },
      })),
    )
  }
  await giveUp(tx, actor, { unmade, pairs })
  await deviceResults.write(tx, id, results)
  return ids.length
}

async function planChange(tx: MapleDb, actor: Actor, change: BulkChange): Promise<Plan> {
  const { serviceId } = change
  const refused = serviceId
    ? await assertOpenService(tx, serviceId).then(
        () => undefined,
        (error: unknown) => error,
      )
    : undefined
  return (device) => {
    if (refused) throw refused
    return changed(actor, device, change)
  }
}

const dayMs = 86_400_000

/** Deletes the results and former values of changes that ended long ago; the totals stay. */
export async function tidyBulks({ db, now }: MapleContext, signal: AbortSignal): Promise<void> {
  const before = new Date(now() - bulkResultDays * dayMs).toISOString()
  while (!signal.aborted && (await deleteOldResults(db, before)));
}
