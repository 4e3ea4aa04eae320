import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { StreamAddress } from './stream-address.ts'

/** Messages of devices on their way to the database, in NATS JetStream (decision 66). */
export interface Stream {
  /**
   * Resolves once the stream has stored it on the configured number of servers.
   * @throws StreamFull, or StreamAway: then it may or may not be stored.
   */
  publish: (partition: number, data: string) => Promise<void>
  /** Waits until everything that is in the stream now has been processed. @throws StreamAway */
  passed: () => Promise<void>
  /** The maximum size of a message in bytes. */
  maxMessage: () => number
  /** @throws StreamAway */
  state: () => Promise<StreamState>
  /** @throws StreamAway */
  ping: () => Promise<void>
  /**
   * The messages of a partition, oldest first; undefined while another process has claimed it.
   * @throws StreamAway
   */
  claim: (partition: number) => Promise<Claim | undefined>
  /** Tells other processes whether this one processes messages. */
  attend: (isAble: boolean) => void
  /** The ids of the processes that do, in order, and this one's. */
  members: () => { ids: readonly string[]; own: string }
  close: () => Promise<void>
}

/** The waiting messages; `oldest` is in milliseconds since 1970. */
export interface StreamState {
  messages: number
  oldest: number | undefined
}

export interface Claim {
  /**
   * The next messages, in order; empty after a moment without any. Undefined once the order is lost:
   * a new claim starts with the oldest again.
   */
  take: () => Promise<Taken[] | undefined>
  /** Others can claim what was not acknowledged. */
  release: () => Promise<void>
}

export interface Taken {
  /** The position in the stream. */
  place: number
  text: () => string
  /** The message is stored elsewhere, or never can be. */
  acknowledge: () => void
}

/** The messages of each partition are processed in order, by a single process. */
export const partitions = 8

/** NATS or its stream is unavailable. */
export class StreamAway extends Error {
  override readonly name = 'StreamAway'
}

/** The stream has reached its maximum size. */
export class StreamFull extends Error {
  override readonly name = 'StreamFull'
}

const stream = 'GROVE_INTAKE'
const subjectOf = (partition: number | '*') => `grove.intake.${partition}`
const attendance = 'grove.members'

const retryMs = 1000
const answerMs = 5000
const passedMs = 10_000
const takeMs = 250
/** After this, others can claim the partitions of a process that died. */
const inactiveMs = 5000
const attendanceMs = 3000
const maxUnread = 4 * 1024 * 1024
const nanoseconds = 1e6

/** Error codes of the JetStream API. */
const codes = { noStream: 10059, alreadyClaimed: 10100, full: [10047, 10077] }
const codeOf = (error: unknown) => (error as { code?: unknown }).code

interface Live {
  connection: NatsConnection
  client: JetStreamClient
  manager: JetStreamManager
}

type Log = (fields: object, message: string) => void

/** Connects in the background and keeps retrying: Grove starts without it. */
export function openStream(address: StreamAddress, log: { warn: Log }): Stream {
  const own = randomUUID()
  const heardAt = new Map<string, number>()
  let live: Live | undefined
  const closing = new AbortController()
  let isSaid = false

  void (async () => {
    while (!closing.signal.aborted) {
      await connected().catch((error: Error) => say(error.message))
      await wait(retryMs, undefined, { ref: false })
    }
  })()

  /** Logs once per outage. */
  function say(reason: string) {
    if (!isSaid && !closing.signal.aborted)
      log.warn({ reason }, 'NATS does not answer: what devices say is not stored')
    isSaid = true
  }

  async function connected() {
    const { connection, client, manager } = await connectOnce(address)
    connection.subscribe(attendance, {
      callback: (_, message) => {
        const [, sign, id = ''] = /^([+-])(.*)$/.exec(message.string()) ?? []
        if (sign === '+') heardAt.set(id, performance.now())
        else heardAt.delete(id)
      },
    })
    const back = () => {
      live = { connection, client, manager }
      isSaid = false
    }
    if (closing.signal.aborted) return connection.close()
    back()
    for await (const { type } of connection.status())
      if (type === 'reconnect') back()
      else if (type === 'disconnect') {
        live = undefined
        say('The connection ended.')
      }
    live = undefined
  }

  const up = () => {
    if (!live) throw new StreamAway('NATS does not answer.')
    return live
  }
  const asked = async <Answer>(work: (parts: Live) => Promise<Answer>): Promise<Answer> => {
    const parts = up()
    try {
      return await work(parts)
    } catch (cause) {
      const { message } = cause as Error
      if (codes.full.some((code) => code === codeOf(cause)))
        throw new StreamFull('The stream in NATS is full.', { cause })
      throw new StreamAway(`NATS does not answer: ${message}`, { cause })
    }
  }
  const readState = () => asked(async ({ manager }) => (await manager.streams.info(stream)).state)

  return {
    async publish(partition, data) {
      await asked(({ client }) => client.publish(subjectOf(partition), data, { timeout: answerMs }))
    },
    async passed() {
      const { last_seq: last } = await readState()
      const until = performance.now() + passedMs
      for (let first = 0; first <= last;) {
        const state = await readState()
        first = state.messages === 0 ? Infinity : state.first_seq
        if (first > last) return
        if (performance.now() > until) throw new StreamAway('The stream is behind.')
        await wait(20)
      }
    },
    // While it is unavailable everything fails anyway.
    maxMessage: () => live?.connection.info?.max_payload ?? 1024 * 1024,
    async state() {
      const { messages, first_ts: oldest } = await readState()
      return { messages, oldest: messages === 0 ? undefined : Date.parse(oldest) }
    },
    async ping() {
      await readState()
    },
    claim: (partition) => asked((parts) => claim(parts, partition, `${own}-${partition}`)),
    attend(isAble) {
      live?.connection.publish(attendance, `${isAble ? '+' : '-'}${own}`)
    },
    members() {
      const now = performance.now()
      for (const [id, at] of heardAt) if (now - at > attendanceMs) heardAt.delete(id)
      return { ids: [...heardAt.keys()].toSorted(), own }
    },
    async close() {
      closing.abort()
      await live?.connection.close()
    },
  }
}

