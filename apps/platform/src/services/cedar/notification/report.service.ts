import type { Calls } from '@grove/contract/calls'
import type { Notification } from '@grove/contract/cedar/notification'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import { notificationLimits } from '@grove/contract/cedar/notification.rules'
import { locales } from '@grove/contract/locale.rules'
import type { Actor } from '../../../core/actor.ts'
import { invalidField } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { csvLine } from '../parts/csv.ts'
import { titleOf } from '../parts/translations.ts'
import { readBehind, readHours, type HistoryKey, type HourRow } from './history.queries.ts'
import { findPage } from './notification.queries.ts'
import { scopeOf, spanOf, toNotification } from './notification.service.ts'

type Statistics = Calls['GET /api/notification/statistics']
const day = 86_400_000

/** The counts per day in a time zone. */
export async function readStatistics(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Statistics>,
): Promise<ResponseOf<Statistics>> {
  const { zone = 'UTC' } = query
  const dayOf = dayOfZone(zone)
  const before = query.toDate === undefined ? context.now() : Date.parse(query.toDate)
  const from = query.fromDate === undefined ? before - 30 * day : Date.parse(query.fromDate)
  if (from > before) throw invalidField('toDate', 'minimum', 'toDate is before fromDate.')
  if (before - from > (notificationLimits.statisticsDays + 1) * day)
    throw invalidField(
      'fromDate',
      'maximum',
      `Statistics cover ${notificationLimits.statisticsDays} days at most.`,
      { limit: notificationLimits.statisticsDays },
    )
  const scope = await scopeOf(context, actor, query)
  const hours = await readHours(context.db, scope, {
    from: new Date(from).toISOString(),
    before: new Date(before).toISOString(),
  })
  const days = new Map<string, Counts>()
  for (const { hour, ...counts } of hours) {
    const name = dayOf(hour)
    const known = days.get(name)
    days.set(name, known ? sumOf(known, counts) : counts)
  }
  return { days: [...days].map(([name, counts]) => ({ day: name, ...counts })) }
}

type Counts = Omit<HourRow, 'hour'>
const sumOf = (a: Counts, b: Counts): Counts => ({
  notifications: a.notifications + b.notifications,
  sent: a.sent + b.sent,
  delivered: a.delivered + b.delivered,
  opened: a.opened + b.opened,
  failed: a.failed + b.failed,
})

/** `YYYY-MM-DD` of a time in a time zone. @throws ProblemError for an unknown zone. */
function dayOfZone(timeZone: string): (moment: string) => string {
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    return (moment) => format.format(new Date(moment))
  } catch {
    throw invalidField('zone', 'format', 'zone must be a time zone such as Europe/Berlin.')
  }
}

const pageSize = 1000
const columns = [
  'due',
  'app',
  'state',
  'devices',
  'sent',
  'delivered',
  'opened',
  'failed',
  ...locales.flatMap((locale) => [`title ${locale}`, `body ${locale}`]),
  'link',
  'audience',
  'id',
  'app id',
]

/** The history as CSV, read page by page, so memory does not grow with its length. */
export async function exportNotifications(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/notification/csv']>,
): Promise<AsyncIterable<string>> {
  const scope = await scopeOf(context, actor, query)
  const span = spanOf(query)
  return (async function* lines() {
    // Excel recognises UTF-8 only with a byte-order mark.
    yield `\ufeff${csvLine(columns)}`
    let after: HistoryKey | undefined
    for (let read = 0; read < notificationLimits.exportedRows; read += pageSize) {
      const keys = await readBehind(context.db, scope, { span, after, length: pageSize })
      const rows = await findPage(
        context.db,
        keys.map(({ id }) => id),
      )
      yield rows.map((row) => csvLine(cellsOf(toNotification(actor, row)))).join('')
      after = keys.at(-1)
      if (keys.length < pageSize) return
    }
  })()
}

const cellsOf = (each: Notification): string[] => [
  each.at,
  titleOf(each.productTranslations),
  each.state,
  String(each.devices ?? ''),
  String(each.sent),
  String(each.delivered),
  String(each.opened),
  String(each.failed),
  ...locales.flatMap((locale) => {
    const text = each.translations.find(({ localeCode }) => localeCode === locale)
    return [text?.title ?? '', text?.body ?? '']
  }),
  each.link ?? '',
  JSON.stringify(each.audience),
  each.id,
  each.productId,
]
