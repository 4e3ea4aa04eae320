import type { DeviceConnection } from '@grove/contract/maple/connect/device-connection'
import { shownMessages } from '@grove/contract/maple/connect/device-connection.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import { hasDevice } from '../device-credential/device-credential.queries.ts'
import { deleteOldNotices } from '../gateway/gateway.queries.ts'
import {
  deleteOldMessages,
  findPresence,
  newestMessages,
  recentConnections,
} from './device-connection.queries.ts'
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
const batch = 10_000

/** Deletes old data, messages in batches, so that no statement blocks others. */
export async function tidyMessages({ db }: MapleContext, signal: AbortSignal): Promise<void> {
  await deleteOldNotices(db)
  while (!signal.aborted)
    if ((await deleteOldMessages(db, { days: keptDays, most: batch })) < batch) return
}
