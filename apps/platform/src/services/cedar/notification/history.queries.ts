import { sql, type RawBuilder } from 'kysely'
import type { CedarDb } from '../tables.ts'

/** The scope of the counts of everyone's notifications. */
export const everyone = '00000000-0000-0000-0000-000000000000'

/** The scope: notifications of a product, of providers, or everyone's. */
export type HistoryScope = { productId: string } | { providerIds: readonly string[] } | 'everyone'

/** A half-open interval. */
export interface Span {
  from?: string | undefined
  before?: string | undefined
}

/** The ids under which the counts of a scope are stored. */
export const countedUnder = (scope: HistoryScope): readonly string[] => {
  if (scope === 'everyone') return [everyone]
  return 'productId' in scope ? [scope.productId] : scope.providerIds
}

const hour = sql`interval '1 hour'`
const hourOf = (moment: RawBuilder<unknown>) => sql`date_trunc('hour', ${moment}, 'UTC')`
const at = (moment: string) => sql`${moment}::timestamptz`
const within = ({ from, before }: Span) => sql`
  ${from === undefined ? sql`true` : sql`at >= ${at(from)}`}
  and ${before === undefined ? sql`true` : sql`at < ${at(before)}`}`

const ofScope = (scope: HistoryScope) => {
  if (scope === 'everyone') return sql`true`
  return 'productId' in scope
    ? sql`product_id = ${scope.productId}`
    : sql`provider_id = any(${scope.providerIds}::uuid[])`
}

/**
 * Locates an offset with the hourly counts: the cost follows the number of non-empty hours, not the
 * offset. The partial hours at both ends are counted row by row.
 */
async function placeOf(db: CedarDb, scope: HistoryScope, span: Span, offset: number) {
  const { from, before } = span
  const counted = (part: Span) =>
    sql`(select count(*) from cedar.notification where ${ofScope(scope)} and ${within(part)})`
  // The whole hours in between.
  const first =
    from === undefined
      ? null
      : sql`${hourOf(sql`${at(from)} + ${hour} - interval '1 microsecond'`)}`
  const end = before === undefined ? null : hourOf(at(before))
  const parts = [
    sql`select hour as starts, sum(notifications)::bigint as n from cedar.notification_hour
      where scope_id = any(${countedUnder(scope)}::uuid[]) and notifications > 0
        and ${first === null ? sql`true` : sql`hour >= ${first}`}
        and ${end === null ? sql`true` : sql`hour < ${end}`}
      group by hour`,
  ]
  const isWithinAnHour =
    from !== undefined && before !== undefined && hourText(from) === hourText(before)
  if (isWithinAnHour) parts.push(sql`select ${at(from)}, ${counted(span)}`)
  else {
    if (end !== null && before !== undefined)
      parts.push(
        sql`select ${end}, (select count(*) from cedar.notification
          where ${ofScope(scope)} and at >= ${end} and at < ${at(before)})`,
      )
    if (first !== null && from !== undefined)
      parts.push(
        sql`select ${at(from)}, (select count(*) from cedar.notification
          where ${ofScope(scope)} and at >= ${at(from)} and at < ${first})`,
      )
  }
  const { rows } = await sql<{ total: number; starts: string | null; skipped: number | null }>`
    with part as (${sql.join(parts, sql` union all `)}),
    summed as (select starts, n, sum(n) over (order by starts desc) as upto from part where n > 0)
    select (select coalesce(sum(n), 0)::bigint from part) as total, place.starts, place.skipped
    from (select) one left join lateral (
      select starts, (upto - n)::bigint as skipped from summed
      where upto > ${offset} order by upto limit 1
    ) place on true`.execute(db)
  return rows[0]
}

const hourText = (moment: string) => Math.floor(Date.parse(moment) / 3600_000)

