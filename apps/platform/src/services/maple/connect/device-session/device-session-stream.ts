import { Readable } from 'node:stream'
import type { Actor } from '../../../../core/actor.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { ConnectContext } from '../context.ts'
import { commandsBetween } from '../device-command/device-command.queries.ts'
import { withRights } from '../device-command/device-command.service.ts'
import {
  findDone,
  findPayloads,
  findUndecoded,
} from '../../program/device-handler/decoding.queries.ts'
import { readTwin } from '../device-twin/device-twin.service.ts'
import { findDeviceSession, messagesAfter } from './device-session.queries.ts'
import { deviceSessionOf, shown } from './device-session.service.ts'

interface StreamInput {
  id: string
  /** The last message that the watcher has. */
  after: number
  /** The oldest message of which the watcher knows that it waits for its handler. */
  waiting?: number | undefined
  /** When the token of the watcher ends, in milliseconds since the epoch. */
  until: number
  /** The client disconnected. */
  signal: AbortSignal
}

/** Messages per read: for a slow client the rest waits in the database. */
const batch = 200
/** To learn of what another process stored. */
const lookMs = 500
const heartbeatMs = 15_000
/** Payloads that are watched until they are decoded. */
const maxUndecoded = 1000
/** Commands that are watched for changes. */
const watchedCommands = 50

/**
 * What happens in a session of a device as it is stored, from any message on: its messages, and what
 * people want of the device while it is connected.
 * @throws ProblemError `not_found`.
 */
export async function streamDeviceSession(
  context: ConnectContext,
  actor: Actor,
  input: StreamInput,
): Promise<Readable> {
  await deviceSessionOf(context, actor, input.id)
  return Readable.from(eventsOf(context, actor, input), {
    objectMode: false,
    highWaterMark: 64 * 1024,
  })
}

async function* eventsOf(
  context: ConnectContext,
  actor: Actor,
  { id, after, waiting, until, signal }: StreamInput,
): AsyncGenerator<string> {
  const { db, now, devices, sessions: hub } = context
  let last = after
  const known = new Map<string, string>()
  let quietSince = now()
  /** Payloads that were shown before they were decoded. */
  let undecoded: Set<number> | undefined
  /** The event, if it differs from the last one of its name. */
  const news = (name: string, key: string, data: unknown, state = JSON.stringify(data)) => {
    if (known.get(key) === state) return []
    known.set(key, state)
    return [event(name, data)]
  }
  yield ': watching\n\n'
  while (!signal.aborted && !hub.isClosing() && now() < until) {
    const facts = await findDeviceSession(db, id, scopeOf(actor))
    if (!facts) break
    // Before reading: data stored meanwhile wakes the next round.
    const woken = devices.nextChange(facts.deviceId, signal)
    const { deviceId, openedAt } = facts
    const messages = await messagesAfter(db, facts, { after: last, limit: batch })
    const session = shown(facts)
    const isOver = session.state !== 'active'
    const [commands, twin] = await Promise.all([
      commandsBetween(db, {
        ...facts,
        since: openedAt,
        until: facts.endedAt,
        limit: watchedCommands,
      }),
      readTwin(context, actor, { deviceId }).catch(() => undefined),
    ])
    const events = messages.map((message) => event('message', message, message.id))
    last = messages.at(-1)?.id ?? last
    undecoded ??= new Set(await awaited(db, facts, { waiting, after }))
    for (const { id: messageId, decoding } of messages)
      if (decoding?.state === 'waiting' && undecoded.size < maxUndecoded) undecoded.add(messageId)
    const done = undecoded.size > 0 ? await findDone(db, [...undecoded]) : []
    for (const each of done) {
      undecoded.delete(each.id)
      events.push(event('decoding', each))
    }
    for (const command of commands.toReversed())
      events.push(...news('command', command.id, withRights(actor, command)))
    if (twin) events.push(...news('twin', 'twin', twin))
    // The counts follow from the messages.
    const state = JSON.stringify({ ...session, messages: 0, seenAt: null })
    events.push(...news('session', 'session', session, state))
    const isEnd = isOver && messages.length < batch
    if (isEnd) events.push(event('end', session))
    if (events.length === 0 && now() - quietSince >= heartbeatMs) events.push(': heartbeat\n\n')
    if (events.length > 0) {
      quietSince = now()
      yield events.join('')
    }
    if (isEnd) return woken.cancel()
    if (messages.length < batch) await woken.wait(lookMs)
    else woken.cancel()
  }
}

/** The payloads whose outcome the watcher lacks: some of those that waited are decoded by now. */
async function awaited(
  db: MapleDb,
  facts: { deviceId: string; serviceId: string | null },
  { waiting, after }: Pick<StreamInput, 'waiting' | 'after'>,
): Promise<number[]> {
  const limits = { upTo: after, limit: maxUndecoded }
  const undecoded = await findUndecoded(db, facts, limits)
  if (waiting === undefined) return undecoded
  return [...undecoded, ...(await findPayloads(db, facts, { from: waiting, ...limits }))]
}

const event = (name: string, data: unknown, id?: number): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
