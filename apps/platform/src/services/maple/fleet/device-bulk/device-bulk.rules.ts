import { isDeepStrictEqual } from 'node:util'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import type { BulkAction } from '@grove/contract/maple/fleet/device-bulk.rules'
import { maxAttributes, maxTags } from '@grove/contract/maple/fleet/device.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { DeviceValues } from '../device/device.queries.ts'
import { storedAttributes, storedTags } from '../device/device.rules.ts'
import { assertAllowed } from '../fleet.policy.ts'

export type BulkChange = DeviceBulk['change'] & { action: BulkAction }

/** The device fields that a bulk change can set. */
export type BulkValues = Pick<
  DeviceValues,
  'state' | 'serviceId' | 'productId' | 'tags' | 'attributes'
>

/**
 * A change as stored: complete, and in the format of devices.
 * @throws ProblemError `invalid_request` if the action lacks a parameter.
 */
export function storedChange(given: BodyOf<Calls['POST /api/maple/device/bulk']>): BulkChange {
  const { action, tag, serviceId, key, attribute } = given
  switch (action) {
    case 'addTag':
    case 'removeTag':
      return { action, tag: storedTags([required('tag', tag)])[0] ?? '' }
    case 'setService':
      return { action, serviceId: required('serviceId', serviceId) }
    case 'setAttribute': {
      const name = required('key', key)
      const value = required('attribute', attribute)
      return {
        action,
        key: name,
        attribute: value && (storedAttributes({ [name]: value })[name] ?? null),
      }
    }
    default:
      return { action }
  }
}

function required<T>(path: string, value: T | undefined): T {
  if (value === undefined) throw invalidField(path, 'required', `${path} is missing.`)
  return value
}

/**
 * A device after a change; undefined when it is as wanted already.
 * @throws ProblemError by the rules of a change of one device.
 */
export function changed<Values extends BulkValues>(
  actor: AnyActor,
  device: Values,
  change: BulkChange,
): Values | undefined {
  const after = { ...device, ...valuesOf(actor, device, change) }
  return isDeepStrictEqual(after, device) ? undefined : after
}

function valuesOf(
  actor: AnyActor,
  { state, serviceId: former, productId, tags, attributes }: BulkValues,
  { action, tag = '', serviceId = null, key = '', attribute = null }: BulkChange,
): Partial<BulkValues> {
  switch (action) {
    case 'accept':
    case 'quarantine': {
      const to = action === 'accept' ? 'accepted' : 'quarantined'
      assertAllowed(actor, 'device.move', { state, to })
      return { state: to }
    }
    case 'retire':
      return { state: 'retired' }
    case 'addTag':
      return { tags: atMost(maxTags, [...new Set([...tags, tag])].toSorted()) }
    case 'removeTag':
      return { tags: tags.filter((each) => each !== tag) }
    case 'setService':
      // A device that leaves its service provider also leaves its product.
      return { serviceId, productId: serviceId === former ? productId : null }
    case 'setAttribute': {
      const entries = Object.entries(attributes).filter(([name]) => name !== key)
      if (attribute) entries.push([key, attribute])
      return { attributes: Object.fromEntries(atMost(maxAttributes, entries)) }
    }
  }
}

function atMost<T>(most: number, list: T[]): T[] {
  if (list.length > most)
    throw new ProblemError('limit_reached', `A device has at most ${most} of them.`)
  return list
}
