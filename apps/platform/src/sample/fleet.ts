import type { Db } from '../core/database/database.ts'
import type { Platform } from '../core/platform.ts'
import {
  countDevicesBetween,
  finishImport,
  importDevices,
} from '../services/maple/device/device-import.service.ts'
import { sampleDevice, sampleDeviceId } from './fleet-device.ts'

export interface FillOptions {
  /** The size of the whole fleet; what is there already counts. */
  devices: number
  actor: string | null
  now: number
  /** After each batch: how many of the fleet are there, and how many of them are new. */
  onProgress?: (done: number, added: number) => void
  signal?: AbortSignal
}

const batchSize = 5_000
/** Where the sample's changes come from, for the audit trail. */
export const sampleOrigin = { requestId: 'sample', ip: 'local', userAgent: 'sample' }

/**
 * Fills the sample fleet up to a size, in batches that each are whole, so that a fill which was
 * stopped goes on where it was. Answers how many were added.
 */
export async function fillFleet(db: Db, options: FillOptions): Promise<number> {
  const { devices, actor, now, onProgress, signal } = options
  let added = 0
  for (let start = 0; start < devices; start += batchSize) {
    if (signal?.aborted) return added
    const end = Math.min(start + batchSize, devices)
    const known = await countDevicesBetween(db, sampleDeviceId(start), sampleDeviceId(end - 1))
    if (known < end - start) {
      const batch = Array.from({ length: end - start }, (_, at) => sampleDevice(start + at, now))
      added += await importDevices(db, batch)
    }
    onProgress?.(end, added)
  }
  await finishImport(db, { actor, origin: sampleOrigin }, added, 'sample fleet')
  return added
}

/** The fleet that a new sample workspace starts with. */
export function createSampleFleet(
  { db, now }: Pick<Platform, 'db' | 'now'>,
  actor: string | null,
  count: number,
): Promise<number> {
  return fillFleet(db, { devices: count, actor, now: now() })
}
