import { sql, type RawBuilder } from 'kysely'
import { hexOfCplc } from '@grove/secure-element/cplc'
import {
  elementCountLimit as countLimit,
  elementSearchLimit as searchLimit,
  elementSorting,
  type ElementSort,
} from '@grove/contract/maple/fleet/element.rules'
import {
  defineList,
  inOrder,
  isBehind,
  upTo,
  type ListPage,
} from '../../../../core/database/define-list.ts'
import { beginsWith, hasWords, wordsOf } from '../../../../core/database/words.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import { tallyOf } from '../../base/tally.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { readCplc } from '../../base/cplc-text.ts'
import {
  allFacets,
  beginningWith,
  facetsOf,
  hasSpans,
  sourcesOf,
  within,
  type ElementQuery,
  type Source,
} from './element-filter.ts'
import { firstOf, sortKeys } from './element-pages.ts'
import { elementColumns, type ElementFacts } from './element.queries.ts'

type Sql = RawBuilder<unknown>
type ElementPage = ListPage<ElementQuery, ElementSort>

/** `key` is the row's sort value, as database text. */
type ElementRow = ElementFacts & { key: string | number }

export const elementList = defineList({
  name: 'element',
  sorts: {
    cplc: ['cplc', 'text'],
    chipId: ['chip_id', 'text'],
    state: ['facet', 'integer'],
    updatedAt: ['updated_at', 'timestamp'],
  },
  sorting: elementSorting,
  tiebreak: ['cplc', 'text'],
  keys: ({ key, cplc }) => [String(key), cplc],
  rows: async (db: MapleDb, page: ElementPage, scope: Scope) => {
    const { query } = page
    if (query.cplc !== undefined) return oneOf(db, page, readCplc('cplc', query.cplc), scope)
    const sources = await sourcesOf(db, query)
    if (sources.length === 0) return none
    const text = query.q?.trim() ?? ''
    if (query.reading !== undefined)
      return pageOfHits(db, page, differing({ sources, scope, text }))
    return text === ''
      ? pageOfAll(db, page, { sources, scope })
      : pageOfHits(
          db,
          page,
          hitsOf({ sources, scope, hex: hexOfCplc(text), words: nameWords(text) }),
        )
  },
})

const none = { rows: [], more: { isTruncated: false, count: { value: 0, isCapped: false } } }

const columns = [sql.ref('page.key'), sql.ref('page.cplc')] as const
/** The rows of `page`, which has the CPLCs and what they are sorted by. */
const rowsOfPage = (direction: ElementPage['direction']) => sql`
  select page.key, ${elementColumns}
  from page join maple.element as element on element.cplc = page.cplc
  order by ${inOrder(columns, direction)}`

/** An element by its CPLC, or by one that it had before. */
async function oneOf(db: MapleDb, { sort }: ElementPage, cplc: string, scope: Scope) {
  const { rows } = await sql<ElementRow>`
    select ${sortKeys[sort]} as key, ${elementColumns} from maple.element as element
    where element.cplc in (${cplc},
        (select cplc from maple.element_history where former_cplc = ${cplc}))
      and ${inScope(scope, 'element.service_id')}
  `.execute(db)
  return { rows, more: { isTruncated: false, count: { value: rows.length, isCapped: false } } }
}

interface Filter {
  sources: readonly Source[]
  scope: Scope
}

async function pageOfAll(db: MapleDb, page: ElementPage, { sources, scope }: Filter) {
  const [{ rows }, count] = await Promise.all([
    sql<ElementRow>`
      with page as materialized (${firstOf(sources, { ...page, scope })})
      ${rowsOfPage(page.direction)}
    `.execute(db),
    page.query.count ? countOf(db, page.query, { sources, scope }) : undefined,
  ])
  return { rows, more: { isTruncated: false, ...(count && { count }) } }
}

