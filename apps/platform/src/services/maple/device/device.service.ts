import { randomUUID } from 'node:crypto'
import type { BodyOf, Calls, Device } from '@grove/contract'
import { defaultDeviceState } from '@grove/contract/maple/device.rules'
import { normalizeCplc } from '@grove/secure-element/cplc'
import { audit, type AuditEntry } from '../../../core/audit.ts'
import type { Db } from '../../../core/database/database.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import {
  attachElements,
  changeDevice,
  detachElements,
  findDevice,
  findOwner,
  insertDevice,
  lockDevice,
  lockElements,
} from './device.queries.ts'
import { checkTransition } from './state-transitions.ts'

/** Who makes a change, for the audit trail. */
export type Author = Pick<AuditEntry, 'actor' | 'origin'>

type NewDevice = BodyOf<Calls['POST /api/maple/device']>
type DeviceChange = BodyOf<Calls['PUT /api/maple/device']>

/** @throws ProblemError `device_id_taken` or `element_attached_elsewhere`. */
export function createDevice(db: Db, author: Author, device: NewDevice): Promise<Device> {
  const { id = randomUUID(), type, state = defaultDeviceState, cplc = [] } = device
  const name = checkName(device.name)
  return db.transaction().execute(async (transaction) => {
    if (!(await insertDevice(transaction, { id, name, type, state })))
      throw new ProblemError('device_id_taken', `There is a device with the id ${id} already.`)
    await replaceElements(transaction, id, cplc)
    return audited(transaction, author, 'device.create', id)
  })
}

/**
 * Changes what is given; a list of elements replaces the one before. A change that changes nothing
 * leaves the revision.
 * @throws ProblemError `not_found`, `edit_conflict`, `transition_refused` or `element_attached_elsewhere`.
 */
export function updateDevice(
  db: Db,
  author: Author,
  id: string,
  revision: number | undefined,
  { cplc, ...fields }: DeviceChange,
): Promise<Device> {
  const change = fields.name === undefined ? fields : { ...fields, name: checkName(fields.name) }
  return db.transaction().execute(async (transaction) => {
    const before = await deviceToChange(transaction, id, revision)
    if (change.state !== undefined) checkTransition(before.state, change.state)
    const hasNewElements = cplc !== undefined && (await replaceElements(transaction, id, cplc))
    const { name = before.name, type = before.type, state = before.state } = change
    const hasNewFields = name !== before.name || type !== before.type || state !== before.state
    if (!hasNewElements && !hasNewFields) return before
    await changeDevice(transaction, id, { name, type, state })
    return audited(transaction, author, 'device.update', id, before)
  })
}

/** design.md decision 18. A device that is retired already stays so. */
export function retireDevice(db: Db, author: Author, id: string, revision: number | undefined) {
  return db.transaction().execute(async (transaction) => {
    const before = await deviceToChange(transaction, id, revision)
    if (before.state === 'retired') return
    await changeDevice(transaction, id, { state: 'retired' })
    await audited(transaction, author, 'device.retire', id, before)
  })
}

/** Takes one element from the device; the element itself stays known. */
export function detachElement(
  db: Db,
  author: Author,
  id: string,
  revision: number | undefined,
  cplc: string,
) {
  return db.transaction().execute(async (transaction) => {
    const before = await deviceToChange(transaction, id, revision)
    if ((await detachElements(transaction, id, [normalizeCplc(cplc)])) === 0)
      throw new ProblemError('not_found', `Device ${id} does not have this element.`)
    await changeDevice(transaction, id, {})
    await audited(transaction, author, 'element.detach', id, before)
  })
}

async function deviceToChange(db: Db, id: string, revision: number | undefined): Promise<Device> {
  const device = await lockDevice(db, id)
  if (!device) throw new ProblemError('not_found', `There is no device with the id ${id}.`)
  if (revision !== undefined && revision !== device.revision)
    throw new ProblemError(
      'edit_conflict',
      `Device ${id} is at revision ${device.revision}, not ${revision}; read it again.`,
    )
  return device
}

/** True when the list differs from what the device had. */
async function replaceElements(db: Db, id: string, list: readonly string[]): Promise<boolean> {
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

async function attachedElsewhere(db: Db, cplc: string, list: readonly string[]) {
  const owner = await findOwner(db, cplc)
  const message = `Element ${cplc} belongs to device ${owner}; detach it there first.`
  const path = `cplc.${list.findIndex((given) => normalizeCplc(given) === cplc)}`
  const code = 'element_attached_elsewhere'
  return new ProblemError(code, message, { errors: [{ path, code, message }] })
}

/** The device as it is now, after writing down what became of it. */
async function audited(db: Db, author: Author, action: string, id: string, before?: Device) {
  const after = await findDevice(db, id)
  if (!after) throw new Error(`device ${id} vanished inside its transaction`)
  await audit(db, 'maple', { ...author, action, subject: id, before, after })
  return after
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '')
    throw invalidField('name', 'minLength', 'name must have at least 1 visible character.', {
      limit: 1,
    })
  return trimmed
}
