import type { ColumnMapping } from '@grove/contract/maple/fleet/device-import'
import type { ImportField } from '@grove/contract/maple/fleet/device-import.rules'
import {
  defaultDeviceState,
  deviceStates,
  deviceTypes,
  isDeviceId,
  maxDeviceIdLength,
  maxDeviceNameLength,
  maxTagLength,
  maxAttributes,
  maxElements,
  maxTags,
  normaliseTag,
  type AttributeValue,
  type DeviceState,
  type DeviceType,
} from '@grove/contract/maple/fleet/device.rules'
import { isReadableName, normaliseName } from '@grove/contract/name.rules'
import { checkCplc, cplcDigits } from '@grove/secure-element/cplc'
import { attributeOf, attributesOf } from './read-attribute.ts'
import type { Wrong } from './row-problem.ts'

/** A device's values in a row; null leaves a value unchanged. */
export interface GivenDevice {
  id: string
  name: string | null
  type: DeviceType | null
  state: DeviceState | null
  innerId: string | null
  serviceId: string | null
  tags: string[] | null
  attributes: Record<string, AttributeValue> | null
  cplc: string[]
}

/** Defaults of a new device. */
export const newDeviceDefaults = { type: 'default', state: defaultDeviceState } as const

export type Reading = { device: GivenDevice; wrong: null } | { device: null; wrong: Wrong[] }

type Value = unknown
type Problem = Omit<Wrong, 'field' | 'column'>
/** Parses a non-empty value, or reports what is wrong. */
type Take = (value: Value, device: GivenDevice, column: ColumnMapping) => Problem | undefined

const takes: Record<ImportField, Take> = {
  id: textOf((text, device) => {
    if (!isDeviceId(text)) return { code: 'bad_id', params: { limit: maxDeviceIdLength } }
    device.id = text
    return undefined
  }),
  innerId: textOf((text, device) => {
    if (!isDeviceId(text)) return { code: 'bad_id', params: { limit: maxDeviceIdLength } }
    device.innerId = text
    return undefined
  }),
  name: textOf((text, device) => {
    const name = isPlain.test(text) ? text : normaliseName(text)
    if (name.length > maxDeviceNameLength)
      return { code: 'name_too_long', params: { limit: maxDeviceNameLength } }
    if (!isPlain.test(name) && !isReadableName(name)) return { code: 'name_unreadable' }
    device.name = name
    return undefined
  }),
  type: choiceOf(deviceTypes, (type, device) => (device.type = type)),
  state: choiceOf(deviceStates, (state, device) => (device.state = state)),
  // The database checks whether the service provider exists.
  serviceId: textOf((text, device) => {
    device.serviceId = text.slice(0, maxDeviceIdLength)
    return undefined
  }),
  cplc: (value, device) => {
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text !== 'string') return { code: 'wrong_kind' }
      for (const one of text.split(/[;,|\n]/)) {
        const problem = one.trim() === '' ? undefined : addCplc(one, device)
        if (problem) return problem
      }
    }
    return device.cplc.length > maxElements
      ? { code: 'too_many_elements', params: { limit: maxElements } }
      : undefined
  },
  tags: (value, device) => {
    const given = Array.isArray(value) ? value : String(value).split(',')
    const tags = new Set<string>()
    for (const text of given) {
      if (typeof text !== 'string') return { code: 'wrong_kind' }
      const tag = normaliseTag(text)
      if (tag === '') continue
      if (tag.length > maxTagLength || tag.includes(',') || !isReadableName(tag))
        return { code: 'bad_tag', params: { limit: maxTagLength } }
      tags.add(tag)
    }
    device.tags = [...tags].toSorted()
    return tags.size > maxTags ? { code: 'too_many_tags', params: { limit: maxTags } } : undefined
  },
  attributes: (value, device) => addAttributes(attributesOf(value), device),
  attribute: (value, device, { key = '', type = 'text' }) =>
    addAttributes(attributeOf(key, type, value), device),
}

function addCplc(text: string, { cplc }: GivenDevice): Problem | undefined {
  const check = checkCplc(text)
  if (check.kind === 'notHex') return { code: 'cplc_not_hex', params: { found: check.found } }
  if (check.kind === 'wrongLength')
    return { code: 'cplc_length', params: { digits: check.digits, expected: cplcDigits } }
  if (!cplc.includes(check.cplc)) cplc.push(check.cplc)
  return undefined
}

function addAttributes(
  given: Record<string, AttributeValue> | Problem,
  device: GivenDevice,
): Problem | undefined {
  if (isProblem(given)) return given
  device.attributes = { ...device.attributes, ...given }
  return Object.keys(device.attributes).length > maxAttributes
    ? { code: 'too_many_attributes', params: { limit: maxAttributes } }
    : undefined
}

const isProblem = (given: Record<string, AttributeValue> | Problem): given is Problem =>
  typeof given.code === 'string'

/** Most names: they need neither normalisation nor a check for hidden characters. */
const isPlain = /^[!-~]+(?: [!-~]+)*$/

function textOf(take: (text: string, device: GivenDevice) => Problem | undefined): Take {
  return (value, device) => {
    if (typeof value !== 'string' && typeof value !== 'number') return { code: 'wrong_kind' }
    const text = String(value).trim()
    return text.includes('\0') || !text.isWellFormed()
      ? { code: 'name_unreadable' }
      : take(text, device)
  }
}

function choiceOf<T extends string>(
  all: readonly T[],
  set: (value: T, device: GivenDevice) => void,
): Take {
  return textOf((text, device) => {
    const found = all.find((value) => value === text) ?? foldedOf(all, text)
    if (found === undefined) return { code: 'unknown_value', params: { allowed: all.join(', ') } }
    set(found, device)
    return undefined
  })
}

const foldedOf = <T extends string>(all: readonly T[], text: string): T | undefined =>
  all.find((value) => value === text.toLowerCase())

const isEmpty = (value: Value) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Reads the values of a row, each in its column, as a device. */
export function createDeviceReader(mapping: readonly ColumnMapping[]) {
  return (values: readonly Value[]): Reading => {
    const device: GivenDevice = {
      id: '',
      name: null,
      type: null,
      state: null,
      innerId: null,
      serviceId: null,
      tags: null,
      attributes: null,
      cplc: [],
    }
    const wrong: Wrong[] = []
    for (const mapped of mapping) {
      const { column, field } = mapped
      const value = values[column]
      if (isEmpty(value)) {
        if (field === 'id') wrong.push({ code: 'missing', field, column })
        continue
      }
      const problem = takes[field](value, device, mapped)
      if (problem) wrong.push({ value: textValue(value), ...problem, field, column })
    }
    return wrong.length > 0 ? { device: null, wrong } : { device, wrong: null }
  }
}

const textValue = (value: Value) => (typeof value === 'string' ? value : JSON.stringify(value))
