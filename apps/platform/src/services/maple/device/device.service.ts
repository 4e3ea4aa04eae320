import { randomUUID } from 'node:crypto'
import type { BodyOf, Calls, Device, ResponseOf } from '@grove/contract'
import { defaultDeviceState } from '@grove/contract/maple/device.rules'
import { normalizeCplc } from '@grove/secure-element/cplc'
import type { Actor, AnyActor } from '../../../core/actor.ts'
import { atRevision } from '../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { record, type MapleContext } from '../context.ts'
import { demand, rightsOf } from '../maple.rules.ts'
import type { MapleDb } from '../tables.ts'
import {
  attachElements,
  changeDevice,
  detachElements,
  findDevice,
  findOwner,
  hasAccount,
  insertDevice,
  lockDevice,
  lockElements,
  lockWearable,
  type DeviceFacts,
} from './device.queries.ts'

type NewDevice = BodyOf<Calls['POST /api/maple/device']>
type DeviceChange = BodyOf<Calls['PUT /api/maple/device']>

/** A device, and the revision that the change is based on; without one the change always applies. */
interface DeviceAt {
  id: string
  revision?: number | undefined
}

/** @throws ProblemError `device_id_taken` or `element_attached_elsewhere`. */
export function createDevice(
  { db }: MapleContext,
  actor: Actor,
  device: NewDevice,
): Promise<Device> {
  const { id = randomUUID(), type, state = defaultDeviceState, cplc = [] } = device
  const { innerId = null, accountId = null } = device
  const name = storedName('name', device.name)
  return db.transaction().execute(async (tx) => {
    await checkBinding(tx, id, { innerId, accountId })
    if (!(await insertDevice(tx, { id, name, type, state, innerId, accountId })))
      throw new ProblemError('device_id_taken', `A device with the id ${id} already exists.`)
    await replaceElements(tx, id, cplc)
    return audited(tx, actor, 'device.create', id)
  })
}

/**
 * Changes what is given; a list of elements replaces the one before. A change that changes nothing
 * leaves the revision.
 * @throws ProblemError `not_found`, `edit_conflict`, `transition_refused` or `element_attached_elsewhere`.
 */
export function updateDevice(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, change: given }: DeviceAt & { change: DeviceChange },
): Promise<Device> {
  const { cplc, ...fields } = given
  const change =
    fields.name === undefined ? fields : { ...fields, name: storedName('name', fields.name) }
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockDevice(tx, id), revision, 'device')
    const { name = before.name, type = before.type, state = before.state } = change
    const { innerId = before.innerId, accountId = before.accountId } = change
    demand(actor, 'device.move', { state: before.state, to: state })
    const hasNewElements = cplc !== undefined && (await replaceElements(tx, id, cplc))
    const after = { name, type, state, innerId, accountId }
    const isSame = Object.entries(after).every(
      ([field, value]) => value === before[field as keyof typeof after],
    )
    if (!hasNewElements && isSame) return withRights(actor, before)
    await checkBinding(tx, id, after)
    await changeDevice(tx, id, after)
    return audited(tx, actor, 'device.update', id, before)
  })
}

/** Retiring a retired device changes nothing, so that a repeated call is safe. */
export function retireDevice(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: DeviceAt,
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockDevice(tx, id), revision, 'device')
    if (before.state === 'retired') return
    demand(actor, 'device.retire', before)
    await changeDevice(tx, id, { state: 'retired' })
    await audited(tx, actor, 'device.retire', id, before)
  })
}

/** Detaches one element from the device; the element itself stays known. */
export function detachElement(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, cplc }: DeviceAt & { cplc: string },
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockDevice(tx, id), revision, 'device')
    if ((await detachElements(tx, id, [normalizeCplc(cplc)])) === 0)
      throw new ProblemError('not_found', `Device ${id} does not have this element.`)
    await changeDevice(tx, id, {})
    await audited(tx, actor, 'element.detach', id, before)
  })
}

/**
 * An account is bound to what has an inner id, which one device alone has.
 * @throws ProblemError `already_exists` or `invalid_request`.
 */
async function checkBinding(
  db: MapleDb,
  id: string,
  { innerId, accountId }: Pick<Device, 'innerId' | 'accountId'>,
): Promise<void> {
  if (accountId !== null && innerId === null)
    throw invalidField(
      'innerId',
      'required',
      'A device that is bound to an account has an innerId.',
    )
  const owner = innerId === null ? undefined : await lockWearable(db, innerId)
  if (owner && owner.id !== id)
    throw fieldProblem('already_exists', 'innerId', `Device ${owner.id} has this inner id.`)
  if (accountId !== null && !(await hasAccount(db, accountId)))
    throw invalidField('accountId', 'exists', `There is no Maple account ${accountId}.`)
}

/** Removes the binding of a wearable to its account; a second time it changes nothing. */
export function unlinkWearable(
  { db }: MapleContext,
  actor: Actor,
  { innerId }: BodyOf<Calls['POST /api/admin/wearable/unlink']>,
): Promise<ResponseOf<Calls['POST /api/admin/wearable/unlink']>> {
  return db.transaction().execute(async (tx) => {
    const found = await lockWearable(tx, innerId)
    if (!found) throw new ProblemError('not_found', `No device has the inner id ${innerId}.`)
    const { id, accountId } = found
    if (accountId !== null) {
      await changeDevice(tx, id, { accountId: null })
      await record(tx, actor, 'wearable.unlink', id, {
        before: { innerId, accountId },
        after: { innerId, accountId: null },
      })
    }
    return { innerId, deviceId: id, unlinkedFrom: accountId }
  })
}

/** True when the list differs from what the device had. */
async function replaceElements(db: MapleDb, id: string, list: readonly string[]): Promise<boolean> {
  const wanted = [...new Set(list.map(normalizeCplc))]
  const known = await lockElements(db, id, wanted)
  const owned = known.filter((element) => element.deviceId === id).map(({ cplc }) => cplc)
  const unwanted = owned.filter((cplc) => !wanted.includes(cplc))
  const missing = wanted.filter((cplc) => !owned.includes(cplc))
  if (unwanted.length > 0) await detachElements(db, id, unwanted)
  if (missing.length === 0) return unwanted.length > 0
  const attached = await attachElements(db, id, missing)
  const refused = missing.find((cplc) => !attached.includes(cplc))
  if (refused !== undefined) throw await attachedElsewhere(db, refused, list)
  return true
}

async function attachedElsewhere(db: MapleDb, cplc: string, list: readonly string[]) {
  const owner = await findOwner(db, cplc)
  const message = `Element ${cplc} belongs to device ${owner}; detach it there first.`
  const path = `cplc.${list.findIndex((given) => normalizeCplc(given) === cplc)}`
  return fieldProblem('element_attached_elsewhere', path, message)
}

/** Writes the change into the audit trail and returns the device as it is now. */
async function audited(
  db: MapleDb,
  actor: Actor,
  action: Parameters<typeof record>[2],
  id: string,
  before?: DeviceFacts,
): Promise<Device> {
  const after = await findDevice(db, id)
  if (!after) throw new Error(`device ${id} vanished inside its tx`)
  await record(db, actor, action, id, { before, after })
  return withRights(actor, after)
}

/** The device with what the actor may do to it. */
export const withRights = (actor: AnyActor, device: DeviceFacts): Device => ({
  ...device,
  rights: rightsOf(actor, device, { retire: 'device.retire' }),
})
