import type { Actor } from '../../../../core/actor.ts'
import { resultOf, type ItemResult } from '../../../../core/batch/define-results.ts'
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
  lockNext,
  readScope,
  writeItems,
} from './device-bulk.queries.ts'
import { changed, type BulkChange } from './device-bulk.rules.ts'

/** Devices that are changed in one transaction. */
export const bulkBatch = 500

/**
 * Changes the devices of a filter. Their list is stored first; a batch and its results are one
 * transaction, so an interrupted run continues after the last batch. Relative times such as "seen
 * within the hour" refer to the time of the request.
 */
export const bulkJob: JobDefinition<MapleContext, { id: string }> = {
  async run({ db }, { id }, { signal, progress, createdAt }: JobRun) {
    const bulk = await findBulk(db, id, everything)
    if (!bulk) return
    const scope = await readScope(db, id)
    if (!scope) return
    const choice = await choiceOf(db, bulk.filter, { scope, now: Date.parse(createdAt) })
    await db.transaction().execute((tx) => writeItems(tx, id, choice))
    for (;;) {
      const now = await findBulk(db, id, everything)
      if (now?.total) progress(now.changed + now.unchanged + now.refused, now.total)
      signal.throwIfAborted()
      const { change, createdBy } = bulk
      const count = await db
        .transaction()
        .execute((tx) =>
          changeBatch(tx, { id, change, scope, actor: actorOf(createdBy ?? '', id) }),
        )
      if (count === 0) return
    }
  },
}

/** The requester; the id of the bulk change is the origin. */
const actorOf = (userId: string, id: string): Actor => ({
  id: userId,
  roles: [],
  sessionId: undefined,
  origin: { requestId: id, ip: '', userAgent: 'device.bulk' },
})

interface Batch {
  id: string
  change: BulkChange
  scope: Scope
  actor: Actor
}

/** Returns how many devices it processed. */
async function changeBatch(tx: MapleDb, { id, change, scope, actor }: Batch): Promise<number> {
  const { serviceId } = change
  const opened = serviceId
    ? await resultOf(serviceId, async () => {
        await assertOpenService(tx, serviceId)
        return false
      })
    : undefined
  const devices = await lockNext(tx, id, bulkBatch)
  if (devices.length === 0) return 0
  const results: ItemResult[] = []
  const pairs: { before: DeviceFacts; after: DeviceFacts }[] = []
  for (const before of devices) {
    const { id: deviceId } = before
    // Since the list was stored, an administrator may have transferred a device.
    if (!isInScope(scope, before.serviceId))
      results.push({ id: deviceId, result: 'refused', reason: 'not_found' })
    else if (opened?.result === 'refused') results.push({ ...opened, id: deviceId })
    else
      results.push(
        await resultOf(deviceId, () => {
          const after = changed(actor, before, change)
          if (after) pairs.push({ before, after })
          return after !== undefined
        }),
      )
  }
  if (pairs.length > 0) {
    await changeDevices(
      tx,
      pairs.map(({ after }) => after),
    )
    await events.recordAll(
      tx,
      actor,
      change.action === 'retire' ? 'device.retire' : 'device.update',
      pairs.map(({ before, after }) => ({
        subject: before.id,
        before,
        after: { ...after, revision: before.revision + 1 },
      })),
    )
  }
  await deviceResults.write(tx, id, results)
  return devices.length
}

const dayMs = 86_400_000

/** Deletes the results of changes that are long over; their sums stay. */
export async function tidyBulks({ db, now }: MapleContext, signal: AbortSignal): Promise<void> {
  const before = new Date(now() - bulkResultDays * dayMs).toISOString()
  while (!signal.aborted && (await deleteOldResults(db, before)));
}
