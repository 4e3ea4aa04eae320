import type { AnyActor } from '../../../core/actor.ts'
import { takeOverEvents } from '../context.ts'
import { recordAttachments } from '../element/element.service.ts'
import type { MapleDb } from '../tables.ts'
import {
  deleteProvisionalDevice,
  deleteProvisionalElements,
  lockProvisionalDevice,
  lockProvisionalElements,
} from './take-over.queries.ts'

/** What shows that an id or a CPLC is somebody's. */
export type ProofKind = 'certificate' | 'claimCode'

interface Taking {
  /** Who has shown a proof. */
  serviceId: string | null
  proof: ProofKind
}

/**
 * Frees the id of a device that another service provider registered and never showed: its registration
 * goes, with its tags and states, and nothing of it comes to the one who has the proof. Both find it
 * in their events. The caller then adds the device, and says so by `recordTaking`. False where there was
 * none to take.
 */
export async function takeOverDevice(
  tx: MapleDb,
  actor: AnyActor,
  id: string,
  { serviceId, proof }: Taking,
): Promise<boolean> {
  const found = await lockProvisionalDevice(tx, id, serviceId)
  if (!found) return false
  // First, while the device says which service provider the event is of.
  await takeOverEvents.record(tx, actor, 'device.lose', id, {
    before: found.before,
    after: { proof },
  })
  await recordAttachments(tx, actor, id, { detached: found.elements })
  await deleteProvisionalDevice(tx, id)
  return true
}

/** In the events of the one who has the device now; the former one is not named. */
export const recordTaking = (tx: MapleDb, actor: AnyActor, id: string, proof: ProofKind) =>
  takeOverEvents.record(tx, actor, 'device.take_over', id, { after: { proof } })

/** The same for elements, which have no keys. @returns those that are free now. */
export async function takeOverElements(
  tx: MapleDb,
  actor: AnyActor,
  cplcs: readonly string[],
  { serviceId, proof }: Taking,
): Promise<string[]> {
  const found = await lockProvisionalElements(tx, cplcs, serviceId)
  for (const { cplc, deviceId } of found)
    await takeOverEvents.record(tx, actor, 'element.lose', cplc, {
      before: { deviceId },
      after: { proof },
    })
  const free = found.map(({ cplc }) => cplc)
  await deleteProvisionalElements(tx, free)
  return free
}

export const recordElementTaking = (tx: MapleDb, actor: AnyActor, cplc: string, proof: ProofKind) =>
  takeOverEvents.record(tx, actor, 'element.take_over', cplc, { after: { proof } })
