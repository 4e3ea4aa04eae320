import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Device } from '@grove/contract/maple/fleet/device'
import { defaultDeviceState, maxElements } from '@grove/contract/maple/fleet/device.rules'
import { normalizeCplc } from '@grove/secure-element/cplc'
import type { Actor, AnyActor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { isInScope, scopeOf, scopeOfService, serviceOf } from '../../../../core/scope.ts'
import { record } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertAllowed, rightsOf } from '../fleet.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import { recordAttachments } from '../element/element.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  attachElements,
  changeDevice,
  detachElements,
  findDevice,
  findOwner,
  hasAccount,
  hasProduct,
  insertDevice,
  lockDevice,
  lockElements,
  lockWearable,
  type DeviceFacts,
  type DeviceValues,
} from './device.queries.ts'
import { storedAttributes, storedTags } from './device.rules.ts'
import { proveElements, type Proof } from './take-over.queries.ts'
import { recordElementTaking, takeOverElements } from './take-over.ts'

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
  const { innerId = null, accountId = null, serviceId = serviceOf(scopeOf(actor)) } = device
  const { productId = null } = device
  const values = {
    name: storedName('name', device.name),
    tags: storedTags(device.tags ?? []),
    attributes: storedAttributes(device.attributes ?? {}),
    type,
    state,
    innerId,
    accountId,
    serviceId,
    productId,
  }
  return db.transaction().execute(async (tx) => {
    assertOwnService(actor, serviceId)
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    await checkBinding(tx, actor, id, values)
    await checkProduct(tx, values)
    if (!(await insertDevice(tx, id, values)))
      throw new ProblemError('device_id_taken', `A device with the id ${id} already exists.`)
    await replaceElements(tx, actor, id, cplc)
    return audited(tx, actor, 'device.create', id)
  })
}

/**
 * Changes the given fields; lists of elements and tags, and attributes, replace the earlier ones. A
 * change without effect leaves the revision.
 * @throws ProblemError `not_found`, `edit_conflict`, `transition_refused` or
 * `element_attached_elsewhere`.
 */
export function updateDevice(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, change: given }: DeviceAt & { change: DeviceChange },
): Promise<Device> {
  const { cplc, ...fields } = given
  const change: Partial<DeviceValues> = {
    ...fields,
    ...(fields.name !== undefined && { name: storedName('name', fields.name) }),
    ...(fields.tags && { tags: storedTags(fields.tags) }),
    ...(fields.attributes && { attributes: storedAttributes(fields.attributes) }),
  }
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockDevice(tx, id, scopeOf(actor)), revision, 'device')
    assertAllowed(actor, 'device.move', { state: before.state, to: change.state ?? before.state })
    const hasNewElements = cplc !== undefined && (await replaceElements(tx, actor, id, cplc))
    const isSame = isDeepStrictEqual({ ...before, ...change }, before)
    if (!hasNewElements && isSame) return withRights(actor, before)
    await checkBinding(tx, actor, id, { ...before, ...change })
    const { serviceId = null } = change
    if (change.serviceId !== undefined) assertOwnService(actor, serviceId)
    if (serviceId !== null && serviceId !== before.serviceId) await assertOpenService(tx, serviceId)
    if (change.productId !== undefined) await checkProduct(tx, { ...before, ...change })
    await changeDevice(tx, id, change)
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
    const before = atRevision(await lockDevice(tx, id, scopeOf(actor)), revision, 'device')
    if (before.state === 'retired') return
    assertAllowed(actor, 'device.retire', before)
    await changeDevice(tx, id, { state: 'retired' })
    await audited(tx, actor, 'device.retire', id, before)
  })
}

/** Detaches one element from the device; the element itself stays registered. */
export function detachElement(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, cplc }: DeviceAt & { cplc: string },
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockDevice(tx, id, scopeOf(actor)), revision, 'device')
    const detached = [normalizeCplc(cplc)]
    if ((await detachElements(tx, id, detached)) === 0)
      throw new ProblemError('not_found', `Device ${id} does not have this element.`)
    await recordAttachments(tx, actor, id, { detached })
    await changeDevice(tx, id, {})
    await audited(tx, actor, 'element.detach', id, before)
  })
}

/**
 * An account is bound to an inner id, which is unique among devices.
 * @throws ProblemError `already_exists` or `invalid_request`.
 */
