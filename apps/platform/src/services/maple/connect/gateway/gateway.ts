import { createHash, type X509Certificate } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { MapleDb } from '../../base/tables.ts'
import { batched } from './batch.ts'
import { openFairPace } from './fair-pace.ts'
import {
  DeviceConnection,
  type ConnectionLimits,
  type ConnectionWork,
  type Link,
} from './device-connection.ts'
import {
  devicesWithQueued,
  storeResults,
  type Outgoing,
} from '../device-command/device-command.queries.ts'
import { endDeviceSessions, type Ended } from '../device-session/device-session.queries.ts'
import { devicesWithNewDesired, markDesired } from '../device-twin/device-twin.queries.ts'
import type { TelemetryStore } from '../telemetry/telemetry-store.ts'
import type { DeviceSessionEnd } from '@grove/contract/maple/connect/device-session.rules'
import type { DeviceHub } from './device-hub.ts'
import type { DesiredNote, Looking } from './device-work.ts'
import {
  beginConnections,
  connectionsOf,
  deleteGateway,
  endConnections,
  endedBefore,
  findIdentities,
  findLostGateways,
  leaveGateway,
  loadOfOthers,
  recentNotices,
  renewGateway,
  storeLoad,
  storeOffers,
  touchPresence,
  type Identity,
  type Offer,
  type Proof,
  type Seen,
} from './gateway.queries.ts'
import { takeWork } from './work.queries.ts'
import { admitCertificate } from '../certificate-authority/admit-certificate.ts'
import { countedLines } from '../../../../core/counted-lines.ts'
import { subscriberOf } from '../../../../core/http/network.ts'
import type { Stream } from '../../../../core/stream/stream.ts'
import type { Sandbox } from '../../../../core/sandbox/sandbox.ts'
import { openDecoder } from '../../program/device-handler/decode-messages.ts'
import { openIntake } from './intake.ts'
import { openIntakeStream } from './intake-stream.ts'
import { storeMeaning, type Given } from './intake.queries.ts'

export interface GatewaySettings {
  limits: ConnectionLimits
  /** Devices admitted in a second; the others learn when to try again. */
  admissionsPerSecond: number
  /** Secrets and certificates that turn out to be wrong in a second. */
  checksPerSecond?: number
  /** Concurrent unauthenticated MQTT connections, per listener. */
  maxUnknown?: number
  maxConnections: number
  /** Maximum devices of one service provider, over all processes. */
  maxOfProvider: number
  /**
   * How often: paused links, notices and departures, signs of life, the lease of this process, lines
   * of the log that repeat.
   */
  pace: { tickMs: number; noticeMs: number; touchMs: number; leaseMs: number; logMs?: number }
}

interface Parts {
  db: MapleDb
  telemetry: TelemetryStore
  /** The stream in which messages wait for the database, if there is one. */
  stream?: Stream | undefined
  hub: DeviceHub
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  settings: GatewaySettings
  /** Milliseconds since 1970, by the clock that all processes share. */
  now: () => number
  /** Before sessions of other processes can reach the elements of a device. */
  onOffer: () => Promise<void>
  /** Devices that have just connected: others may wait for them. */
  onConnected: (deviceIds: readonly string[]) => Promise<void>
  /** Runs what developers wrote: their device handlers. */
  sandbox: Sandbox
  /** Retention of readings. */
  telemetryDays: number
}

const rowsOfBatch = 5000
/** An attempt is a hash and a slot in a batch; admissions are limited separately. */
const ordinaryChecks = 500
/** Each is a socket and nothing else. */
const ordinaryUnknown = 10_000
/** How stale other processes' counts may be at admission. */
const loadMs = 1000
/** Maximum delay for a device that waits for its slot; afterwards it asks again. */
const maxWaitMs = 60_000
/** Delay in seconds, if slots become free only when others leave. */
const muchLater = () => ({ retryAfter: 30 + Math.ceil(Math.random() * 60) })
/**
 * Delay in seconds after too many attempts from an address; jittered, since whole fleets share an
 * address.
 */
const aLittleLater = () => ({ retryAfter: Math.ceil(Math.random() * 10) })

