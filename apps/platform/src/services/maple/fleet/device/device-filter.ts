import { sql, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { QueryOf } from '@grove/contract/call'
import {
  deviceStates,
  deviceTypes,
  isDay,
  maxTerms,
  normaliseTag,
  parseConditions,
  placeOf,
} from '@grove/contract/maple/fleet/device.rules'
import { maxGroupDevices } from '@grove/contract/maple/fleet/group.rules'
import { invalidField } from '../../../../core/http/problem.ts'
import { isSeenIn, seenMoments, type Moments } from '../../base/tally.queries.ts'

type Sql = RawBuilder<unknown>

/** The limits of a list or a job. */
export type DeviceFilterQuery = Pick<
  QueryOf<Calls['GET /api/maple/device']>,
  | 'id'
  | 'innerId'
  | 'q'
  | 'type'
  | 'state'
  | 'seen'
  | 'createdOn'
  | 'tag'
  | 'attribute'
  | 'serviceId'
  | 'productId'
  | 'groupId'
  | 'importId'
>

export interface DeviceFilter {
  types: readonly Device['type'][]
  states: readonly Device['state'][]
  times: readonly TimeFilter[]
  serviceId: string | undefined
  productId: string | undefined
  /** A group that is a list. */
  groupId: string | undefined
  /** The import that was the last to create or change them. */
  importId: string | undefined
  /** As `maple.device_term` has them. */
  terms: readonly Sql[]
  ranges: readonly AttributeRange[]
}

/** A range of a timestamp column, and the tally that counts it. */
export interface TimeFilter {
  sort: 'createdAt' | 'lastSeenAt'
  moments: Moments
  tally: readonly [subject: string, keys: Sql]
}

export interface AttributeRange {
  key: string
  from: number
  to: number
}

/** @throws ProblemError `invalid_request` for invalid conditions, too many of them, or no such day. */
export function filterOf(query: DeviceFilterQuery, now: number): DeviceFilter {
  const { tag, attribute, createdOn } = query
  if (createdOn !== undefined && !isDay(createdOn))
    throw invalidField('createdOn', 'day', `There is no day ${createdOn}.`)
  const tags = new Set(tag?.split(',').map(normaliseTag))
  tags.delete('')
  const conditions = parseConditions(attribute ?? '')
  if (!conditions)
    throw invalidField(
      'attribute',
      'format',
      'attribute must hold conditions such as site=North Hall,floor>=3.',
    )
  if (tags.size + conditions.length > maxTerms)
    throw invalidField('attribute', 'maxItems', `A filter can have at most ${maxTerms} terms.`, {
      limit: maxTerms,
    })
  const ranges = new Map<string, AttributeRange>()
  for (const { key, operator, value } of conditions) {
    const place = operator === '=' ? undefined : placeOf(value)
    if (place === undefined) continue
    const range = ranges.get(key) ?? { key, from: -Infinity, to: Infinity }
    if (operator === '>=') range.from = Math.max(range.from, place)
    else range.to = Math.min(range.to, place)
    ranges.set(key, range)
  }
  return {
    types: chosen(deviceTypes, query.type),
    states: chosen(deviceStates, query.state),
    times: timesOf(query, now),
    serviceId: query.serviceId,
    productId: query.productId,
    groupId: query.groupId,
    importId: query.importId,
    terms: [
      ...[...tags].map((name) => sql`${`#${name}`}`),
      ...conditions
        .filter(({ operator }) => operator === '=')
        .map(({ key, value }) => sql`(${`${key}=`} || maple.attribute_text(${value}))`),
    ],
    ranges: [...ranges.values()],
  }
}

function timesOf({ seen, createdOn }: DeviceFilterQuery, now: number): TimeFilter[] {
  const times: TimeFilter[] = []
  if (seen !== undefined) {
    const moments = seenMoments(now)[seen]
    times.push({ sort: 'lastSeenAt', moments, tally: ['device seen', isSeenIn(moments)] })
  }
  if (createdOn !== undefined)
    times.push({
      sort: 'createdAt',
      moments: dayOf(createdOn),
      tally: ['device created', sql`key = ${createdOn}`],
    })
  return times
}

function dayOf(day: string): Moments {
  const from = `${day}T00:00:00.000Z`
  return { from, before: new Date(Date.parse(from) + 86_400_000).toISOString() }
}

/** The values named, each once, or all when none is. */
function chosen<T extends string>(all: readonly T[], list: string | undefined): readonly T[] {
  const named = list?.split(',')
  return named ? all.filter((value) => named.includes(value)) : all
}

/** Whether only some types or states are requested. */
export const hasSomeStates = ({ types, states }: DeviceFilter): boolean =>
  types.length < deviceTypes.length || states.length < deviceStates.length

/** Whether a filter leaves any device out. */
export const isLimited = (filter: DeviceFilter): boolean =>
  hasSomeStates(filter) ||
  [filter.times, filter.terms, filter.ranges].some(({ length }) => length > 0) ||
  [filter.productId, filter.groupId, filter.importId].some((id) => id !== undefined)

/**
 * Whether a row of `maple.device as device` matches the filter, given a term that is known to match.
 */
export function isOfFilter(filter: DeviceFilter, known?: Sql): Sql {
  const { types, states, times, serviceId, productId, groupId, importId, terms, ranges } = filter
  const conditions = [
    ...(hasSomeStates(filter)
      ? [
          sql`device.type = any(${enumArray('type', types)})
          and device.state = any(${enumArray('state', states)})`,
        ]
      : []),
    ...(times.length > 0 ? [isWithin(filter)] : []),
    ...(serviceId === undefined ? [] : [sql`device.service_id = ${serviceId}`]),
    ...(productId === undefined ? [] : [sql`device.product_id = ${productId}`]),
    // An array is small to the planner, so that it looks these ids up instead of walking the devices.
    ...(groupId === undefined ? [] : [sql`device.id = any(array(${membersOf(groupId)}))`]),
    ...(importId === undefined ? [] : [sql`device.import_id = ${importId}`]),
    ...terms
      .filter((term) => term !== known)
      .map(
        (term) => sql`exists (
        select from maple.device_term as known
        where known.term = ${term} and known.place = maple.place_of(device.created_at)
          and known.device_id = device.id)`,
      ),
    ...ranges.map(
      ({ key, from, to }) =>
        sql`maple.attribute_place(device.attributes, ${key}) between ${from} and ${to}`,
    ),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

/** The ids of a list: one range of a key. The limit tells the planner how many there can be. */
export const membersOf = (groupId: string): Sql => sql`
  select device_id as id from maple.device_group_member where group_id = ${groupId}
  limit ${sql.lit(maxGroupDevices)}`

const timeColumns = { createdAt: 'created_at', lastSeenAt: 'last_seen_at' } as const

/** Whether a row of `maple.device as device` is within the times of a filter. */
export function isWithin({ times }: DeviceFilter): Sql {
  const ranges = times.map(({ sort, moments: { from, before } }) => {
    const column = sql.ref(`device.${timeColumns[sort]}`)
    return sql`${column} >= ${from} and ${column} < ${before}`
  })
  return ranges.length === 0 ? sql`true` : sql.join(ranges, sql` and `)
}

/** Literals, so that the planner knows their number. */
export const enumArray = (of: 'type' | 'state', values: readonly string[]): Sql =>
  sql.raw(`'{${values.join(',')}}'::maple.device_${of}[]`)
