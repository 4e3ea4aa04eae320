import type { Device } from '@grove/contract/maple/fleet/device'
import {
  isAttributeKey,
  isDay,
  isDeviceId,
  maxTags,
  maxTagLength,
  normaliseTag,
  type AttributeType,
} from '@grove/contract/maple/fleet/device.rules'
import { isReadableName, normaliseName } from '@grove/contract/name.rules'
import type { ValueProblem } from './device-values.ts'

/** A row of the form; `row` is stable while other rows come and go. */
export interface AttributeRow {
  row: string
  key: string
  type: AttributeType
  text: string
}

/** How a device is classified, and whom it is bound to. */
export interface LabelValues {
  /** Separated by commas. */
  tags: string
  attributes: AttributeRow[]
  serviceId: string
  innerId: string
  accountId: string
}

export const noLabels: LabelValues = {
  tags: '',
  attributes: [],
  serviceId: '',
  innerId: '',
  accountId: '',
}

type Labels = Pick<Device, 'tags' | 'attributes' | 'serviceId' | 'innerId' | 'accountId'>

export const labelValuesOf = (device: Labels): LabelValues => ({
  tags: device.tags.join(', '),
  attributes: Object.entries(device.attributes)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { type, value }]) => ({ row: key, key, type, text: String(value) })),
  serviceId: device.serviceId ?? '',
  innerId: device.innerId ?? '',
  accountId: device.accountId ?? '',
})

export const tagsOf = (text: string): string[] =>
  [...new Set(text.split(',').map(normaliseTag))].filter((tag) => tag !== '').toSorted()

/**
 * A value in the type that the service wants; text that does not convert stays text, which it
 * refuses.
 */
export function attributeOf({ type, text }: Pick<AttributeRow, 'type' | 'text'>) {
  const plain = normaliseName(text)
  if (type === 'number') return { type, value: isNumber(plain) ? Number(plain) : plain }
  if (type === 'boolean') return { type, value: plain === 'true' }
  return { type, value: plain }
}

const isNumber = (text: string) => text !== '' && Number.isFinite(Number(text))

const attributesOf = (rows: readonly AttributeRow[]): Device['attributes'] =>
  Object.fromEntries(
    rows
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .map((row) => [row.key.trim(), attributeOf(row)]),
  )

const bodyOf = (values: LabelValues) => ({
  tags: tagsOf(values.tags),
  attributes: attributesOf(values.attributes),
  serviceId: values.serviceId.trim() || null,
  innerId: values.innerId.trim() || null,
  accountId: values.accountId.trim() || null,
})

/** The change to request from the service. */
export function labelChangeOf(before: LabelValues, after: LabelValues) {
  const was = bodyOf(before)
  const entries = Object.entries(bodyOf(after)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name as keyof typeof was]),
  )
  return Object.fromEntries(entries) as Partial<typeof was>
}

/** Errors, keyed by the paths of the values. */
export function labelProblemsOf(values: LabelValues): Record<string, ValueProblem> {
  const problems: Record<string, ValueProblem> = {}
  const tags = tagsOf(values.tags)
  if (tags.length > maxTags) problems['tags'] = 'tooManyTags'
  else if (tags.some((tag) => tag.length > maxTagLength)) problems['tags'] = 'longTag'
  else if (!tags.every(isReadableName)) problems['tags'] = 'unreadable'
  const [innerId, accountId] = [values.innerId.trim(), values.accountId.trim()]
  if (innerId !== '' && !isDeviceId(innerId)) problems['innerId'] = 'idForm'
  if (innerId === '' && accountId !== '') problems['innerId'] = 'innerIdMissing'
  const keys = values.attributes.map(({ key }) => key.trim())
  for (const [index, { type, text }] of values.attributes.entries()) {
    const key = keys[index] ?? ''
    if (!isAttributeKey(key)) problems[`attributes.${index}.key`] = 'keyForm'
    else if (keys.indexOf(key) < index) problems[`attributes.${index}.key`] = 'keyTwice'
    const plain = normaliseName(text)
    if (plain === '') problems[`attributes.${index}.text`] = 'required'
    else if (!isReadableName(plain)) problems[`attributes.${index}.text`] = 'unreadable'
    else if (type === 'number' && !isNumber(plain)) problems[`attributes.${index}.text`] = 'number'
    else if (type === 'date' && !isDay(plain)) problems[`attributes.${index}.text`] = 'day'
  }
  return problems
}

/** The row that the service refuses: it refers to attributes by key. */
export function labelFieldOf(path: string, { attributes }: LabelValues): string {
  const key = /^attributes\.([^.]+)/.exec(path)?.[1]
  const index = attributes.findIndex((row) => row.key.trim() === key)
  if (index !== -1) return `attributes.${index}.text`
  return path.replace(/^tags\.\d+$/, 'tags')
}
