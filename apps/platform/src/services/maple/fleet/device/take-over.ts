import type { AnyActor } from '../../../../core/actor.ts'
import { disputeEvents, takeOverEvents } from '../context.ts'
import { recordAttachments } from '../element/element.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import { findDevice } from './device.queries.ts'
import {
  countTaken,
  deleteProvisionalDevice,
  deleteProvisionalElements,
  hasDispute,
  lockProvisionalDevice,
  lockProvisionalElements,
  type Proof,
} from './take-over.queries.ts'

/** Evidence of the ownership of an id or a CPLC. */
export type ProofKind = 'certificate' | 'claimCode'

interface Taking extends Proof {
  proof: ProofKind
}

/** Devices and elements that a service provider can take over per day; people settle the rest. */
const maxTaken = 20

/**
 * Frees the id of a device that another service provider registered without proof or activity before
 * the proof was created. Nothing of it is passed on. Both see it in their events; the former one's
 * has what a new registration needs. The caller then adds the device, and records it with
 * `recordTaking`. The elements named in a claim are locked with the device's own, in one order. False
 * if there was none to take.
 */
export async function takeOverDevice(
  tx: MapleDb,
  actor: AnyActor,
  id: string,
  { proof, named = [], ...taking }: Taking & { named?: readonly string[] },
): Promise<boolean> {
  const found = await lockProvisionalDevice(tx, id, taking, named)
  if (!found || !(await mayTake(tx, taking, 1))) return false
  // First, while the device still tells the event's service provider.
  await takeOverEvents.record(tx, actor, 'device.lose', id, {
    before: await findDevice(tx, id),
    after: { proof },
  })
  await recordAttachments(tx, actor, id, { detached: found.elements })
  await deleteProvisionalDevice(tx, id)
  return true
}

/** In the events of the one who has the device now; the former one is not named. */
export const recordTaking = (tx: MapleDb, actor: AnyActor, id: string, proof: ProofKind) =>
  takeOverEvents.record(tx, actor, 'device.take_over', id, { after: { proof } })

/** The same for elements, of which nothing is known yet. @returns those that are free now. */
export async function takeOverElements(
  tx: MapleDb,
  actor: AnyActor,
  cplcs: readonly string[],
  { proof, ...taking }: Taking,
): Promise<string[]> {
  const found = await lockProvisionalElements(tx, cplcs, taking)
  if (found.length === 0 || !(await mayTake(tx, taking, found.length))) return []
  for (const before of found)
    await takeOverEvents.record(tx, actor, 'element.lose', before.cplc, {
      before,
      after: { proof },
    })
  const free = found.map(({ cplc }) => cplc)
  await deleteProvisionalElements(tx, free)
  return free
}

export const recordElementTaking = (tx: MapleDb, actor: AnyActor, cplc: string, proof: ProofKind) =>
  takeOverEvents.record(tx, actor, 'element.take_over', cplc, { after: { proof } })

// After all other locks: a transaction that holds the count waits for no device and no element.
const mayTake = (tx: MapleDb, { serviceId }: Proof, count: number) =>
  countTaken(tx, { serviceId, count, most: maxTaken })

interface Dispute {
  /** The authority or the claim code. */
  of: string
  serviceId: string | null
  after: { proof: ProofKind; serial?: string }
}

/**
 * Someone has proof for another owner's object: an administrator settles it. Only in the events of
 * the one with the proof, since anyone can sign any name, and once a day, since the device keeps
 * retrying.
 */
export async function recordDispute(
  db: MapleDb,
  actor: AnyActor,
  action: 'device.dispute' | 'element.dispute',
  subject: string,
  { of, serviceId, after }: Dispute,
): Promise<void> {
  if (await hasDispute(db, { serviceId, action, subject })) return
  await disputeEvents.record(db, actor, action, subject, { of, after })
}
