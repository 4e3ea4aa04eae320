import type { QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceDays } from '@grove/contract/maple/fleet/device-day'
import { defaultDeviceDays, maxDeviceDays } from '@grove/contract/maple/fleet/device-day.rules'
import { deviceStates } from '@grove/contract/maple/fleet/device.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import * as queries from './device-day.queries.ts'

const dayMs = 86_400_000
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Stores the current number of devices in each state as this day's count. */
export const countDay = ({ db, now }: Pick<MapleContext, 'db' | 'now'>): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await queries.writeDay(tx, dayOf(now()))
    await queries.deleteDaysBefore(tx, dayOf(now() - (maxDeviceDays - 1) * dayMs))
  })

/** The counts of the last days, starting with the first day counted; today's are exact. */
export async function readDeviceDays(
  { db, now }: Pick<MapleContext, 'db' | 'now'>,
  actor: AnyActor,
  { days: asked = defaultDeviceDays }: QueryOf<Calls['GET /api/maple/device/state']>,
): Promise<DeviceDays> {
  const scope = scopeOf(actor)
  const at = now()
  const all = Array.from({ length: asked }, (_, ago) => dayOf(at - ago * dayMs)).toReversed()
  const today = dayOf(at)
  const [counted, current] = await Promise.all([
    queries.readDays(db, all[0] ?? today, scope),
    queries.countStates(db, scope),
  ])
  const known = new Set(counted.map(({ day }) => day)).add(today)
  const days = all.slice(all.findIndex((day) => known.has(day)))
  const counts = new Map(
    [
      ...counted.filter(({ day }) => day !== today),
      ...current.map((each) => ({ ...each, day: today })),
    ].map(({ day, state, count }) => [`${day} ${state}`, count]),
  )
  return {
    days,
    states: deviceStates.map((state) => ({
      state,
      counts: days.map((day) => (known.has(day) ? (counts.get(`${day} ${state}`) ?? 0) : null)),
    })),
  }
}
