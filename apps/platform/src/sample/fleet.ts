import { processActor, type AnyActor } from '../core/actor.ts'
import type { MapleContext } from '../services/maple/base/context.ts'
import {
  countDevicesBetween,
  finishImport,
  importDevices,
} from '../services/maple/fleet/device/device-import.service.ts'
import { addOwners } from './fleet-owners.ts'
import { sampleDevice, sampleDeviceId } from './fleet-device.ts'

export interface FillOptions {
  /** The target size of the fleet, including existing devices. */
  devices: number
  /** Devices registered per day; default 1,000. */
  devicesADay?: number
  actor?: AnyActor
  /** After each batch: the size of the fleet, and how many devices are new. */
  onProgress?: (done: number, added: number) => void
  signal?: AbortSignal
}

const batchSize = 5_000
const devicesAnAccount = 20
/** The origin of the sample's changes, for the audit trail. */
export const sampleOrigin = { requestId: 'sample', ip: 'local', userAgent: 'sample' }
const nobody: AnyActor = { ...processActor('sample'), origin: sampleOrigin }

/**
 * Fills the sample fleet up to a size in atomic batches, so an interrupted fill can continue. Returns
 * the number of added devices.
 */
export async function fillFleet(
  context: MapleContext,
  { devices, devicesADay, actor = nobody, onProgress, signal }: FillOptions,
): Promise<number> {
  const { db } = context
  const now = context.now()
  await addOwners(db, now, Math.ceil(devices / devicesAnAccount))
  let added = 0
  for (let start = 0; start < devices; start += batchSize) {
    if (signal?.aborted) return added
    const end = Math.min(start + batchSize, devices)
    const known = await countDevicesBetween(db, sampleDeviceId(start), sampleDeviceId(end - 1))
    if (known < end - start) {
      const batch = Array.from({ length: end - start }, (_, at) =>
        sampleDevice(start + at, now, devicesADay),
      )
      added += await importDevices(context, actor, batch)
    }
    onProgress?.(end, added)
  }
  await finishImport(context, actor, { added, of: 'sample fleet' })
  return added
}
