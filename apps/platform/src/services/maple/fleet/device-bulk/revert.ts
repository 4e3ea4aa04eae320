import type { RevertPreview } from '@grove/contract/maple/fleet/device-bulk'
import { namedInPreview } from '@grove/contract/maple/fleet/device-bulk.rules'
import { ProblemError } from '../../../../core/http/problem.ts'
import { isInScope, type Scope } from '../../../../core/scope.ts'
import type { DeviceFacts } from '../device/device.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  findInnerIds,
  findOpenServices,
  findProducts,
  findUnused,
  readDevices,
  readKept,
  readTouched,
  type BulkFacts,
  type Kept,
  type Touched,
} from './device-bulk.queries.ts'
import { conflictsOf, takenBack } from './kept-changes.ts'

/** The change or import that a revert undoes; undefined for an ordinary bulk change. */
export function touchedOf({
  revertsBulkId,
  revertsImportId,
}: Pick<BulkFacts, 'revertsBulkId' | 'revertsImportId'>): Touched | undefined {
  if (revertsBulkId !== null) return { of: 'bulk', id: revertsBulkId }
  return revertsImportId === null ? undefined : { of: 'import', id: revertsImportId }
}

/** What to do with a device in scope; undefined if it needs no change. */
export type Plan = (device: DeviceFacts) => DeviceFacts | 'delete' | undefined

/** How to restore the former values of each of these devices. */
export async function planRevert(
  tx: MapleDb,
  bulk: BulkFacts,
  devices: readonly DeviceFacts[],
): Promise<Plan> {
  const of = touchedOf(bulk)
  const kept = of
    ? await readKept(
        tx,
        of,
        devices.map(({ id }) => id),
      )
    : new Map<string, Kept>()
  const former = (field: string) =>
    [...kept.values()].flatMap(({ changes }) => {
      const value = changes?.[field]?.[0]
      return typeof value === 'string' ? [value] : []
    })
  const made = [...kept.values()].filter(({ changes }) => !changes).map(({ id }) => id)
  const unused = made.length > 0 ? await findUnused(tx, made) : undefined
  const innerIds = await findInnerIds(tx, former('innerId'))
  const services = await findOpenServices(tx, former('serviceId'))
  const products = await findProducts(tx, former('productId'))
  return (device) => {
    const own = kept.get(device.id)
    if (!own)
      throw new ProblemError('bulk_expired', 'The former values of the device are not kept.')
    const { changes } = own
    if (!changes) {
      if (device.revision === own.revision && unused?.has(device.id)) return 'delete'
      if (!bulk.overwrites) throw changedSince()
      return device.state === 'retired' ? undefined : { ...device, state: 'retired' }
    }
    if (!bulk.overwrites && conflictsOf(device, changes).length > 0) throw changedSince()
    const after = takenBack(device, changes)
    if (!after) return undefined
    const { serviceId, productId, innerId } = after
    if (innerId !== device.innerId) {
      if (innerIds.has(innerId ?? ''))
        throw new ProblemError('already_exists', 'Another device has the former inner id by now.')
      // An account that was bound since needs the inner id.
      if (innerId === null && device.accountId !== null) throw changedSince()
    }
    if (serviceId !== null && serviceId !== device.serviceId && !services.has(serviceId))
      throw new ProblemError('service_suspended', 'The former service provider is not active.')
    // A product that was deleted since, or that belongs to someone else by now, is not restored.
    const hasProduct = productId === device.productId || products.get(productId ?? '') === serviceId
    return hasProduct ? after : { ...after, productId: null }
  }
}

const changedSince = () =>
  new ProblemError('changed_since', 'Somebody else has changed the device since.')

const rowsAtOnce = 5_000

/**
 * The effects of a revert now. For devices still at the revision after the change, the values need
 * not be read, so few of many are read; page by page, so that others do not wait.
 */
export async function previewRevert(
  db: MapleDb,
  of: Touched,
  scope: Scope,
): Promise<RevertPreview> {
  const preview: RevertPreview = { changed: 0, unchanged: 0, since: 0, gone: 0, items: [] }
  for (let after = ''; ;) {
    const rows = await readTouched(db, of, { after, limit: rowsAtOnce })
    const last = rows.at(-1)
    if (!last) return preview
    after = last.id
    const unused = await findUnused(
      db,
      rows.flatMap(({ id, changes }) => (changes ? [] : [id])),
    )
    const touched = new Map<string, Kept>()
    for (const row of rows) {
      const { id, changes, revision, now, serviceId } = row
      if (now === null || !isInScope(scope, serviceId)) preview.gone += 1
      else if (now === revision && (changes || unused.has(id))) preview.changed += 1
      else touched.set(id, row)
    }
    for (const device of await readDevices(db, [...touched.keys()])) {
      const own = touched.get(device.id)
      if (own) compare(preview, device, own)
    }
  }
}

function compare(preview: RevertPreview, device: DeviceFacts, { changes, revision }: Kept): void {
  const conflicts = changes
    ? conflictsOf(device, changes)
    : [{ field: device.revision === revision ? 'used' : 'edited', left: null, now: null }]
  if (conflicts.length > 0) {
    preview.since += 1
    const { id, name } = device
    if (preview.items.length < namedInPreview) preview.items.push({ id, name, changes: conflicts })
    return
  }
  try {
    preview[takenBack(device, changes ?? {}) ? 'changed' : 'unchanged'] += 1
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    preview.unchanged += 1
  }
}
