import { Readable } from 'node:stream'
import type { Calls } from '@grove/contract/calls'
import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'
import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import type { DeviceExportFormat } from '@grove/contract/maple/connect/device-session.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { ConnectContext, DeviceContext } from '../context.ts'
import {
  deleteOldSessions,
  deviceSessionList,
  findDeviceSession,
  messageList,
  messagesAfter,
  type DeviceSessionFacts,
} from './device-session.queries.ts'

type List = Calls['GET /api/maple/sessions/device']

export async function listDeviceSessions(
  { db }: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> {
  const page = await deviceSessionList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((session) => shown(session)) }
}

/** @throws ProblemError `not_found`, also for a session of another service provider. */
export async function deviceSessionOf(
  { db }: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  id: string,
): Promise<DeviceSessionFacts> {
  const found = await findDeviceSession(db, id, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', 'There is no such session.')
  return found
}

/** @throws ProblemError `not_found`. */
export async function readDeviceSession(
  context: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  { id }: { id: string },
): Promise<DeviceSession> {
  return shown(await deviceSessionOf(context, actor, id))
}

type Messages = Calls['GET /api/maple/sessions/device/{id}/message']

/** @throws ProblemError `not_found`. */
export async function listMessages(
  context: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  { id, query }: { id: string; query: QueryOf<Messages> },
): Promise<ResponseOf<Messages>> {
  return messageList.read(context.db, query, await deviceSessionOf(context, actor, id))
}

const batch = 500
const types = { text: ['txt', 'text/plain'], json: ['json', 'application/json'] } as const

/**
 * The log of a session as a file, streamed at the reader's speed. @throws ProblemError `not_found`.
 */
export async function exportDeviceSession(
  context: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  { id, format }: { id: string; format: DeviceExportFormat },
): Promise<{ name: string; type: string; body: Readable }> {
  const session = await deviceSessionOf(context, actor, id)
  const [extension, type] = types[format]
  const lines = format === 'json' ? asJson(context, session) : asText(context, session)
  return {
    name: `device-session-${id}.${extension}`,
    type: `${type}; charset=utf-8`,
    body: Readable.from(lines, { objectMode: false }),
  }
}

async function* messagesOf(
  { db }: Pick<DeviceContext, 'db'>,
  session: DeviceSessionFacts,
): AsyncGenerator<DeviceMessage> {
  for (let after = session.firstMessage; ;) {
    const messages = await messagesAfter(db, session, { after, limit: batch })
    yield* messages
    after = messages.at(-1)?.id ?? after
    if (messages.length < batch) return
  }
}

async function* asText(context: Pick<DeviceContext, 'db'>, session: DeviceSessionFacts) {
  const { id, deviceId, ip, protocol, openedAt, endedAt, endReason } = session
  yield `Session ${id}\nDevice ${deviceId}\nFrom ${ip} over ${protocol}\nOpened ${openedAt}\n`
  yield endedAt === null ? '\n' : `Ended ${endedAt}: ${endReason}\n\n`
  for await (const { receivedAt, kind, boot, seq, data, decoding } of messagesOf(
    context,
    session,
  )) {
    const from = boot === '' ? 'to the device:' : `${boot}#${seq}`
    yield `${receivedAt} ${from} ${kind} ${JSON.stringify(data)}${decodedText(decoding)}\n`
  }
}

function decodedText(decoding: DeviceMessage['decoding']): string {
  if (decoding?.error) return ` (not decoded: ${decoding.error.message})`
  return decoding?.state === 'decoded' ? ` ${JSON.stringify(decoding.value)}` : ''
}

async function* asJson(context: Pick<DeviceContext, 'db'>, session: DeviceSessionFacts) {
  yield `{"session":${JSON.stringify(shown(session))},"messages":[`
  let separator = '\n'
  for await (const message of messagesOf(context, session)) {
    yield `${separator}${JSON.stringify(message)}`
    separator = ',\n'
  }
  yield '\n]}\n'
}

export function shown(facts: DeviceSessionFacts): DeviceSession {
  const { firstMessage: _, lastMessage: __, ...session } = facts
  return session
}

/** Sessions that are older than the setting for all sessions. */
export async function tidyDeviceSessions(
  { db, settings }: Pick<ConnectContext, 'db' | 'settings'>,
  signal: AbortSignal,
): Promise<void> {
  const most = 5000
  while (!signal.aborted)
    if ((await deleteOldSessions(db, { days: settings.sessionDays, most })) < most) return
}