/** The ids of one page, latest first, and the total count. */
export async function readHistory(
  db: CedarDb,
  scope: HistoryScope,
  { span, offset, length }: { span: Span; offset: number; length: number },
): Promise<{ ids: string[]; total: number }> {
  const place = await placeOf(db, scope, span, offset)
  const { total = 0, starts = null, skipped = 0 } = place ?? {}
  if (starts === null) return { ids: [], total }
  const rest = offset - (skipped ?? 0)
  const behind = sql`at < ${hourOf(at(starts))} + ${hour} and ${within(span)}`
  const rows = await latest(db, scope, behind, { skip: rest, length })
  return { ids: rows.map(({ id }) => id), total }
}

/** The next rows of a history read from its latest to its end. */
export const readBehind = (
  db: CedarDb,
  scope: HistoryScope,
  { span, after, length }: { span: Span; after: HistoryKey | undefined; length: number },
): Promise<HistoryKey[]> => {
  const isBehind = after ? sql`(at, id) < (${at(after.at)}, ${after.id}::uuid)` : sql`true`
  return latest(db, scope, sql`${within(span)} and ${isBehind}`, { skip: 0, length })
}

export interface HistoryKey {
  id: string
  at: string
}

/** Each provider is read in order through its own index, up to the page size. */
async function latest(
  db: CedarDb,
  scope: HistoryScope,
  condition: RawBuilder<unknown>,
  { skip, length }: { skip: number; length: number },
): Promise<HistoryKey[]> {
  const page = (whose: RawBuilder<unknown>, offset: number, limit: number) => sql<HistoryKey>`
    select id, at from cedar.notification where ${whose} and ${condition}
    order by at desc, id desc offset ${offset} limit ${limit}`
  const ofSeveral =
    scope !== 'everyone' && 'providerIds' in scope && scope.providerIds.length > 1
      ? scope.providerIds
      : undefined
  const query = ofSeveral
    ? sql<HistoryKey>`
        select found.id, found.at from unnest(${ofSeveral}::uuid[]) as owned (provider)
        cross join lateral (${page(sql`provider_id = owned.provider`, 0, skip + length)}) found
        order by found.at desc, found.id desc offset ${skip} limit ${length}`
    : page(ofScope(scope), skip, length)
  const { rows } = await query.execute(db)
  return rows
}

/** The counts of one hour. */
export interface HourCounts {
  notifications?: number
  sent?: number
  delivered?: number
  opened?: number
  failed?: number
}

interface Counted {
  productId: string
  providerId: string
  /** Null: now. */
  at: string | null
  counts: HourCounts
}

/** Adds to the counts of an hour, in a fixed order, to avoid deadlocks. */
export const addToHour = (
  db: CedarDb,
  { productId, providerId, at: moment, counts }: Counted,
): Promise<unknown> => {
  const { notifications = 0, sent = 0, delivered = 0, opened = 0, failed = 0 } = counts
  return sql`
    insert into cedar.notification_hour as h
      (scope_id, hour, notifications, sent, delivered, opened, failed)
    select scope, ${hourOf(sql`coalesce(${moment}::timestamptz, now())`)},
      ${notifications}::integer, ${sent}::bigint, ${delivered}::bigint, ${opened}::bigint,
      ${failed}::bigint
    from unnest(${[everyone, providerId, productId]}::uuid[]) as scope order by scope
    on conflict (scope_id, hour) do update set
      notifications = h.notifications + excluded.notifications,
      sent = h.sent + excluded.sent, delivered = h.delivered + excluded.delivered,
      opened = h.opened + excluded.opened, failed = h.failed + excluded.failed`.execute(db)
}

export interface HourRow extends Required<HourCounts> {
  hour: string
}

export async function readHours(
  db: CedarDb,
  scope: HistoryScope,
  { from, before }: Required<Span>,
): Promise<HourRow[]> {
  const { rows } = await sql<HourRow>`
    select hour, sum(notifications)::bigint as notifications, sum(sent)::bigint as sent,
      sum(delivered)::bigint as delivered, sum(opened)::bigint as opened,
      sum(failed)::bigint as failed
    from cedar.notification_hour
    where scope_id = any(${countedUnder(scope)}::uuid[])
      and hour >= ${hourOf(at(from ?? ''))} and hour < ${at(before ?? '')}
    group by hour order by hour`.execute(db)
  return rows
}
