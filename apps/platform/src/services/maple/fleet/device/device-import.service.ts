import type { Device } from '@grove/contract/maple/fleet/device'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { foldTally } from '../../base/tally.queries.ts'
import { record } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { countIdRange, insertDevices, insertElements, tidyTables } from './device-import.queries.ts'

/** A device with a history; nothing in it is checked. */
export interface ImportedDevice extends Pick<Device, 'id' | 'name' | 'type' | 'state'> {
  createdAt: string
  lastSeenAt: string | null
  cplc: readonly string[]
  tags?: Device['tags']
  attributes?: Device['attributes']
  innerId?: string
  serviceId?: string
  /** Of each of its elements. */
  chip?: { state: ElementState; hasHsm: boolean }
}

/** Adds devices and their elements in one transaction; existing ones stay unchanged. */
export function importDevices(
  { db }: MapleContext,
  _actor: AnyActor,
  devices: readonly ImportedDevice[],
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const added = await insertDevices(tx, devices)
    await insertElements(tx, devices)
    return added
  })
}

/** Finishes an import: one event for all of it, merged counts, and fresh statistics. */
export async function finishImport(
  { db, now }: MapleContext,
  actor: AnyActor,
  { added, of }: { added: number; of: string },
): Promise<void> {
  if (added > 0) await record(db, actor, 'device.import', of, { after: { added } })
  await foldTally(db, now())
  await tidyTables(db)
}

export { countIdRange as countDevicesBetween }