/** One page of a search; it reads only the first matches, which is reported. */
async function pageOfHits(
  db: MapleDb,
  { query, sort, direction, after, limit }: ElementPage,
  hits: Sql,
) {
  const { rows } = await sql<ElementRow & { found: number; isTruncated: boolean }>`
    with ${hits},
    match as (
      select hit.cplc, ${sort === 'cplc' ? sql`hit.cplc` : sql`found.key`} as key from hit ${
        // One lookup each: with a join, the whole table could be read.
        sort === 'cplc'
          ? sql``
          : sql`cross join lateral (
              select ${sortKeys[sort]} as key from maple.element where cplc = hit.cplc offset 0
            ) as found`
      }
    ),
    page as (
      select cplc, key from match
      where ${isBehind([sql.ref('key'), sql.ref('cplc')], direction, after)}
      order by ${inOrder([sql.ref('key'), sql.ref('cplc')], direction)} limit ${sql.lit(limit)}
    )
    select (select count(*) from hit) as found,
      (select max(seen) from looked) > ${sql.lit(searchLimit)} as "isTruncated",
      page.key, ${elementColumns}
    from (select) as always left join page on true
    left join maple.element as element on element.cplc = page.cplc
    order by ${inOrder(columns, direction)}
  `.execute(db)
  // An empty page still has one row, with the number of hits.
  const { found = 0, isTruncated = false } = rows[0] ?? {}
  return {
    rows: rows.flatMap(({ found: _found, isTruncated: _isTruncated, ...row }) =>
      row.cplc === null ? [] : [row],
    ),
    more: { isTruncated, ...(query.count && { count: { value: found, isCapped: isTruncated } }) },
  }
}

interface Search extends Filter {
  hex: string
  /** The words of a name. */
  words: readonly string[]
}

/** The words of a text that is not hex: the name of a device or of a software card. */
const nameWords = (text: string): string[] =>
  /^[0-9A-F]*$/.test(hexOfCplc(text)) ? [] : wordsOf(nameKey(text))

/**
 * What a search text finds: CPLC prefixes among the elements of the filter; chip id or serial
 * prefixes and names among all, then filtered. Each reads a bounded number.
 */
function hitsOf({ sources, scope, hex, words }: Search): Sql {
  const isHex = /^[0-9A-F]+$/.test(hex)
  const range = beginningWith(hex)
  const first = { sort: 'cplc', direction: 'asc', limit: searchLimit + 1, scope } as const
  const ofText = sources
    .map((source) => ({ ...source, spans: within(source.spans, range) }))
    .filter(({ spans }) => spans.length > 0)
  const beginning = isHex && ofText.length > 0 ? firstOf(ofText, first) : nothing
  // A chip id begins with the same digits as the CPLC.
  const byChip = isHex && hex.length > 8 && hex.length <= 24 ? byKey('chip_id') : nothing
  const bySerial = isHex && hex.length >= 4 && hex.length <= 8 ? byKey('serial') : nothing
  return sql`
    beginning as materialized (${beginning}),
    by_chip as materialized (${byChip}),
    by_serial as materialized (${bySerial}),
    by_name as materialized (${words.length > 0 ? byName(words, scope) : nothing}),
    looked as (
      select count(*) as seen from beginning
      union all select count(*) from by_chip
      union all select count(*) from by_serial
      union all select count(*) from by_name
    ),
    hit as materialized (
      select cplc from beginning
      union select cplc from by_chip where ${isFrom(sources, scope)}
      union select cplc from by_serial where ${isFrom(sources, scope)}
      union select cplc from by_name where ${isFrom(sources, scope)}
    )`

  function byKey(key: 'chip_id' | 'serial') {
    const column = sql.ref(key)
    return sql`
      select cplc, facet, profile_id, service_id from maple.element
      where ${column} >= ${range.from} and ${column} < ${range.to}
      order by ${column} limit ${sql.lit(searchLimit + 1)}`
  }
}

/** The elements whose cards differed, which are few, within the filter and the text. */
const differing = ({ sources, scope, text }: Filter & { text: string }): Sql => sql`
  differing as materialized (
    select cplc, chip_id, serial, facet, profile_id, service_id from maple.element
    where difference is not null and ${inScope(scope, 'service_id')}
    order by cplc limit ${sql.lit(searchLimit + 1)}
  ),
  looked as (select count(*) as seen from differing),
  hit as materialized (
    select cplc from differing where (${foundBy(text, scope)}) and ${isFrom(sources, scope)}
  )`

