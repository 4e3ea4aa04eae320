import type { DeviceConnection } from '@grove/contract/maple/connect/device-connection'
import { shownMessages } from '@grove/contract/maple/connect/device-connection.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import { dayOf, dropDaysBefore, readDays } from '../../base/day-partitions.ts'
import { hasDevice } from '../device-credential/device-credential.queries.ts'
import { deleteOldNotices } from '../gateway/gateway.queries.ts'
import { findPresence, newestMessages, recentConnections } from './device-connection.queries.ts'
import {
  beginMessageDay,
  deleteDecodingsBefore,
  deleteFirstMessages,
  firstMessageDay,
  makeMessageDays,
} from './message-days.queries.ts'
import { rivalsAmong } from './rivals.rules.ts'

/** @throws ProblemError `not_found`. */
export async function readConnection(
  { db }: MapleContext,
  actor: Actor,
  { deviceId }: { deviceId: string },
): Promise<DeviceConnection> {
  if (!(await hasDevice(db, deviceId, scopeOf(actor))))
    throw new ProblemError('not_found', 'There is no such device.')
  const [presence, messages, recent] = await Promise.all([
    findPresence(db, deviceId),
    newestMessages(db, deviceId, shownMessages),
    recentConnections(db, deviceId),
  ])
  return { ...presence, rivals: rivalsAmong(recent), messages }
}

const keptDays = 30
const dayMs = 86_400_000
const batch = 10_000

/**
 * Creates the coming days' partitions, and drops messages past their retention with everything that
 * belongs to them.
 */
export async function tidyMessages(
  { db, now }: Pick<MapleContext, 'db' | 'now'>,
  signal: AbortSignal,
): Promise<void> {
  await deleteOldNotices(db)
  await makeMessageDays(db, now())
  const today = await beginMessageDay(db, dayOf(now()))
  const cutoff = dayOf(now() - keptDays * dayMs)
  const days = await readDays(db, 'device_message')
  // Messages go into one day's partition until the next day begins.
  const kept = days.findLast((day) => day <= cutoff && day <= today)
  if (kept !== undefined) await dropDaysBefore(db, 'device_message', kept)
  const [oldest = today] = await readDays(db, 'device_message')
  const deleteSome = () =>
    oldest === firstMessageDay
      ? deleteFirstMessages(db, { days: keptDays, most: batch })
      : deleteDecodingsBefore(db, { day: oldest, most: batch })
  while (!signal.aborted) if ((await deleteSome()) < batch) return
}
