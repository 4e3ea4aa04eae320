import { Readable } from 'node:stream'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import { maxChartDays, maxChartKeys } from '@grove/contract/maple/connect/telemetry.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { ConnectContext } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { dayOf, dropDaysBefore, makeDays } from '../../base/day-partitions.ts'
import { csvCell } from '../../base/formula-cell.ts'
import { hasDevice } from '../device-credential/device-credential.queries.ts'
import { currentDays } from './telemetry.rules.ts'
import { deleteOldHours, readChart, rollLateHours, rollNextHour } from './telemetry-hour.queries.ts'
import { findKeys, readPoints, type Range } from './telemetry.queries.ts'

const dayMs = 86_400_000

/** @throws ProblemError `not_found`, or `invalid_request` for a range without an end or too long. */
async function checkRange({ db }: Pick<MapleContext, 'db'>, actor: AnyActor, range: Range) {
  const length = Date.parse(range.to) - Date.parse(range.from)
  if (!(length > 0)) throw invalidField('to', 'range', '`to` comes after `from`.')
  if (length > maxChartDays * dayMs)
    throw invalidField('to', 'maximum', `A range has at most ${maxChartDays} days.`, {
      limit: maxChartDays,
    })
  if (!(await hasDevice(db, range.deviceId, scopeOf(actor))))
    throw new ProblemError('not_found', 'There is no such device.')
}

type Context = Pick<ConnectContext, 'db' | 'telemetry'>

type Keys = Calls['GET /api/maple/device/telemetry/key']

export async function listKeys(
  context: Context,
  actor: AnyActor,
  range: QueryOf<Keys>,
): Promise<ResponseOf<Keys>> {
  await checkRange(context, actor, range)
  return { items: await context.telemetry.read(context.db, (db) => findKeys(db, range)) }
}

type Chart = Calls['GET /api/maple/device/telemetry']

export async function readTelemetry(
  context: Context,
  actor: AnyActor,
  { key, columns = 600, ...range }: QueryOf<Chart>,
): Promise<ResponseOf<Chart>> {
  await checkRange(context, actor, range)
  const found = await context.telemetry.read(context.db, (db) =>
    readChart(db, range, { key, columns }),
  )
  return {
    items: found.map((each) => {
      const { clamped: _, lastAt: __, ...column } = each
      return column
    }),
    clamped: found.reduce((sum, { clamped }) => sum + clamped, 0),
    newestAt: found.at(-1)?.lastAt ?? null,
  }
}

const pointsAtOnce = 5000

export async function exportTelemetry(
  context: Context,
  actor: AnyActor,
  { key, ...range }: QueryOf<Calls['GET /api/maple/device/telemetry/export']>,
): Promise<{ name: string; body: Readable }> {
  await checkRange(context, actor, range)
  const asked = key?.split('\n').filter((each) => each !== '')
  if (asked && asked.length > maxChartKeys)
    throw invalidField('key', 'maxItems', `A file has at most ${maxChartKeys} keys.`, {
      limit: maxChartKeys,
    })
  const keys = await context.telemetry.read(
    context.db,
    async (db) => asked ?? (await findKeys(db, range)).map((each) => each.key),
  )
  return {
    name: `telemetry-${range.deviceId.replaceAll(/[^\w.-]/g, '_')}.csv`,
    body: Readable.from(linesOf(context, range, keys), { objectMode: false }),
  }
}

async function* linesOf(
  context: Context,
  range: Range,
  keys: readonly string[],
): AsyncGenerator<string> {
  const db = context.telemetry.of(context.db)
  yield 'time,key,value,device_time\r\n'
  for (const key of keys) {
    const name = csvCell(key)
    for (let after: string | undefined; ;) {
      const points = await readPoints(db, range, { key, after, limit: pointsAtOnce })
      yield points
        .map(({ at, value, sentAt }) => `${at},${name},${value},${sentAt ?? ''}\r\n`)
        .join('')
      after = points.at(-1)?.at
      if (points.length < pointsAtOnce) break
    }
  }
}

/**
 * Creates the partitions of the coming days, and drops those past their retention, including those
 * left in the database from before measurements had a separate store.
 */
export async function tidyTelemetry(
  { db, telemetry, now, settings }: Pick<ConnectContext, 'db' | 'now' | 'settings' | 'telemetry'>,
  signal: AbortSignal,
): Promise<void> {
  await makeDays(telemetry.db, 'telemetry', currentDays(now()))
  const oldest = dayOf(now() - settings.telemetryDays * dayMs)
  for (const each of new Set([db, telemetry.db])) {
    await dropDaysBefore(each, 'telemetry', oldest)
    while (!signal.aborted)
      if ((await deleteOldHours(each, { days: settings.telemetryHourDays, most })) < most) break
  }
}

const most = 5000

/** Creates the completed hours, and again those that have got points since. */
export async function rollTelemetry(
  { telemetry: { db } }: Pick<ConnectContext, 'telemetry'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await rollNextHour(db)));
  while (!signal.aborted) if ((await rollLateHours(db, most)) < most) return
}
