import { text } from 'node:stream/consumers'
import type { AccountBulk } from '@grove/contract/maple/access/account-bulk'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import type { OneChange } from '../account/account.service.ts'
import type { MapleContext } from '../../base/context.ts'
import { turnOf } from '../../base/job-turn.ts'
import type { AccessJobs } from '../jobs.ts'
import {
  accountResults,
  findBulk,
  insertBulk,
  setCancelled,
  setJob,
  type StoredBulk,
} from './account-bulk.queries.ts'

export type AccountBulkContext = MapleContext & { jobs: JobQueue<AccessJobs> }
type Given = BodyOf<Calls['POST /api/maple/account/bulk']>
interface At {
  id: string
}

/** @throws ProblemError `invalid_request` if the action lacks a parameter. */
export function createAccountBulk(
  { db, jobs }: AccountBulkContext,
  actor: Actor,
  { ids, ...given }: Given,
): Promise<AccountBulk> {
  const change = storedChange(given)
  const scope = scopeOf(actor)
  return db.transaction().execute(async (tx) => {
    const id = await insertBulk(tx, {
      ids,
      change,
      actor: { ...actor, sessionId: undefined },
      scope,
    })
    const options = { ...turnOf(actor), scope: serviceOf(scope) }
    await setJob(tx, id, await jobs.enqueue(tx, 'account.bulk', { id }, options))
    return bulkOf(await found(tx, actor, id))
  })
}

/** @throws ProblemError `not_found`. */
export const readAccountBulk = async ({ db }: MapleContext, actor: Actor, { id }: At) =>
  bulkOf(await found(db, actor, id))

/** @throws ProblemError `not_found`. */
export async function cancelAccountBulk({ db }: MapleContext, actor: Actor, { id }: At) {
  await found(db, actor, id)
  await setCancelled(db, id)
  return bulkOf(await found(db, actor, id))
}

/** The result for each account, by id. */
export async function exportAccountResults({ db }: MapleContext, actor: Actor, { id }: At) {
  await found(db, actor, id)
  return text(accountResults.csv(db, id))
}

async function found(db: MapleContext['db'], actor: Actor, id: string): Promise<StoredBulk> {
  const bulk = await findBulk(db, id, scopeOf(actor))
  if (!bulk) throw new ProblemError('not_found', `There is no bulk change of accounts ${id}.`)
  return bulk
}

const bulkOf = ({ actor: _actor, isCancelled: _isCancelled, ...bulk }: StoredBulk): AccountBulk =>
  bulk

function storedChange({ action, role, expiresAt }: Omit<Given, 'ids'>): OneChange {
  if (action === 'setExpiry') {
    if (expiresAt === undefined)
      throw invalidField('expiresAt', 'required', 'expiresAt is missing.')
    return { action, expiresAt }
  }
  if (role === undefined) throw invalidField('role', 'required', 'role is missing.')
  return { action, role }
}
