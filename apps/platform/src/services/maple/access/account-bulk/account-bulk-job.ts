import { bulkResultDays } from '@grove/contract/maple/base/bulk.rules'
import type { Actor } from '../../../../core/actor.ts'
import { resultOf, type ItemResult } from '../../../../core/batch/define-results.ts'
import type { JobDefinition, JobRun } from '../../../../core/jobs/define-jobs.ts'
import { everything } from '../../../../core/scope.ts'
import { changeAccount, type OneChange } from '../account/account.service.ts'
import type { MapleContext } from '../../base/context.ts'
import type { MapleDb } from '../../base/tables.ts'
import { accountResults, deleteOldBulks, findBulk, lockNext } from './account-bulk.queries.ts'

/** Accounts that are changed in one transaction. */
const batch = 100

/**
 * Changes the selected accounts. A batch and its results are one transaction, so an interrupted run
 * continues after the last batch.
 */
export const accountBulkJob: JobDefinition<MapleContext, { id: string }> = {
  async run({ db }, { id }, { signal, progress }: JobRun) {
    for (;;) {
      const bulk = await findBulk(db, id, everything)
      if (!bulk) return
      progress(bulk.changed + bulk.unchanged + bulk.refused, bulk.total)
      signal.throwIfAborted()
      const { actor, change } = bulk
      const count = await db
        .transaction()
        .execute((tx) => changeBatch(tx, { id, actor, change: change as OneChange }))
      if (count === 0) return
    }
  },
}

interface Batch {
  id: string
  actor: Actor
  change: OneChange
}

/** Returns how many accounts it processed. */
async function changeBatch(tx: MapleDb, { id, actor, change }: Batch): Promise<number> {
  const ids = await lockNext(tx, id, batch)
  const results: ItemResult[] = []
  // A refusal comes before any write, so it does not roll back the batch.
  for (const accountId of ids)
    results.push(await resultOf(accountId, () => changeAccount(tx, actor, accountId, change)))
  if (results.length > 0) await accountResults.write(tx, id, results)
  return ids.length
}

const dayMs = 86_400_000

/** Deletes changes with their results once they are long over. */
export async function tidyAccountBulks({ db, now }: MapleContext): Promise<void> {
  await deleteOldBulks(db, new Date(now() - bulkResultDays * dayMs).toISOString())
}
