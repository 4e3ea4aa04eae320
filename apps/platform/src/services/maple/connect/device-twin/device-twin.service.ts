import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { differencesOf, maxDesiredLength } from '@grove/contract/maple/connect/device-twin.rules'
import {
  deepestState,
  isDeeperThan,
  isSame,
  isState,
  mergePatch,
} from '@grove/contract/maple/base/json-state.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { commandEvents, type DeviceContext } from '../context.ts'
import {
  findConnectable,
  shareConnectable,
} from '../device-credential/device-credential.queries.ts'
import { assertAllowed, rightsOf } from '../connect.policy.ts'
import { findTwin, lockTwin, updateDesired, type TwinFacts } from './device-twin.queries.ts'

const noDevice = () => new ProblemError('not_found', 'There is no such device.')

/** @throws ProblemError `not_found`. */
export async function readTwin(
  { db }: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  { deviceId }: { deviceId: string },
): Promise<DeviceTwin> {
  const device = await findConnectable(db, deviceId, scopeOf(actor))
  if (!device) throw noDevice()
  const { desiredKeys: _, ...twin } = (await findTwin(db, deviceId)) ?? emptyTwin(deviceId)
  return {
    ...twin,
    difference: differencesOf(twin.desired, twin.reported),
    rights: rightsOf(actor, device, { change: 'device.command' }),
  }
}

export interface DesiredChange {
  deviceId: string
  desired: Record<string, unknown>
  /** The version that the change is based on; without it, whatever is there. */
  version?: number | undefined
}

/**
 * Changes the desired state and notifies the process that has the device. Values already desired
 * change nothing, and create no version.
 * @throws ProblemError `not_found`, `transition_refused`, or `edit_conflict` with what changed.
 */
export async function changeDesired(
  { db, devices }: DeviceContext,
  actor: AnyActor,
  { deviceId, desired: change, version }: DesiredChange,
): Promise<DeviceTwin> {
  // Before anything walks over it.
  if (isDeeperThan(deepestState, change))
    throw invalidField('desired', 'deepest', `desired has at most ${deepestState} levels.`, {
      limit: deepestState,
    })
  const isChanged = await db.transaction().execute(async (tx) => {
    const device = await shareConnectable(tx, deviceId, scopeOf(actor))
    if (!device) throw noDevice()
    assertAllowed(actor, 'device.connect', device)
    const twin = await lockTwin(tx, deviceId)
    if (version !== undefined && version !== twin.desiredVersion) throw conflict(twin, version)
    const merged = mergePatch(twin.desired, change)
    if (!isState(merged)) throw new Error('A state stays a state.')
    if (Buffer.byteLength(JSON.stringify(merged)) > maxDesiredLength)
      throw invalidField('desired', 'maxLength', `desired has at most ${maxDesiredLength} bytes.`, {
        limit: maxDesiredLength,
      })
    if (isSame(merged, twin.desired)) return false
    const desiredVersion = twin.desiredVersion + 1
    await updateDesired(tx, {
      deviceId,
      desired: merged,
      desiredVersion,
      desiredKeys: keysAt(desiredVersion, twin, merged),
      desiredBy: actor.id,
    })
    await commandEvents.record(tx, actor, 'twin.update', deviceId, {
      before: { desired: twin.desired },
      after: { desired: merged },
    })
    return true
  })
  if (isChanged) await devices.tell('work', [deviceId])
  return readTwin({ db }, actor, { deviceId })
}

/** Removed keys that are remembered, so that a conflict can name them. */
const maxRemoved = 100

function keysAt(
  version: number,
  { desired, desiredKeys }: Pick<TwinFacts, 'desired' | 'desiredKeys'>,
  next: Readonly<Record<string, unknown>>,
): Record<string, number> {
  const valueOf = (state: Readonly<Record<string, unknown>>, key: string) =>
    Object.hasOwn(state, key) ? state[key] : undefined
  const all = new Map(Object.entries(desiredKeys))
  for (const key of new Set([...Object.keys(desired), ...Object.keys(next)]))
    if (!isSame(valueOf(desired, key), valueOf(next, key))) all.set(key, version)
  const removed = [...all].filter(([key]) => !Object.hasOwn(next, key))
  const forgotten = removed.toSorted(([, a], [, b]) => b - a).slice(maxRemoved)
  for (const [key] of forgotten) all.delete(key)
  return Object.fromEntries(all)
}

function conflict({ desiredVersion, desiredKeys }: TwinFacts, version: number): ProblemError {
  const errors = Object.entries(desiredKeys)
    .filter(([, at]) => at > version)
    .map(([key, at]) => ({
      path: `desired.${key}`,
      code: 'changed',
      message: `${key} changed in version ${at}.`,
      params: { version: at },
    }))
  return new ProblemError(
    'edit_conflict',
    `The desired state is at version ${desiredVersion}; the change is based on ${version}. Read it again and repeat the change.`,
    { errors },
  )
}

const emptyTwin = (deviceId: string): TwinFacts => ({
  deviceId,
  desired: {},
  desiredVersion: 0,
  desiredKeys: {},
  desiredAt: null,
  desiredBy: null,
  desiredProblem: null,
  reported: {},
  reportedVersion: 0,
  reportedAt: null,
  reportedProblem: null,
  answeredVersion: 0,
  answeredAt: null,
  refused: {},
})
