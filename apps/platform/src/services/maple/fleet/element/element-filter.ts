import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import { elementStates } from '@grove/contract/maple/fleet/element.rules'
import type { MapleDb } from '../../base/tables.ts'

export type ElementQuery = QueryOf<Calls['GET /api/maple/se/element']>

/** CPLCs from one text on, up to another that is not included. */
export interface Span {
  from: string
  to: string
}

/** Index ranges that contain every matching row in CPLC order. */
export interface Source {
  /** The profile that they are assigned to by hand. */
  profileId?: string
  /** Undefined: all, so that the primary key serves. */
  facets: readonly number[] | undefined
  spans: readonly Span[]
}

// No digit sorts after "~", and no text before the empty one.
const last = '~'
export const everything: Span = { from: '', to: last }
export const beginningWith = (digits: string): Span => ({ from: digits, to: digits + last })

/** The intersection of ranges with a range. */
export const within = (spans: readonly Span[], { from, to }: Span): Span[] =>
  spans
    .map((span) => ({
      from: span.from > from ? span.from : from,
      to: span.to < to ? span.to : to,
    }))
    .filter((span) => span.from < span.to)

/** What a filter reads. A rule is a CPLC prefix, so a profile is a range as well. */
export async function sourcesOf(db: MapleDb, query: ElementQuery): Promise<Source[]> {
  const { chipType, profile, hasProfile } = query
  const range = chipType === undefined ? everything : beginningWith(chipType)
  if (profile === undefined && hasProfile === undefined)
    return [{ facets: facetsOf(query), spans: [range] }]
  const rules = await rulesOf(db, profile)
  if (!rules) return []
  const byRule = { facets: facetsOf(query, false), spans: within(rules.map(beginningWith), range) }
  const byHand = { facets: facetsOf(query, true), spans: [range] }
  if (profile === undefined)
    return hasProfile
      ? [byHand, byRule]
      : [{ ...byRule, spans: within(spansBetween(rules), range) }]
  return hasProfile === false ? [] : [{ ...byHand, profileId: profile }, byRule]
}

/** The platforms of a profile, or of all in order; undefined if there is no such profile. */
async function rulesOf(db: MapleDb, profile?: string): Promise<string[] | undefined> {
  const { rows } = await sql<{ platform: string | null }>`
    select platform from maple.profile where ${profile === undefined ? sql`true` : sql`id = ${profile}`}
    order by platform
  `.execute(db)
  if (profile !== undefined && rows.length === 0) return undefined
  return rows.flatMap(({ platform }) => (platform === null ? [] : [platform]))
}

/** The CPLCs that begin with none of some sorted platforms. */
const spansBetween = (platforms: readonly string[]): Span[] =>
  ['', ...platforms.map((platform) => platform + last)].map((from, index) => ({
    from,
    to: platforms[index] ?? last,
  }))

/** Whether a profile or a chip type limits the CPLCs, which no tally counts. */
export const hasSpans = ({ profile, hasProfile, chipType }: ElementQuery): boolean =>
  [profile, hasProfile, chipType].some((filter) => filter !== undefined)

/** The number that encodes all filterable properties of an element but its CPLC (migration 0008). */
const facetOf = (
  state: number,
  { isAttached, hasHsm, isByHand }: Record<'isAttached' | 'hasHsm' | 'isByHand', boolean>,
) => state * 8 + Number(isAttached) * 4 + Number(hasHsm) * 2 + Number(isByHand)

/** The place of the state in the order of states. */
export const stateOf = (facet: number): number => facet >> 3
export const isAttached = (facet: number): boolean => (facet & 4) !== 0

export const allFacets: readonly number[] = Array.from(
  { length: elementStates.length * 8 },
  (_, facet) => facet,
)

/** The facets that a filter has; undefined when it has all. */
export function facetsOf(
  { state, attached, hsm }: Pick<ElementQuery, 'state' | 'attached' | 'hsm'>,
  isAssigned?: boolean,
): number[] | undefined {
  if ([state, attached, hsm, isAssigned].every((filter) => filter === undefined)) return undefined
  const named = state?.split(',')
  const either = (wanted: boolean | undefined) => (wanted === undefined ? [false, true] : [wanted])
  return elementStates.flatMap((each, index) =>
    named && !named.includes(each)
      ? []
      : either(attached).flatMap((hasDevice) =>
          either(hsm).flatMap((hasHsm) =>
            either(isAssigned).map((isByHand) =>
              facetOf(index, { isAttached: hasDevice, hasHsm, isByHand }),
            ),
          ),
        ),
  )
}
