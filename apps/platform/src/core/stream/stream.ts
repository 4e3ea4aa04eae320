import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { StreamAddress } from './stream-address.ts'

/** Messages of devices on their way to the database, in NATS JetStream (decision 66). */
export interface Stream {
  /**
   * Returns once the stream has stored it on as many servers as promised.
   * @throws StreamFull, or StreamAway: then it may be stored or not.
   */
  publish: (partition: number, data: string) => Promise<void>
  /** Waits until what is in the stream now has been taken out. @throws StreamAway */
  passed: () => Promise<void>
  /** The bytes that one message may have. */
  maxMessage: () => number
  /** @throws StreamAway */
  state: () => Promise<StreamState>
  /** @throws StreamAway */
  ping: () => Promise<void>
  /**
   * The messages of a partition from the oldest on; undefined while another process has them.
   * @throws StreamAway
   */
  claim: (partition: number) => Promise<Claim | undefined>
  /** Tells other processes whether this one takes messages out. */
  attend: (isAble: boolean) => void
  /** The ids of those that do, in order, and the own one. */
  members: () => { ids: readonly string[]; own: string }
  close: () => Promise<void>
}

/** What waits in it; `oldest` is in milliseconds since 1970. */
export interface StreamState {
  messages: number
  oldest: number | undefined
}

export interface Claim {
  /**
   * What has come, in order; nothing after a moment without any. Undefined once the order is lost: a
   * new claim begins with the oldest again.
   */
  take: () => Promise<Taken[] | undefined>
  /** Others may take what was not acknowledged. */
  release: () => Promise<void>
}

export interface Taken {
  /** In the stream. */
  place: number
  text: () => string
  /** It is stored elsewhere, or never can be. */
  acknowledge: () => void
}

/** Messages are read in order in each, and each by one process. */
export const partitions = 8

/** NATS with its stream does not answer. */
export class StreamAway extends Error {
  override readonly name = 'StreamAway'
}

/** The stream has as much as it may have. */
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
/** Others take the partitions of a process that died. */
const inactiveMs = 5000
const attendanceMs = 3000
const maxUnread = 4 * 1024 * 1024
const nanoseconds = 1e6

/** Of the API of JetStream. */
const codes = { noStream: 10059, alreadyClaimed: 10100, full: [10047, 10077] }
const codeOf = (error: unknown) => (error as { code?: unknown }).code

interface Live {
  connection: NatsConnection
  client: JetStreamClient
  manager: JetStreamManager
}

type Log = (fields: object, message: string) => void

/** Connects in the background, again and again: Grove starts without it. */
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

  /** Once each time that it goes away. */
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
    // Where it is away, whatever there is of it fails.
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
 * Nothing in it grows too old, since all of it is promised to devices: it is full instead. Taken out
 * means gone, and only one consumer may have a partition.
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
  // NATS reserves room for a stream that is added before it sees that it has this one already.
  if (!config) await streams.add(settings)
  else if (!isDeepStrictEqual({ ...config, ...settings }, config))
    await streams.update(stream, settings)
}

/** Signs that others may have got what comes next. */
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
  // One of an earlier claim has given out messages already.
  await remove()
  try {
    await manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: subjectOf(partition),
      ack_policy: 'explicit',
      deliver_policy: 'all',
      // Nothing comes again within a claim, which would be out of order.
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
      // What was acknowledged is on its way.
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
