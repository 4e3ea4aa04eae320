import type { Device } from '@grove/contract'
import { audit } from '../../../core/audit.ts'
import type { Db } from '../../../core/database/database.ts'
import { countIdRange, insertDevices, insertElements, tidyTables } from './device-import.queries.ts'
import type { Author } from './device.service.ts'

/** A device with a past of its own; nothing of it is checked. */
export interface ImportedDevice extends Pick<Device, 'id' | 'name' | 'type' | 'state'> {
  createdAt: string
  lastSeenAt: string | null
  cplc: readonly string[]
}

/** Adds devices and their elements in one transaction; those that exist are left as they are. */
export function importDevices(db: Db, devices: readonly ImportedDevice[]): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const added = await insertDevices(transaction, devices)
    await insertElements(transaction, devices)
    return added
  })
}

/** Ends an import: one audit row for all of it, and fresh statistics. */
export async function finishImport(db: Db, author: Author, added: number, of: string) {
  if (added > 0)
    await audit(db, 'maple', { ...author, action: 'device.import', subject: of, after: { added } })
  await tidyTables(db)
}

export { countIdRange as countDevicesBetween }
