import { normaliseName } from '../../name.rules.ts'
import { sortedBy } from '../../page.rules.ts'

/** spec §3 "Device types". */
export const deviceTypes = ['iot', 'virtual', 'boot', 'default'] as const
export type DeviceType = (typeof deviceTypes)[number]

export const deviceStates = [
  'pending',
  'accepted',
  'online',
  'offline',
  'quarantined',
  'retired',
] as const
export type DeviceState = (typeof deviceStates)[number]

/** The states that a new device can have; the connection sets `online` and `offline`. */
export const initialDeviceStates = ['pending', 'accepted', 'quarantined'] as const
export type InitialDeviceState = (typeof initialDeviceStates)[number]
export const defaultDeviceState: InitialDeviceState = 'pending'

/** The states that a person can move a device to. */
export const deviceTransitions: Record<DeviceState, readonly DeviceState[]> = {
  pending: ['accepted', 'quarantined', 'retired'],
  accepted: ['quarantined', 'retired'],
  online: ['quarantined', 'retired'],
  offline: ['quarantined', 'retired'],
  quarantined: ['accepted', 'retired'],
  retired: [],
}

/** Whether a device can keep its state or change to another. */
export const canBecome = (from: DeviceState, to: DeviceState): boolean =>
  // A third-party service may omit the state.
  from === to || (deviceStates.includes(from) && deviceTransitions[from].includes(to))

/** Visible ASCII without the separators of a URL, so that an id reads the same in an address. */
export const maxDeviceIdLength = 64
export const deviceIdPattern = `^[A-Za-z0-9][A-Za-z0-9._:-]{0,${maxDeviceIdLength - 1}}$`
export const isDeviceId = (text: string): boolean => new RegExp(deviceIdPattern).test(text)

/** A wearable's own identifier; the same characters as an id. */
export const innerIdPattern = deviceIdPattern

export const maxDeviceNameLength = 100
export const maxElements = 8

export const maxTags = 16
export const maxTagLength = 40
/** A comma separates the tags of a filter. */
export const tagPattern = '^[^,]*$'
/** Tags differ in more than case. */
export const normaliseTag = (text: string): string => normaliseName(text).toLowerCase()

export const attributeTypes = ['text', 'number', 'boolean', 'date'] as const
export type AttributeType = (typeof attributeTypes)[number]
export const maxAttributes = 32
export const maxAttributeKeyLength = 40
export const attributeKeyPattern = `^[a-z][a-z0-9_]{0,${maxAttributeKeyLength - 1}}$`
export const isAttributeKey = (text: string): boolean => new RegExp(attributeKeyPattern).test(text)
export const maxAttributeTextLength = 200

/** A value as its type wants it: text on one line, a day as `2026-03-01`. */
export interface AttributeValue {
  type: AttributeType
  value: string | number | boolean
}

const attributeChecks: Record<AttributeType, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isDay(value),
}

/** Whether a value has its declared type. */
export const isOfItsType = ({ type, value }: AttributeValue): boolean =>
  attributeChecks[type](value)

/** Whether a text is a day of the calendar in the years 1000 to 9999, such as `2026-03-01`. */
export function isDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  // `Date` turns 30 February into 1 March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

export const deviceSorting = sortedBy(['name', 'id', 'createdAt', 'lastSeenAt'], 'name', 'asc')

/** How long ago a device was last seen: within the hour, the day before that hour, and so on. */
export const deviceSeen = ['hour', 'day', 'week', 'month', 'older', 'never'] as const
export type DeviceSeen = (typeof deviceSeen)[number]

/** A day, such as 2026-11-22. */
export const dayPattern = String.raw`^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`

/** Sorted by the value of the attribute in the range filter. */
export const deviceSorts = [...deviceSorting.by, 'attribute'] as const
export type DeviceSort = (typeof deviceSorts)[number]

interface DeviceFilters {
  id?: string | undefined
  innerId?: string | undefined
  q?: string | undefined
  tag?: string | undefined
  attribute?: string | undefined
  importId?: string | undefined
  productId?: string | undefined
  groupId?: string | undefined
}

/** The sort orders of a list under its filters, such that a page is one range of an index. */
export function deviceSortsOf({
  id,
  innerId,
  q,
  groupId,
  ...filters
}: DeviceFilters): readonly DeviceSort[] {
  const isLookedAtWhole = id !== undefined || innerId !== undefined || groupId !== undefined
  if (isLookedAtWhole || q?.trim()) return deviceSorting.by
  const conditions = parseConditions(filters.attribute ?? '') ?? []
  if (conditions.some(({ operator }) => operator !== '=')) return ['attribute']
  const isOfTerms = conditions.length > 0 || Boolean(filters.tag)
  return isOfTerms || filters.importId || filters.productId ? ['createdAt'] : deviceSorting.by
}

/** The operators on attributes; `<=` and `>=` apply to numbers and days. */
export interface AttributeCondition {
  key: string
  operator: '=' | '<=' | '>='
  value: string
}

const condition = /^([a-z][a-z0-9_]*)(<=|>=|=)(.+)$/u

/**
 * Parses `site=North Hall,floor>=3`; commas and backslashes in a value are escaped with a backslash.
 * Undefined if malformed.
 */
export function parseConditions(text: string): AttributeCondition[] | undefined {
  const found = (text.match(/(?:\\.|[^\\,])+/gu) ?? []).map((part) => {
    const [, key = '', operator, value = ''] = condition.exec(part) ?? []
    return { key, operator, value: value.replaceAll(/\\(.)/gu, '$1').trim() }
  })
  const isWhole = ({ key, operator, value }: (typeof found)[number]) =>
    isAttributeKey(key) &&
    value !== '' &&
    (operator === '=' || (operator !== undefined && placeOf(value) !== undefined))
  return found.every(isWhole) ? (found as AttributeCondition[]) : undefined
}

export const formatConditions = (conditions: readonly AttributeCondition[]): string =>
  conditions
    .map(({ key, operator, value }) => key + operator + value.replaceAll(/[\\,]/g, String.raw`\$&`))
    .join(',')

/** Where a number or a day is in a range: a day by its count since 1970. */
export function placeOf(text: string): number | undefined {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  return isDay(text) ? Date.parse(`${text}T00:00:00Z`) / 86_400_000 : undefined
}

/** A filter can have at most this many tags and conditions in total. */
export const maxTerms = 8
/**
 * Suggestions of a filter: their maximum, and in a scope the number of newest devices that they come
 * from.
 */
export const labelKinds = ['tag', 'attribute'] as const
export type LabelKind = (typeof labelKinds)[number]
export const maxLabels = 50
export const labelDevices = 1_000

export const maxTagFilterLength = 400
export const maxAttributeFilterLength = 1_000

/** A search reads this many matches, a page of several filters this many devices. */
export const deviceSearchLimit = 2_000
export const deviceLookLimit = 1_000
/** A count stops here. */
export const deviceCountLimit = 10_000