async function connectOnce({ servers, isTls, credentials, ...limits }: StreamAddress) {
  const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ])
  const connection = await connect({
    servers: [...servers],
    name: 'grove',
    ...credentials,
    ...(isTls && { tls: {} }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    pingInterval: 5000,
    // A password may be changed at the server first.
    ignoreAuthErrorAbort: true,
  })
  try {
    const manager = await jetstreamManager(connection)
    await makeStream(manager, limits)
    return { connection, client: jetstream(connection), manager }
  } catch (error) {
    await connection.close()
    throw error
  }
}

type StreamSettings = Parameters<JetStreamManager['streams']['add']>[0]

/**
 * Messages never expire, since devices were told that they are stored: a full stream refuses more.
 * Acknowledged ones are deleted, and only one consumer can have a partition.
 */
async function makeStream(
  { streams }: JetStreamManager,
  { replicas, maxBytes }: Pick<StreamAddress, 'replicas' | 'maxBytes'>,
): Promise<void> {
  const settings: StreamSettings = {
    name: stream,
    subjects: [subjectOf('*')],
    storage: 'file',
    retention: 'workqueue',
    discard: 'new',
    max_bytes: maxBytes,
    num_replicas: replicas,
  }
  const config = await streams.info(stream).then(
    (info): Partial<StreamSettings> => info.config,
    (error: unknown) => {
      if (codeOf(error) !== codes.noStream) throw error
      return undefined
    },
  )
  // NATS reserves space for an added stream before it notices that the stream exists.
  if (!config) await streams.add(settings)
  else if (!isDeepStrictEqual({ ...config, ...settings }, config))
    await streams.update(stream, settings)
}

/** Signs that others may have received the next messages. */
const interruptions = new Set([
  'consumer_deleted',
  'consumer_not_found',
  'stream_not_found',
  'heartbeats_missed',
])

async function claim(
  { client, manager, connection }: Live,
  partition: number,
  name: string,
): Promise<Claim | undefined> {
  const remove = () => manager.consumers.delete(stream, name).catch(() => false)
  // The consumer of an earlier claim has delivered messages already.
  await remove()
  try {
    await manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: subjectOf(partition),
      ack_policy: 'explicit',
      deliver_policy: 'all',
      // Nothing is redelivered within a claim, since it would be out of order.
      ack_wait: 3_600_000 * nanoseconds,
      max_ack_pending: 1000,
      inactive_threshold: inactiveMs * nanoseconds,
    })
  } catch (error) {
    if (codeOf(error) === codes.alreadyClaimed) return undefined
    throw error
  }
  let waiting: Taken[] = []
  let delivered = 0
  let isInterrupted = false
  let wake = () => {}
  const consumer = await client.consumers.get(stream, name)
  const messages = await consumer.consume({
    max_bytes: maxUnread,
    expires: 5000,
    callback(message) {
      delivered += 1
      isInterrupted ||= message.info.deliverySequence !== delivered
      if (!isInterrupted) waiting.push(takenOf(message))
      wake()
    },
  })
  void (async () => {
    for await (const { type } of messages.status()) isInterrupted ||= interruptions.has(type)
  })()
  return {
    async take() {
      if (waiting.length === 0 && !isInterrupted)
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), wait(takeMs)])
      if (waiting.length === 0 && isInterrupted) return undefined
      const all = waiting
      waiting = []
      return all
    },
    async release() {
      await messages.close()
      // Acknowledgements may still be on their way.
      if (!connection.isClosed()) await connection.flush().catch(() => {})
      await remove()
    },
  }
}

const takenOf = (message: JsMsg): Taken => ({
  place: message.seq,
  text: () => message.string(),
  acknowledge: () => message.ack(),
})