/** A valid certificate whose id another owner has: people settle it, and the device then gets in. */
const disputed = () => ({ retryAfter: 300 + Math.ceil(Math.random() * 300) })

/** A device's own proof of identity. */
export type OwnProof = { secret: string } | { certificate: X509Certificate }

export type Admission = { identity: Identity } | 'wrong' | { retryAfter: number }

/** Admits devices, stores their messages and tracks presence. It keeps nothing else. */
export function openGateway(parts: Parts) {
  const {
    db,
    telemetry,
    stream,
    hub,
    log,
    settings,
    now,
    onOffer,
    onConnected,
    sandbox,
    telemetryDays,
  } = parts
  const { limits, admissionsPerSecond, maxConnections, maxOfProvider, pace } = settings
  const { gatewayId } = hub
  const clock = () => performance.now()
  const warn = (what: string) => (error: unknown) =>
    log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, what)
  const connections = new Set<DeviceConnection>()
  const connected = new Map<string, DeviceConnection>()
  /** How many connections the devices of each service provider have. */
  const ofProvider = new Map<string, number>()
  /** The counts last written, and those of other processes. */
  let writtenLoad = '{}'
  let others: { at: number; counts: Promise<ReadonlyMap<string, number>> } | undefined
  let left: Seen[] = []
  let ended: Ended[] = []
  /** By address: wrong attempts use up slots, right ones return them. */
  const checks = openFairPace(settings.checksPerSecond ?? ordinaryChecks, clock)
  /** By device: one that reconnects endlessly has a single share of the admissions. */
  const admissions = openFairPace(admissionsPerSecond, clock)
  /** When the last device that was sent away can get a slot. */
  let promisedAt = clock()

  const find = batched((proofs: Proof[]) => findIdentities(db, proofs), { everyMs: 5, most: 500 })
  const begin = batched(
    async (given: Parameters<typeof beginConnections>[2][number][]) => {
      // Without connections, the lease was not renewed.
      if (connected.size === 0) await renewGateway(db, gatewayId)
      // The welcome names the last stored message, so the database must have it.
      await stream?.passed()
      const answers = await beginConnections(db, gatewayId, given)
      const moved = given.filter((_, index) => answers[index]?.hasMoved === true)
      hub
        .tell(
          'moved',
          moved.map(({ deviceId }) => deviceId),
        )
        .catch(warn('Other processes were not told which devices came here'))
      onConnected(given.map(({ deviceId }) => deviceId)).catch(
        warn('What waits for devices could not be woken'),
      )
      return answers
    },
    { everyMs: 10, most: 500 },
  )
  const intake = openIntake({ db, telemetry, hub, now, telemetryDays, warn })
  const sink = stream ? openIntakeStream({ stream, db, now }) : intake
  let stored = 0
  const storeSoon = batched(
    async (given: Given[]) => {
      const answers = await sink.store(given)
      const kept = given.filter((_, at) => typeof answers[at] === 'boolean')
      stored += kept.length
      if (kept.some(({ message }) => message.t === 'bytes')) decoder.look()
      return answers
    },
    { everyMs: 10, most: rowsOfBatch, keyOf: ({ deviceId }) => deviceId },
  )
  const storeOffer = batched(
    async (given: Offer[]) => {
      await storeOffers(db, given)
      return given.map(() => undefined)
    },
    { everyMs: 10, most: 500 },
  )
  let unstored = 0
  const store = (message: Given): Promise<boolean> => {
    unstored++
    return storeSoon(message).finally(() => unstored--)
  }
  const look = batched(
    async (asked: Looking[]) => {
      const { commands, desired } = await takeWork(db, asked)
      for (const id of new Set([...commands, ...desired].map(({ deviceId }) => deviceId)))
        hub.changed(id)
      const outgoing = new Map<string, Outgoing[]>()
      for (const command of commands)
        outgoing.set(command.deviceId, [...(outgoing.get(command.deviceId) ?? []), command])
      const states = new Map(desired.map((each) => [each.deviceId, each]))
      return asked.map(({ deviceId }) => ({
        commands: outgoing.get(deviceId) ?? [],
        desired: states.get(deviceId),
      }))
    },
    { everyMs: 5, most: 500 },
  )

  async function refuse({ deviceId, id, error }: { deviceId: string; id: string; error: string }) {
    await db
      .transaction()
      .execute((tx) => storeResults(tx, [{ deviceId, id, isOk: false, data: null, error }]))
    await hub.tell('news', [deviceId])
  }

  async function noteDesired(note: DesiredNote) {
    await markDesired(db, note)
    await hub.tell('news', [note.deviceId])
  }

  const decoder = openDecoder({
    db,
    sandbox,
    async store(tx, given) {
      await intake.inDays(
        given,
        (readings) => storeMeaning({ db: tx, telemetry }, given, readings),
        tx,
      )
    },
    onDone(ids) {
      for (const id of ids) hub.changed(id)
      hub.tell('news', ids).catch(warn('Other processes were not told of what was decoded'))
    },
    warn: (error) => warn('What devices said could not be decoded')(error),
  })

  /**
   * One that has to wait gets the seconds until the others that were sent away before it had their place.
   */
  function takePlace(deviceId: string): { retryAfter: number } | undefined {
    if (admissions.take(deviceId)) return undefined
    const at = clock()
    promisedAt = Math.min(Math.max(promisedAt, at) + 1000 / admissionsPerSecond, at + maxWaitMs)
    return { retryAfter: Math.ceil((promisedAt - at) / 1000) }
  }

  const refusals = countedLines({
    write: (fields) => log.info(fields, 'A device was refused'),
    everyMs: pace.logMs,
  })
  const failures = countedLines({
    write: (fields) => log.warn(fields, 'A connection ended by a fault of the server'),
    everyMs: pace.logMs,
  })
  /** A bug of ours that closed a connection: what and where. */
  const noteFailure = (error: unknown, fields: object) =>
    failures.note({ ...fields, reason: error instanceof Error ? error.stack : 'unknown' })
  const disconnections = countedLines({
    write: (fields) => log.info(fields, 'A device was disconnected'),
    everyMs: pace.logMs,
    // They are of devices that were admitted.
    most: maxConnections,
  })

  /**
   * Identification comes first, and is cheap: admission slots are for known devices. Unknown ones are
   * limited by address, so that a flood of wrong secrets neither uses those slots nor keeps the
   * database busy.
   */
  async function admit(
    proof: OwnProof | { credentialId: string },
    ip?: string,
  ): Promise<Admission> {
    if (connections.size >= maxConnections) return muchLater()
    // A broker has compared the secret itself.
    const address = ip === undefined ? undefined : subscriberOf(ip)
    if (address !== undefined && !checks.take(address)) return aLittleLater()
    const found = await identify(proof)
    if ('refused' in found) {
      const { refused: reason, deviceId: device } = found
      const user = 'credentialId' in proof ? proof.credentialId : undefined
      refusals.note({ reason, device, user, ip })
      return 'isDisputed' in found && found.isDisputed ? disputed() : 'wrong'
    }
    if (address !== undefined) checks.giveBack(address)
    const wait = takePlace(found.identity.deviceId)
    if (wait) return wait
    const { identity } = found
    const provider = identity.serviceId ?? ''
    const elsewhere = (await readOthers()).get(provider) ?? 0
    if ((ofProvider.get(provider) ?? 0) + elsewhere >= maxOfProvider) return muchLater()
    return { identity }
  }

  async function identify(proof: OwnProof | { credentialId: string }) {
    if ('certificate' in proof) return admitCertificate({ db, now }, proof.certificate)
    const found = await find(
      'secret' in proof ? { hash: createHash('sha256').update(proof.secret).digest('hex') } : proof,
    )
    if (!found) return { refused: 'Its secret is wrong or revoked.' }
    const { isClosed, ...identity } = found
    return isClosed
      ? {
          refused: 'The device is retired, or its service provider is suspended.',
          deviceId: identity.deviceId,
        }
      : { identity }
  }

  /** Read at admissions, at most once a second. */
  function readOthers() {
    const at = clock()
    if (!others || at - others.at > loadMs) others = { at, counts: loadOfOthers(db, gatewayId) }
    others.counts.catch(() => (others = undefined))
    return others.counts
  }

  async function writeLoad() {
    const load = Object.fromEntries(ofProvider)
    const text = JSON.stringify(load)
    if (text === writtenLoad) return
    await storeLoad(db, gatewayId, load)
    writtenLoad = text
  }

  const seen = (each: DeviceConnection): Seen => ({
    deviceId: each.deviceId,
    connectionId: each.id,
    seenAt: now() - (clock() - each.heardAt()),
    messages: each.stored(),
  })

  function depart(each: DeviceConnection, code: DeviceSessionEnd) {
    const { id: connectionId } = each
    left.push(seen(each))
    ended.push({ connectionId, endedAt: now(), messages: each.stored(), reason: code })
    if (connected.get(each.deviceId) !== each) return
    connected.delete(each.deviceId)
    hub.live.delete(each.deviceId)
    hub.offering.delete(each.deviceId)
  }

  function followOffer(each: DeviceConnection) {
    if (!each.isOffering()) return void hub.offering.delete(each.deviceId)
    hub.offering.add(each.deviceId)
    onOffer().catch(warn('Other processes were not told of the elements of a device'))
  }

  const work: ConnectionWork = {
    limits,
    clock,
    begin,
    store,
    look,
    refuse,
    noteDesired,
    storeOffer,
    onOffer: followOffer,
    onJoin(each) {
      connected.get(each.deviceId)?.end('replacedHere')
      connected.set(each.deviceId, each)
      hub.live.set(each.deviceId, each)
      followOffer(each)
    },
    onRelease(each, reason) {
      connections.delete(each)
      countProvider(each, -1)
      disconnections.note({ device: each.deviceId, reason })
    },
    onDepart: depart,
    onFault: ({ deviceId: device }, error) => noteFailure(error, { device }),
  }

  function connect(identity: Identity, link: Link): DeviceConnection {
    const connection = new DeviceConnection(identity, link, work)
    connections.add(connection)
    countProvider(identity, 1)
    return connection
  }

  function countProvider({ serviceId }: Pick<Identity, 'serviceId'>, more: 1 | -1) {
    const provider = serviceId ?? ''
    const count = (ofProvider.get(provider) ?? 0) + more
    if (count > 0) ofProvider.set(provider, count)
    else ofProvider.delete(provider)
  }

  /** Closes connections affected by a notice. */
  async function readNotices() {
    if (connections.size === 0) return
    const ofDevices = new Map<string | null, string[]>()
    const ofProviders = new Map<string | null, string[]>()
    const ofCertificates = new Map<string | null, string[]>()
    for (const { xact, deviceId, serviceId, authorityId, serial } of await recentNotices(db)) {
      const [all, whose] =
        deviceId !== null
          ? [ofDevices, deviceId]
          : authorityId === null
            ? [ofProviders, serviceId]
            : [ofCertificates, serial === null ? authorityId : `${authorityId} ${serial}`]
      all.set(whose, [...(all.get(whose) ?? []), xact])
    }
    // Once for all notices: hundreds of them arrive together when many secrets are revoked.
    for (const each of connections) {
      const { certificate, snapshot } = each.identity
      const { authorityId = '', serial = '' } = certificate ?? {}
      const isKnown = (xact: string) => endedBefore(snapshot, xact)
      const isUnchanged = [
        ofDevices.get(each.deviceId),
        ofProviders.get(each.serviceId),
        ofCertificates.get(authorityId),
        ofCertificates.get(`${authorityId} ${serial}`),
      ].every((xacts) => xacts === undefined || xacts.every(isKnown))
      if (!isUnchanged) each.end('changed')
    }
  }

  /** One that reconnected immediately was never offline. */
  async function writeDepartures() {
    await writeEnds()
    const gone = left.filter(({ deviceId }) => !connected.has(deviceId))
    left = []
    for (const batch of batchesOf(gone))
      await endConnections(db, batch).catch((error: unknown) => {
        left.push(...batch)
        throw error
      })
  }

  async function writeEnds() {
    const all = ended
    ended = []
    for (const batch of batchesOf(all))
      await endDeviceSessions(db, batch).catch((error: unknown) => {
        ended.push(...batch)
        throw error
      })
  }

  /** Pending work for connected devices, if a notice of it was lost. */
  async function lookAgain() {
    if (connected.size === 0) return
    const [commanded, desired] = await Promise.all([
      devicesWithQueued(db, rowsOfBatch),
      devicesWithNewDesired(db, rowsOfBatch),
    ])
    for (const id of new Set([...commanded, ...desired])) connected.get(id)?.lookForWork()
  }

  /** If the row has another connection, the device connected to another process. */
  async function touch(all = [...connected.values()]) {
    for (const batch of batchesOf(all)) {
      const ours = new Set(await touchPresence(db, batch.map(seen)))
      for (const each of batch) if (!ours.has(each.deviceId)) each.end('replacedElsewhere')
    }
  }

  async function lease() {
    if (connected.size > 0) await storeLoad(db, gatewayId, Object.fromEntries(ofProvider))
    for (const id of await findLostGateways(db)) {
      if (id === gatewayId && connected.size > 0) continue
      for (;;) {
        const lost = await connectionsOf(db, id, rowsOfBatch)
        await endConnections(db, lost)
        await endDeviceSessions(
          db,
          lost.map(({ seenAt, ...each }) => ({ ...each, endedAt: seenAt, reason: 'lost' })),
        )
        if (lost.length < rowsOfBatch) break
      }
      await deleteGateway(db, id)
    }
  }

  const timers = [
    every(pace.tickMs, async () => {
      // Read the sockets first: a process that was busy has not done so yet.
      await new Promise(setImmediate)
      const at = clock()
      for (const each of connections) each.tick(at)
    }),
    every(pace.noticeMs, async () => {
      await readNotices().catch(warn('Devices whose secret was revoked could not be looked up'))
      decoder.look()
      await writeLoad().catch(warn('The number of connections could not be stored'))
      await writeDepartures().catch(warn('Devices that left could not be marked as away'))
    }),
    every(pace.touchMs, () => touch().catch(warn('Signs of life could not be stored'))),
    every(pace.leaseMs, async () => {
      await lease().catch(warn('The gateway could not renew its lease'))
      await lookAgain().catch(warn('What people want of devices could not be looked up'))
      if (!hub.isLive()) await touch().catch(warn('Devices that moved could not be looked up'))
    }),
  ]
  hub.listen({
    onWork: (id) => connected.get(id)?.lookForWork(),
    onMoved(ids) {
      const ours = ids.flatMap((id) => connected.get(id) ?? [])
      if (ours.length > 0) touch(ours).catch(warn('Devices that moved could not be looked up'))
    },
  })

  return {
    admit,
    connect,
    /** Time limit for identification. */
    helloMs: limits.helloMs,
    maxUnknown: settings.maxUnknown ?? ordinaryUnknown,
    count: () => connections.size,
    /** Logs, rate limited, what ended a connection and should not have. */
    note: noteFailure,
    /** Messages of all devices that are not stored yet. */
    unstored: () => unstored,
    /** The number of messages stored since the start. */
    stored: () => stored,
    /** Writes now what the timers would write later. */
    touch,
    lease,
    lookAgain,
    async close() {
      for (const timer of timers) clearInterval(timer)
      for (const each of connections) each.end('stopping')
      for (const lines of [refusals, failures, disconnections]) lines.close()
      await decoder.close()
      await writeEnds().catch(warn('The ends of connections could not be stored'))
      hub.close()
      // They are not marked as away: they connect elsewhere, or are found lost.
      await leaveGateway(db, gatewayId).catch(warn('The gateway could not give back its lease'))
    },
  }
}

export type Gateway = ReturnType<typeof openGateway>

function* batchesOf<Item>(all: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < all.length; from += rowsOfBatch)
    yield all.slice(from, from + rowsOfBatch)
}

/** One run at a time: a slow database gets no further query meanwhile. */
function every(ms: number, run: () => Promise<void>): NodeJS.Timeout {
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    void run().finally(() => (isBusy = false))
  }, ms)
  return timer.unref()
}