/** Whether a search text matches an element. */
function foundBy(text: string, scope: Scope): Sql {
  const words = nameWords(text)
  const { from, to } = beginningWith(hexOfCplc(text))
  const keys = [
    sql`cplc`,
    // As a search does: shorter texts are the beginning of the CPLC as well, or of too many serials.
    ...(from.length > 8 && from.length <= 24 ? [sql`chip_id`] : []),
    ...(from.length >= 4 && from.length <= 8 ? [sql`serial`] : []),
  ]
  return sql.join(
    [
      ...keys.map((key) => sql`(${key} >= ${from} and ${key} < ${to})`),
      ...(words.length > 0
        ? [sql`cplc in (select cplc from (${byName(words, scope)}) as named)`]
        : []),
    ],
    sql` or `,
  )
}

/**
 * The elements of devices whose names have all words, and of software cards whose names start with
 * them. Of the devices, only the first ones with the longest word are checked, since the fewest names
 * have it.
 */
function byName(words: readonly string[], scope: Scope): Sql {
  const [longest = ''] = words.toSorted((one, other) => other.length - one.length)
  const first = sql`
    select device_id from maple.device_word
    where ${beginsWith(sql.ref('word'), longest)} and ${inScope(scope, 'service_id')}
    order by word limit ${sql.lit(searchLimit + 1)}`
  const named = beginsWith(sql.ref('card.name_key'), words.join(' '))
  return sql`
    (select element.cplc, element.facet, element.profile_id, element.service_id
    from (${first}) as looked
    join maple.device as device on device.id = looked.device_id
    join maple.element as element on element.device_id = device.id
    where ${hasWords(sql`device.name_key`, words)} limit ${sql.lit(searchLimit + 1)})
    union
    (select element.cplc, element.facet, element.profile_id, element.service_id
    from maple.software_card as card join maple.element as element on element.cplc = card.cplc
    where ${named} order by card.name_key limit ${sql.lit(searchLimit + 1)})`
}

/** Whether an element is in one of the sources. */
const isFrom = (sources: readonly Source[], scope: Scope): Sql => sql`
  ${inScope(scope, 'service_id')} and (${sql.join(
    sources.map(
      ({ profileId, facets, spans }) => sql`(
        exists (
          select from unnest(
            ${spans.map(({ from }) => from)}::text[], ${spans.map(({ to }) => to)}::text[]
          ) as span (low, high)
          where cplc >= span.low collate "C" and cplc < span.high collate "C")
        and ${facets ? sql`facet = any(${facets}::smallint[])` : sql`true`}
        and ${profileId === undefined ? sql`true` : sql`profile_id = ${profileId}`})`,
    ),
    sql` or `,
  )})`

const nothing = sql`select cplc, facet, profile_id, service_id from maple.element where false`

/** The number of elements of a filter: all if the tally knows, otherwise up to the limit. */
async function countOf(db: MapleDb, query: ElementQuery, { sources, scope }: Filter) {
  if (!hasSpans(query)) {
    const facets = facetsOf(query) ?? allFacets
    const keys = facets.map(String)
    const value = await tallyOf(db, 'element', sql`key = any(${keys})`, scope)
    return { value, isCapped: false }
  }
  const request = { sort: 'cplc', direction: 'asc', limit: countLimit + 1, scope } as const
  const { rows } = await sql<{ count: number }>`
    select count(*) from (${firstOf(sources, { ...request, isOrdered: false })}) as counted
  `.execute(db)
  const [{ count } = { count: 0 }] = rows
  return upTo(countLimit, count)
}

/** The next elements of a search by CPLC: all pages together cover each one once. */
export async function readEveryElement(
  db: MapleDb,
  query: ElementQuery,
  scope: Scope,
  { after, limit }: { after: string; limit: number },
): Promise<ElementFacts[]> {
  const sources = await sourcesOf(db, query)
  if (sources.length === 0) return []
  const { rows } = await sql<ElementFacts>`
    with page as materialized (
      select cplc from maple.element
      where cplc > ${after} and (${foundBy(query.q?.trim() ?? '', scope)})
        and ${isFrom(sources, scope)}
        ${query.reading === undefined ? sql`` : sql`and difference is not null`}
      order by cplc limit ${sql.lit(limit)}
    )
    select ${elementColumns} from page join maple.element as element on element.cplc = page.cplc
    order by element.cplc
  `.execute(db)
  return rows
}
