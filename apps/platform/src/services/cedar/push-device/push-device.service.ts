import type { BodyOf, QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { PushDevice } from '@grove/contract/cedar/push-device'
import { notificationLimits } from '@grove/contract/cedar/notification.rules'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { record, type CedarContext } from '../context.ts'
import { deleteOldReceipts } from '../notification/receipt.queries.ts'
import { lockProduct } from '../product/product.queries.ts'
import { requireProduct } from '../product/product.service.ts'
import * as queries from './push-device.queries.ts'

/**
 * Registers or updates a device of a host app. No event: the host app calls this at every start. An
 * unpublished app is only on its developers' devices, and its existence is not revealed to others.
 * @throws ProblemError `not_found`.
 */
export async function registerDevice(
  context: CedarContext,
  actor: Actor,
  device: BodyOf<Calls['POST /api/notification/device']>,
): Promise<{ id: string }> {
  const { db } = context
  const published = await queries.upsertDevice(db, device, { isPublished: true })
  if (published !== undefined) return { id: published }
  await requireProduct(context, actor, { id: device.productId })
  const own = await queries.upsertDevice(db, device, { isPublished: false })
  if (own === undefined) throw new ProblemError('not_found', 'The product does not exist.')
  return { id: own }
}

export const unregisterDevice = async (
  { db }: CedarContext,
  _actor: Actor,
  { id }: { id: string },
): Promise<void> => void (await queries.deleteDevice(db, id))

export async function listDevices(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/notification/device']>,
) {
  await requireProduct(context, actor, { id: query.productId })
  return queries.deviceList.read(context.db, query)
}

/** @throws ProblemError `not_found`, or `limit_reached` if the product has the maximum of them. */
export async function markDevice(
  context: CedarContext,
  actor: Actor,
  { id, isTest, name }: BodyOf<Calls['PUT /api/notification/device/{id}']> & { id: string },
): Promise<PushDevice> {
  const most = notificationLimits.testDevices
  return context.db.transaction().execute(async (db) => {
    const before = await queries.findDevice(db, id)
    if (!before) throw missing()
    const { productId } = before
    await requireProduct({ db }, actor, { id: productId }).catch(() => {
      throw missing()
    })
    await lockProduct(db, productId)
    const used = await queries.countTestDevices(db, productId)
    if (isTest && !before.isTest && used >= most)
      throw new ProblemError(
        'limit_reached',
        `The app has ${used} of ${most} test devices. Unmark one first; nobody can raise this limit.`,
      )
    const given = name === undefined ? before.name : name
    await queries.setTest(db, id, isTest, given === null ? null : storedName('name', given))
    const after = await queries.findDevice(db, id)
    if (!after) throw missing()
    await record(db, actor, 'push_device.test', id, { before, after, of: productId })
    return after
  })
}

const missing = () => new ProblemError('not_found', 'The device does not exist.')

/** Deletes some of the devices not used for long; returns the number. */
export const deleteForgotten = async ({ db }: CedarContext): Promise<number> =>
  (await queries.deleteUnseen(db)) + (await deleteOldReceipts(db))