async function checkBinding(
  db: MapleDb,
  actor: Actor,
  id: string,
  { innerId, accountId }: Pick<Device, 'innerId' | 'accountId'>,
): Promise<void> {
  const scope = scopeOf(actor)
  if (accountId !== null && innerId === null)
    throw invalidField(
      'innerId',
      'required',
      'A device that is bound to an account has an innerId.',
    )
  const owner = innerId === null ? undefined : await lockWearable(db, innerId)
  if (owner && owner.id !== id)
    throw fieldProblem(
      'already_exists',
      'innerId',
      `${serviceOf(scope) === null ? `Device ${owner.id}` : 'Another device'} has this inner id.`,
    )
  if (accountId !== null && !(await hasAccount(db, accountId, scope)))
    throw invalidField('accountId', 'exists', `There is no Maple account ${accountId}.`)
}

/** A device's product belongs to its own service provider. @throws ProblemError `invalid_request`. */
async function checkProduct(
  db: MapleDb,
  { productId, serviceId }: Pick<Device, 'productId' | 'serviceId'>,
): Promise<void> {
  if (productId !== null && !(await hasProduct(db, productId, serviceId)))
    throw invalidField('productId', 'exists', `There is no product ${productId}.`)
}

/** Nobody can add a device to another service provider, or remove it from their own. */
export function assertOwnService(actor: Actor, serviceId: string | null): void {
  if (!isInScope(scopeOf(actor), serviceId))
    throw invalidField('serviceId', 'exists', `There is no service provider ${serviceId}.`)
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

/** True if the list differs from the device's. */
async function replaceElements(
  db: MapleDb,
  actor: Actor,
  id: string,
  list: readonly string[],
): Promise<boolean> {
  const wanted = [...new Set(list.map(normalizeCplc))]
  const known = await lockElements(db, id, wanted)
  const owned = known.filter((element) => element.deviceId === id).map(({ cplc }) => cplc)
  const unwanted = owned.filter((cplc) => !wanted.includes(cplc))
  const missing = wanted.filter((cplc) => !owned.includes(cplc))
  if (unwanted.length > 0) await detachElements(db, id, unwanted)
  const attached = await attachElements(db, id, missing, scopeOf(actor))
  const refused = missing.find((cplc) => !attached.includes(cplc))
  if (refused !== undefined) {
    const owner = serviceOf(scopeOf(actor)) === null ? await findOwner(db, refused) : null
    const at = list.findIndex((given) => normalizeCplc(given) === refused)
    throw attachedElsewhere(refused, `cplc.${at}`, owner)
  }
  await recordAttachments(db, actor, id, { attached, detached: unwanted })
  return missing.length + unwanted.length > 0
}

/**
 * Adds the elements named in a device's claim to its existing ones, up to the limit. @throws
 * ProblemError `element_attached_elsewhere`.
 */
export async function addNamedElements(
  tx: MapleDb,
  actor: AnyActor,
  id: string,
  named: readonly string[],
  { serviceId, since }: Proof,
): Promise<void> {
  const wanted = [...new Set(named.map(normalizeCplc))]
  const known = await lockElements(tx, id, wanted)
  const owned = known.filter((element) => element.deviceId === id).map(({ cplc }) => cplc)
  const missing = wanted.filter((cplc) => !owned.includes(cplc))
  if (owned.length + missing.length > maxElements)
    throw invalidField('elements', 'maxItems', `A device can have at most ${maxElements} elements.`)
  const proof = 'claimCode'
  const taken = await takeOverElements(tx, actor, missing, { serviceId, since, proof })
  // A code without a service provider cannot claim a service provider's elements.
  const free = missing.filter((cplc) =>
    known.every(
      (element) => element.cplc !== cplc || element.serviceId === serviceId || taken.includes(cplc),
    ),
  )
  const attached = await attachElements(tx, id, free, scopeOfService(serviceId))
  const refused = missing.find((cplc) => !attached.includes(cplc))
  if (refused !== undefined) {
    const at = named.findIndex((given) => normalizeCplc(given) === refused)
    throw attachedElsewhere(refused, `elements.${at}`)
  }
  await recordAttachments(tx, actor, id, { attached })
  for (const cplc of taken) await recordElementTaking(tx, actor, cplc, proof)
  await proveElements(tx, wanted)
}

/** The owner is named only to those who may know it. */
function attachedElsewhere(cplc: string, path: string, owner: string | null = null) {
  const device = owner === null ? 'another device' : `device ${owner}`
  const message = `Element ${cplc} belongs to ${device}; detach it there first.`
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

/** The device with the actor's rights on it. */
export const withRights = (actor: AnyActor, device: DeviceFacts): Device => ({
  ...device,
  rights: rightsOf(actor, device, { retire: 'device.retire' }),
})
