import type { AnyActor } from '../../../../core/actor.ts'
import { events } from '../context.ts'
import type { DeviceFacts } from '../device/device.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { deleteDevices, giveUpElements, lockGivenUp } from './device-bulk.queries.ts'

interface GivenUp {
  /** Devices that an import created, which are deleted. */
  unmade: readonly DeviceFacts[]
  /** Devices that keep fewer elements than before. */
  pairs: readonly { before: DeviceFacts; after: DeviceFacts }[]
}

/**
 * Deletes devices, and detaches elements. Elements that were registered when they were attached, and
 * never used, are deleted; others stay registered.
 */
export async function giveUp(
  tx: MapleDb,
  actor: AnyActor,
  { unmade, pairs }: GivenUp,
): Promise<void> {
  const devices = unmade.map(({ id }) => id)
  const cplcs = pairs.flatMap(({ before, after }) =>
    before.elements
      .map(({ cplc }) => cplc)
      .filter((cplc) => !after.elements.some((kept) => kept.cplc === cplc)),
  )
  if (devices.length + cplcs.length === 0) return
  const elements = await lockGivenUp(tx, { devices, cplcs })
  const removed = elements.filter(({ isNew }) => isNew)
  const detached = elements.filter(({ isNew }) => !isNew)
  // Before the rows are deleted, which provide the events' service provider.
  await events.recordAll(
    tx,
    actor,
    'device.delete',
    unmade.map((before) => ({ subject: before.id, before })),
  )
  await events.recordAll(
    tx,
    actor,
    'element.delete',
    removed.map(({ cplc, deviceId }) => ({ subject: cplc, before: { cplc, deviceId } })),
  )
  await events.recordAll(
    tx,
    actor,
    'element.detach',
    detached.map(({ cplc, deviceId }) => ({
      subject: cplc,
      before: { deviceId },
      after: { deviceId: null },
    })),
  )
  await giveUpElements(tx, {
    removed: removed.map(({ cplc }) => cplc),
    detached: detached.map(({ cplc }) => cplc),
  })
  await deleteDevices(tx, devices)
}
