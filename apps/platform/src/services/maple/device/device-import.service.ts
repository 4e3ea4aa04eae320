import type { Device } from '@grove/contract'
import type { AnyActor } from '../../../core/actor.ts'
import { record, type MapleContext } from '../context.ts'
import { countIdRange, insertDevices, insertElements, tidyTables } from './device-import.queries.ts'

/** A device with a history; nothing in it is checked. */
export interface ImportedDevice extends Pick<Device, 'id' | 'name' | 'type' | 'state'> {
  createdAt: string
  lastSeenAt: string | null
  cplc: readonly string[]
}

/** Adds devices and their elements in one transaction; those that exist are left as they are. */
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

/** Ends an import: one event for all of it, and fresh statistics. */
export async function finishImport(
  { db }: MapleContext,
  actor: AnyActor,
  { added, of }: { added: number; of: string },
): Promise<void> {
  if (added > 0) await record(db, actor, 'device.import', of, { after: { added } })
  await tidyTables(db)
}

export { countIdRange as countDevicesBetween }
