import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import { exchangeSearchLimit, exchangeSorting } from '@grove/contract/maple/card/session.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  flightsIn,
  type ExchangeRecord,
  type Flight,
  type StoredFlight,
} from './exchange-record.ts'

const hex = (column: string) => sql`upper(encode(${sql.ref(column)}, 'hex'))`

const columns = sql<ExchangeRecord>`
  seq, at, step, ins, ${hex('command')} as command, ${hex('reply')} as reply, ${hex('sent')} as sent,
  ${hex('received')} as received, status_word as "statusWord", latency_us as "latencyUs",
  is_failed as "isFailed", redacted, problem`

/** The location of a session's exchanges. */
export interface LogPlace {
  id: string
  day: string
}

const ofSession = ({ id, day }: LogPlace) => sql`day = ${day}::date and session_id = ${id}`

type ExchangeQuery = QueryOf<Calls['GET /api/maple/sessions/se/{id}/exchange']>

/**
 * A page is a range of the primary key of one partition. A search reads a limited number of exchanges
 * per page and reports where it stopped.
 */
export const exchangeList = defineList({
  name: 'exchange',
  sorts: { seq: ['seq', 'integer'] },
  sorting: exchangeSorting,
  tiebreak: ['seq', 'integer'],
  keys: ({ seq }) => [String(seq), String(seq)],
  rows: async (db: MapleDb, page: ListPage<ExchangeQuery, 'seq'>, place: LogPlace) => {
    const { query, direction, limit, after } = page
    const comparison = sql.raw(direction === 'asc' ? '>' : '<')
    const from =
      query.from !== undefined && direction === 'asc' ? sql`seq >= ${query.from}` : sql`true`
    const range = sql`
      ${ofSession(place)} and ${from}
      and ${after ? sql`seq ${comparison} ${Number(after.value)}` : sql`true`}
      and ${query.failed === true ? sql`is_failed` : sql`true`}`
    const order = sql`order by seq ${sql.raw(direction)}`
    const found = searchOf(query)
    if (!found)
      return sql<ExchangeRecord>`
        select ${columns} from maple.exchange where ${range} ${order} limit ${sql.lit(limit)}
      `.execute(db)
    const { rows } = await sql<ExchangeRecord & { isMatch: boolean; looked: number }>`
      with looked as (
        select *, ${found} as is_match, row_number() over (${order}) as place
        from (select * from maple.exchange where ${range} ${order}
          limit ${sql.lit(exchangeSearchLimit)}) as near
      )
      select ${columns}, is_match as "isMatch", place as looked from looked
      where is_match or place = ${sql.lit(exchangeSearchLimit)} ${order} limit ${sql.lit(limit + 1)}
    `.execute(db)
    const matches = rows.filter(({ isMatch }) => isMatch).slice(0, limit)
    const stoppedAt =
      matches.length < limit ? rows.find(({ looked }) => looked === exchangeSearchLimit) : undefined
    return { rows: matches, ...(stoppedAt && { stoppedAt }) }
  },
})

function searchOf({ ins, q }: ExchangeQuery) {
  if (ins === undefined && q === undefined) return undefined
  const byIns = ins === undefined ? sql`true` : sql`ins = ${Number.parseInt(ins, 16)}`
  if (q === undefined) return byIns
  const inColumn = (name: string) =>
    sql`coalesce(position(decode(${q}, 'hex') in ${sql.ref(name)}), 0) > 0`
  return sql`${byIns} and (${sql.join(
    ['command', 'reply', 'sent', 'received'].map((name) => inColumn(name)),
    sql` or `,
  )})`
}

/** The exchanges after a given one, in order. */
export async function readExchanges(
  db: MapleDb,
  place: LogPlace,
  { after, to, limit }: { after: number; to?: number; limit: number },
): Promise<ExchangeRecord[]> {
  const { rows } = await sql<ExchangeRecord>`
    select ${columns} from maple.exchange
    where ${ofSession(place)} and seq > ${after} and ${to === undefined ? sql`true` : sql`seq <= ${to}`}
    order by seq limit ${sql.lit(limit)}`.execute(db)
  return rows
}

/** The command that a session waits for. */
export async function readFlight(db: MapleDb, id: string): Promise<Flight | null> {
  const { rows } = await sql<{ flight: StoredFlight | null; exchanges: number }>`
    select flight, exchanges from maple.session_lease where session_id = ${id}`.execute(db)
  const [lease] = rows
  return (lease && flightsIn(lease.flight, lease.exchanges)[0]) ?? null
}
