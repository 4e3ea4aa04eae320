import { randomUUID } from 'node:crypto'
import type { StoredMessage } from '@grove/device-protocol/message'
import type { Decoded } from '@grove/contract/maple/program/device-handler.rules'
import type { Sandbox } from '../../../../core/sandbox/sandbox.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  dropWaiting,
  endLease,
  findCode,
  findWaiting,
  leaseDecoder,
  readWaiting,
  storeDone,
  type Done,
  type Waiting,
} from './decoding.queries.ts'
import { decodeAll } from './run-code.ts'

interface Given {
  deviceId: string
  message: StoredMessage
}

interface Parts {
  db: MapleDb
  sandbox: Sandbox
  /** Stores the decoded equivalent of device messages: points and reported states. */
  store: (tx: MapleDb, given: readonly Given[]) => Promise<void>
  /** Payloads of these devices are decoded. */
  onDone: (deviceIds: string[]) => void
  warn: (error: unknown) => void
}

/** Payloads of one turn of a service provider. */
const batchSize = 256
/** Service providers that one process decodes for concurrently. */
const maxAtOnce = 8
const leaseSeconds = 60
/** Maximum pause of a service provider whose handler fails. */
const maxPauseMs = 5000

/**
 * Decodes waiting payloads, per service provider and in order of arrival. The queue is in the
 * database: a killed process leaves its part to another. A harmful handler pauses for as long as it
 * took, so that other payloads get their turn.
 */
export function openDecoder({ db, sandbox, store, onDone, warn }: Parts) {
  const processId = randomUUID()
  const busy = new Map<string, Promise<void>>()
  /** When the pause of a service provider ends. */
  const paused = new Map<string, number>()
  const closing = new AbortController()
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  async function lookOnce(): Promise<void> {
    for (const serviceId of await findWaiting(db, 1000)) {
      if (closing.signal.aborted || busy.size >= maxAtOnce) return
      if (busy.has(serviceId) || (paused.get(serviceId) ?? 0) > performance.now()) continue
      paused.delete(serviceId)
      const work = decodeFor(serviceId)
        .catch((error: unknown) => {
          pause(serviceId, maxPauseMs)
          warn(error)
        })
        .finally(() => {
          busy.delete(serviceId)
          look()
        })
      busy.set(serviceId, work)
    }
  }

  const pause = (serviceId: string, ms: number) => paused.set(serviceId, performance.now() + ms)

  /** One check at a time; changes during one trigger another. */
  function look(): void {
    if (closing.signal.aborted) return
    isAskedAgain = true
    looking ??= (async () => {
      while (isAskedAgain && !closing.signal.aborted) {
        isAskedAgain = false
        await lookOnce().catch(warn)
      }
    })().finally(() => (looking = undefined))
  }

  async function decodeFor(serviceId: string): Promise<void> {
    const lease = { serviceId, processId }
    if (!(await leaseDecoder(db, { ...lease, seconds: leaseSeconds })))
      return void pause(serviceId, 1000)
    const started = performance.now()
    const waiting = await readWaiting(db, serviceId, batchSize)
    const orphans = waiting.filter(({ handlerId }) => handlerId === null)
    if (orphans.length > 0)
      await dropWaiting(
        db,
        orphans.map(({ messageId }) => messageId),
      )
    let isHarmful = false
    for (const group of byHandler(waiting)) {
      const done = await decode(serviceId, group)
      isHarmful ||= done.length < group.length || done.some(({ error }) => isStop(error))
      const places = new Map(group.map((each) => [each.messageId, each]))
      await db.transaction().execute(async (tx) => {
        const fresh = await storeDone(tx, { ...lease, done })
        await store(
          tx,
          done
            .filter(({ messageId }) => fresh.has(messageId))
            .flatMap(({ messageId, value }) => {
              const from = places.get(messageId)
              return from && value ? meaningOf(from, value) : []
            }),
        )
      })
      onDone([...new Set(group.map(({ deviceId }) => deviceId))])
    }
    if (isHarmful) pause(serviceId, Math.min(performance.now() - started, maxPauseMs))
    await endLease(db, lease)
  }

  async function decode(serviceId: string, group: readonly Held[]): Promise<Done[]> {
    const [first] = group
    if (!first) return []
    const { handlerId, version } = first
    const code = (await findCode(db, first)) ?? ''
    const results = await decodeAll(
      sandbox,
      { serviceId: serviceId === '' ? null : serviceId, code },
      group.map(({ data: { bytes, ...way }, sentAt, receivedAt }) => ({
        ...way,
        hex: Buffer.from(bytes, 'base64').toString('hex'),
        sentAt,
        receivedAt,
      })),
      closing.signal,
    )
    return group.flatMap(({ messageId }, at) => {
      const result = results[at]
      if (!result) return []
      const [value, error] =
        'value' in result ? [result.value as Decoded, null] : [null, result.error]
      return [{ messageId, handlerId, version, value, error }]
    })
  }

  return {
    /** Decodes what waits, now. */
    look,
    async close(): Promise<void> {
      closing.abort()
      await looking
      await Promise.all(busy.values())
    },
  }
}

export type Decoder = ReturnType<typeof openDecoder>

type Held = Waiting & { handlerId: string; version: number }

/** Grouped by version. A device has one handler, so its own payloads stay in order. */
function byHandler(waiting: readonly Waiting[]): Held[][] {
  const groups: Held[][] = []
  for (const each of waiting) {
    const { handlerId, version } = each
    if (handlerId === null || version === null) continue
    const held = { ...each, handlerId, version }
    const group = groups.find(
      ([first]) => first?.handlerId === handlerId && first.version === version,
    )
    if (group) group.push(held)
    else groups.push([held])
  }
  return groups
}

/** The limits that a handler reached, rather than errors that it threw. */
const isStop = (error: Done['error']) =>
  error !== null && ['deadline', 'fuel', 'memory'].includes(error.name)

/** The messages that the device would have sent itself. */
function meaningOf(
  { deviceId, boot, seq, sentAt, receivedAt }: Waiting,
  { telemetry, reported, ts = Math.round(sentAt ?? receivedAt) }: Decoded,
): Given[] {
  const place = { boot, seq, ts }
  const said: StoredMessage[] = [
    ...(telemetry === undefined ? [] : [{ t: 'telemetry' as const, d: telemetry, ...place }]),
    ...(reported === undefined ? [] : [{ t: 'reported' as const, d: reported, ...place }]),
  ]
  return said.map((message) => ({ deviceId, message }))
}
