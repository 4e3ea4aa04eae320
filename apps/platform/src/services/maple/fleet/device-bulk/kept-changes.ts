import { isDeepStrictEqual } from 'node:util'
import { maxAttributes, maxTags, type DeviceState } from '@grove/contract/maple/fleet/device.rules'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { DeviceFacts } from '../device/device.queries.ts'

/**
 * A change's effects on a device by field: the values before and after it. Tags, attributes and
 * elements are separate fields, such as `tags.north`: adding another tag later does not conflict with
 * this one.
 */
export type KeptChanges = Record<string, [before: unknown, after: unknown]>

type Facts = Pick<
  DeviceFacts,
  | 'name'
  | 'type'
  | 'state'
  | 'innerId'
  | 'serviceId'
  | 'productId'
  | 'tags'
  | 'attributes'
  | 'elements'
>

/** An accepted device goes online and offline on its own. */
const standing = (state: DeviceState): DeviceState =>
  state === 'online' || state === 'offline' ? 'accepted' : state

function fieldsOf({ name, type, state, innerId, serviceId, productId, ...lists }: Facts) {
  const fields = new Map<string, unknown>(
    Object.entries({ name, type, state: standing(state), innerId, serviceId, productId }),
  )
  for (const tag of lists.tags) fields.set(`tags.${tag}`, true)
  for (const [key, value] of Object.entries(lists.attributes))
    fields.set(`attributes.${key}`, value)
  for (const { cplc } of lists.elements) fields.set(`elements.${cplc}`, true)
  return fields
}

export function keptChanges(before: Facts, after: Facts): KeptChanges {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return Object.fromEntries(
    [...new Set([...old.keys(), ...now.keys()])]
      .map((field): [string, [unknown, unknown]] => [
        field,
        [old.get(field) ?? null, now.get(field) ?? null],
      ])
      .filter(([, [one, other]]) => !isDeepStrictEqual(one, other)),
  )
}

export interface Conflict {
  field: string
  /** The value after the change, and the current one. */
  left: unknown
  now: unknown
}

/** The fields that have neither the value from before the change nor the one from after it. */
export function conflictsOf(device: Facts, changes: KeptChanges): Conflict[] {
  const fields = fieldsOf(device)
  return Object.entries(changes).flatMap(([field, [before, left]]) => {
    const now = fields.get(field) ?? null
    return isDeepStrictEqual(now, left) || isDeepStrictEqual(now, before)
      ? []
      : [{ field, left, now }]
  })
}

/**
 * The device with the values from before a change; undefined if it has them already.
 * @throws ProblemError `transition_refused` for a retired device, `limit_reached`.
 */
export function takenBack<Device extends Facts>(
  device: Device,
  changes: KeptChanges,
): Device | undefined {
  const fields = fieldsOf(device)
  const after = structuredClone(device)
  let isSame = true
  for (const [field, [before]] of Object.entries(changes)) {
    if (isDeepStrictEqual(fields.get(field) ?? null, before)) continue
    isSame = false
    set(after, field, before)
  }
  if (isSame) return undefined
  if (after.state !== device.state && device.state === 'retired')
    throw new ProblemError('transition_refused', 'A retired device stays retired.')
  if (after.tags.length > maxTags || Object.keys(after.attributes).length > maxAttributes)
    throw new ProblemError('limit_reached', 'The device has too many tags or attributes by now.')
  return after
}

function set(device: Facts, field: string, value: unknown): void {
  const at = field.indexOf('.')
  const key = field.slice(at + 1)
  switch (at === -1 ? field : field.slice(0, at)) {
    case 'tags':
      device.tags = device.tags.filter((tag) => tag !== key)
      if (value) device.tags = [...device.tags, key].toSorted()
      break
    case 'attributes':
      delete device.attributes[key]
      if (value) device.attributes[key] = value as Facts['attributes'][string]
      break
    case 'elements':
      // No element is reattached: it may be in another device by now.
      if (!value) device.elements = device.elements.filter(({ cplc }) => cplc !== key)
      break
    default:
      Object.assign(device, { [field]: value })
  }
}
