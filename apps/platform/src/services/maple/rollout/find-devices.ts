import { groupSizes, retriedStates } from '@grove/contract/maple/rollout/rollout.rules'
import { everything, scopeOfService } from '../../../core/scope.ts'
import type { MapleContext } from '../base/context.ts'
import { choiceOf } from '../fleet/device/device-choice.ts'
import { holdGroup } from '../fleet/group/group.queries.ts'
import type { MapleDb } from '../base/tables.ts'
import { advance } from './advance.ts'
import {
  addDevices,
  addToGroup,
  addZones,
  devicesOfElements,
  groupBatch,
  nextDevices,
  readJoined,
  readPreparation,
  setJoined,
  setPreparation,
  type FoundDevice,
  type Preparation,
  type Source,
} from './find-devices.queries.ts'
import { lockRollout, reopenGroup, type RolloutRow } from './rollout.queries.ts'
import { holdChain } from './retry.queries.ts'
import { canaryNumber } from './next-steps.rules.ts'
import { isZone } from './window.ts'

/** Devices that are written down, or put into a group, in one transaction. */
export const findAtOnce = 2_000
/** How often devices are looked for that join a rollout later. */
const joinEveryMs = 60_000

/**
 * Finds the devices of a rollout and assigns them to its groups, one batch per transaction: an
 * interrupted run continues after the last batch, and several runs share the batches.
 */
export async function prepare(
  { db, now }: Pick<MapleContext, 'db' | 'now'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const isDone = await db.transaction().execute(async (tx) => {
      const rollout = await lockRollout(tx, id, everything)
      const at = await readPreparation(tx, id)
      if (!rollout || !at || rollout.state !== 'running' || at.step === 'run') return true
      if (at.step === 'find') await findNext(tx, rollout, at, now())
      else await groupNext(tx, rollout, at)
      // The groups that can start do so with the last batch.
      await advance(tx, id, { now: now() })
      return false
    })
    if (isDone) return
  }
}

/** For a retry, the transaction keeps other retries from the same devices. */
async function retriedIn(
  tx: MapleDb,
  { id, retries, serviceId }: RolloutRow,
): Promise<Source | undefined> {
  if (retries === null) return undefined
  return {
    failedIn: retries.id,
    states: retries.state === null ? retriedStates : [retries.state],
    cause: retries.cause,
    others: await holdChain(tx, { id, of: retries.id }),
    scope: scopeOfService(serviceId),
  }
}

export async function sourceOf(
  db: MapleDb,
  { targets, rollsBack, serviceId }: RolloutRow,
  now: number,
): Promise<Source> {
  const scope = scopeOfService(serviceId)
  if (rollsBack !== null) return { succeededIn: rollsBack, scope }
  const { filter, devices } = targets
  if (!filter) return { devices: devices ?? [], scope }
  return { choice: await choiceOf(db, filter, { scope, now }) }
}

async function findNext(tx: MapleDb, rollout: RolloutRow, at: Preparation, now: number) {
  const { id, plan, startedAt, targets, serviceId } = rollout
  const groupId = targets.filter?.groupId
  // All batches find by one rule.
  if (groupId !== undefined) await holdGroup(tx, groupId, scopeOfService(serviceId))
  if (at.foundAfter === '' && plan.canaries.length > 0) await addCanaries(tx, rollout)
  // Relative times such as "seen within the hour" refer to the start.
  const source =
    (await retriedIn(tx, rollout)) ??
    (await sourceOf(tx, rollout, startedAt === null ? now : Date.parse(startedAt)))
  const devices = await nextDevices(tx, source, { after: at.foundAfter, limit: findAtOnce })
  const found = at.found + (await add(tx, rollout, devices, null))
  const last = devices.at(-1)
  const next: Preparation = last
    ? { ...at, found, foundAfter: last.id }
    : { ...at, found, step: 'group' }
  await setPreparation(tx, id, next)
}

async function addCanaries(tx: MapleDb, rollout: RolloutRow): Promise<void> {
  const elements = await devicesOfElements(
    tx,
    rollout.plan.canaries,
    scopeOfService(rollout.serviceId),
  )
  const ids = [...new Set(elements.map(({ deviceId }) => deviceId))]
  const devices = ids.map((deviceId) => ({ id: deviceId, zone: '' }))
  const added = await add(tx, rollout, devices, canaryNumber)
  await addToGroup(tx, rollout.id, canaryNumber, added)
}

/** Stores devices with the zones that the server knows; others use the rollout's. */
async function add(
  tx: MapleDb,
  rollout: RolloutRow,
  found: readonly FoundDevice[],
  group: number | null,
): Promise<number> {
  const { id, plan } = rollout
  const devices = found.map(({ id: device, zone }) => ({
    id: device,
    zone: plan.window && zone !== '' && isZone(zone) ? zone : '',
  }))
  if (devices.length === 0) return 0
  await addZones(tx, id, [...new Set(devices.map(({ zone }) => zone))])
  return addDevices(tx, rollout, devices, group)
}

/** The next devices without a group, in the order of their places, fill the groups one after another. */
async function groupNext(tx: MapleDb, { id, plan }: RolloutRow, at: Preparation): Promise<void> {
  const sizes = groupSizes(at.found, plan.groups)
  let upTo = 0
  for (const [index, size] of sizes.entries()) {
    upTo += size
    const left = Math.min(upTo - at.grouped, findAtOnce)
    if (left <= 0) continue
    const count = await groupBatch(tx, id, index + 1, left)
    await addToGroup(tx, id, index + 1, count)
    await setPreparation(tx, id, { ...at, grouped: at.grouped + count })
    return
  }
  await setPreparation(tx, id, { ...at, step: 'run' })
}

/** Adds the devices that the filter of a rollout finds now to its last group. */
export async function joinLate(
  { db, now }: Pick<MapleContext, 'db' | 'now'>,
  rollout: RolloutRow,
  signal: AbortSignal,
): Promise<void> {
  const { id, targets, plan } = rollout
  const { filter, joinUntil } = targets
  if (!filter || !joinUntil || rollout.step !== 'run') return
  const joined = await readJoined(db, id)
  if (joined !== null && now() - Date.parse(joined) < joinEveryMs) return
  const source = await sourceOf(db, rollout, now())
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const devices = await nextDevices(db, source, { after, limit: findAtOnce })
    const last = devices.at(-1)
    if (!last) break
    after = last.id
    await db.transaction().execute(async (tx) => {
      const held = await lockRollout(tx, id, everything)
      if (held?.state !== 'running' || Date.parse(joinUntil) <= now()) return
      const added = await add(tx, held, devices, plan.groups.length)
      if (added > 0) await takeIn(tx, held, added)
    })
  }
  await setJoined(db, id, now())
}

async function takeIn(tx: MapleDb, { id, plan }: RolloutRow, added: number): Promise<void> {
  const last = plan.groups.length
  await addToGroup(tx, id, last, added)
  await reopenGroup(tx, id, last)
}
