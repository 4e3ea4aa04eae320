import { isUtf8 } from 'node:buffer'
import { randomUUID, type X509Certificate } from 'node:crypto'
import type { IConnectPacket, IPublishPacket, ISubscribePacket, Packet } from 'mqtt-packet'
import {
  heartbeatSeconds,
  maxMessageLength,
  messageWindow,
  maxMessageBytes,
  mqttTopics,
  secretPattern,
} from '@grove/device-protocol/limits'
import type { Outcome } from '../connection-machine.ts'
import type { DeviceConnection, Link } from '../device-connection.ts'
import type { Admission, Gateway, OwnProof } from '../gateway.ts'
import { guarded } from '../../../../../core/guarded.ts'
import { openDelivery, type Delivery } from './delivery.ts'
import { frameReader } from './frames.ts'
import {
  failed311,
  hasBadLimits,
  readConnect,
  readPacket,
  reasonOfBye,
  reasons,
  refusals311,
  writePacket,
  type MqttVersion,
} from './packets.ts'

/** What carries the bytes: a socket or a WebSocket. */
export interface Carrier {
  ip: string
  /** Delay in seconds, if its address has too many connections. */
  retryAfter?: () => number | undefined
  /** The device's TLS client certificate. */
  certificate: () => X509Certificate | undefined
  write: (bytes: Buffer) => void
  /** Bytes that wait for a device that does not read. */
  waiting: () => number
  pause: () => void
  resume: () => void
  /** Flushes, then closes. */
  end: () => void
  /** Drops it immediately. */
  cut: () => void
}

/** Maximum sizes of a message with topic and properties, before and after authentication. */
const maxPacketLength = maxMessageLength + 4096
/** Read limit, so that a message over the limit is refused and not resent forever. */
const maxReadLength = maxMessageBytes + 4096
const maxConnect = 4096
/** Filters of one SUBSCRIBE or UNSUBSCRIBE: a device has two topics to ask for. */
const maxFilters = 16
/** Messages with QoS 1 that a device has not confirmed; further ones wait. */
const maxUnconfirmed = 64
/** Keep-alive in seconds; a device that asks for more, or for none, gets the nearest bound. */
const maxKeepalive = 1200

/**
 * One MQTT connection. Its password is the device's secret, which alone identifies it; the client id
 * and the user name grant no rights. The device publishes to one topic and subscribes to one, with
 * the messages of the WebSocket on them. Nothing is queued for an offline device: what it must not
 * miss is numbered in our own messages.
 */
export function mqttSession(carrier: Carrier, gateway: Gateway, onAdmitted: () => void) {
  const frames = frameReader()
  let version: MqttVersion = 4
  let connection: DeviceConnection | undefined
  let own = ownTopics('me')
  let isPaused = false
  let isOver = false
  /** MQTT reasons that are more specific than ours. */
  let because: number | undefined
  let delivery: Delivery | undefined
  /** The device's maximum packet size in bytes. */
  let maxTakenLength = Infinity

  const write = (packet: Packet) => carrier.write(writePacket(packet, version))

  function finish() {
    isOver = true
    delivery?.end()
    // Later input is not read, but its end is noticed.
    carrier.resume()
    carrier.end()
  }

  /** A malformed answer: the connection closes. */
  function refuse(reason: number, words: string) {
    because = reason
    if (connection) connection.broken(words)
    else finish()
  }

  const nextFrame = () =>
    isPaused || isOver ? undefined : frames.next(connection ? maxReadLength : maxConnect)

  function drain() {
    for (let frame = nextFrame(); frame !== undefined; frame = nextFrame()) {
      if (frame === 'malformed') return refuse(reasons.malformed, 'it does not speak MQTT')
      if (frame === 'too long') return refuse(reasons.packetTooLarge, 'its packet is too long')
      if (!connection) return greet(readConnect(frame))
      const packet = readPacket(frame, version)
      if (typeof packet === 'string') return refuse(reasons[packet], 'it does not speak MQTT')
      handle(packet, connection)
    }
  }

  /** Closes only this connection, whatever failed in it. */
  function fail(error: unknown) {
    if (connection) return connection.failed(error)
    gateway.note(error, { ip: carrier.ip })
    isOver = true
    carrier.cut()
  }

  function connack(reason: number, code311: number, retryAfter?: number) {
    const properties = retryAfter !== undefined && {
      userProperties: { retryIn: String(retryAfter * 1000) },
    }
    const code = version === 5 ? { reasonCode: reason } : { returnCode: code311 }
    write({ cmd: 'connack', sessionPresent: false, ...code, ...(properties && { properties }) })
    finish()
  }

  function greet(packet: IConnectPacket | undefined) {
    if (!packet) return finish()
    if (packet.protocolVersion === 5) version = 5
    else if (packet.protocolVersion !== 4) return connack(0, refusals311.version)
    if (version === 5 && hasBadLimits(packet)) return connack(reasons.protocolError, 0)
    const wait = carrier.retryAfter?.()
    if (wait !== undefined) return connack(reasons.serverBusy, refusals311.busy, wait)
    if (packet.properties?.authenticationMethod !== undefined) return connack(reasons.badMethod, 0)
    const proof = proofOf(packet)
    if (!proof) return connack(reasons.badPassword, refusals311.badPassword)
    // Its further messages wait in the socket.
    pause()
    admit(packet, proof).catch(
      guarded(fail, () => connack(reasons.serverBusy, refusals311.busy, 5)),
    )
  }

  /** A secret, if it names one; otherwise its client certificate. */
  function proofOf({ password }: IConnectPacket) {
    const secret = password?.toString('latin1') ?? ''
    if (secretPattern.test(secret)) return { secret }
    const certificate = secret === '' ? carrier.certificate() : undefined
    return certificate && { certificate }
  }

  async function admit(packet: IConnectPacket, proof: OwnProof) {
    const admission = await gateway.admit(proof, carrier.ip)
    if (!isOver) enter(packet, admission)
  }

  const enter = guarded(fail, (packet: IConnectPacket, admission: Admission) => {
    if (admission === 'wrong') return connack(reasons.badPassword, refusals311.badPassword)
    if ('retryAfter' in admission)
      return connack(reasons.serverBusy, refusals311.busy, admission.retryAfter)
    onAdmitted()
    const { identity } = admission
    own = ownTopics('me', identity.deviceId, identity.credentialId)
    const { receiveMaximum = maxUnconfirmed, maximumPacketSize = Infinity } =
      packet.properties ?? {}
    maxTakenLength = maximumPacketSize
    delivery = openDelivery({
      write: carrier.write,
      version,
      maxUnconfirmed: Math.min(receiveMaximum, maxUnconfirmed),
      longest: maximumPacketSize,
    })
    const keepalive = keepaliveOf(packet)
    connection = gateway.connect(identity, linkOf(keepalive))
    write(welcome(packet, keepalive))
    link.resume()
  })

  function welcome({ clientId }: IConnectPacket, keepalive: number): Packet {
    const answer = { cmd: 'connack', sessionPresent: false } as const
    if (version === 4) return { ...answer, returnCode: 0 }
    return {
      ...answer,
      reasonCode: 0,
      properties: {
        sessionExpiryInterval: 0,
        receiveMaximum: messageWindow,
        maximumQoS: 1,
        retainAvailable: false,
        maximumPacketSize: maxPacketLength,
        wildcardSubscriptionAvailable: false,
        subscriptionIdentifiersAvailable: false,
        sharedSubscriptionAvailable: false,
        serverKeepAlive: keepalive,
        ...(clientId === '' && { assignedClientIdentifier: randomUUID() }),
      },
    }
  }

  function handle(packet: Packet, device: DeviceConnection) {
    if (packet.cmd === 'publish') return take(packet, device)
    device.alive()
    if (packet.cmd === 'subscribe') return subscribe(packet)
    if (packet.cmd === 'puback') return delivery?.confirm(packet.messageId ?? 0)
    if (packet.cmd === 'pingreq') return answer({ cmd: 'pingresp' })
    if (packet.cmd === 'unsubscribe') {
      const { messageId = 0, unsubscriptions } = packet
      if (unsubscriptions.length > maxFilters)
        return refuse(reasons.quotaExceeded, 'it unsubscribes from too much')
      delivery?.unsubscribe(unsubscriptions)
      return answer({ cmd: 'unsuback', messageId, granted: unsubscriptions.map(() => 0) })
    }
    if (packet.cmd !== 'disconnect') return device.broken(`it sent ${packet.cmd}`)
    device.ended('it went')
    finish()
  }

  function answer(packet: Packet) {
    if (!isOver) write(packet)
  }

  function take(packet: IPublishPacket, device: DeviceConnection) {
    const { topic, payload, qos, retain, dup, messageId = 0 } = packet
    // Before version 5 there is no negative answer, and without any answer a library resends forever.
    const confirm = (reasonCode: number) => {
      if (qos === 1) answer({ cmd: 'puback', messageId, reasonCode })
    }
    if (qos === 2) return refuse(reasons.qosNotSupported, 'it publishes with QoS 2')
    if (retain && version === 5)
      return refuse(reasons.retainNotSupported, 'it publishes retained messages')
    if (!own.up.has(topic)) {
      if (version === 4 || qos === 0)
        return refuse(reasons.notAuthorized, 'it publishes to a topic that is not its own')
      device.alive()
      return confirm(reasons.notAuthorized)
    }
    if (typeof payload === 'string' || !isUtf8(payload))
      return device.broken('it sent something else than a message')
    device.receive(payload.toString(), {
      isRepeated: dup,
      onTaken: (outcome) => confirm(reasonOf[outcome]),
    })
  }

  function subscribe({ messageId = 0, subscriptions, properties }: ISubscribePacket) {
    if (subscriptions.length > maxFilters)
      return refuse(reasons.quotaExceeded, 'it subscribes to too much')
    const granted = subscriptions.map(({ topic, qos }) => {
      const refusal = refusalOf(topic, properties?.subscriptionIdentifier !== undefined)
      if (refusal === undefined) return delivery?.subscribe(topic, qos) ?? failed311
      return version === 5 ? refusal : failed311
    })
    answer({ cmd: 'suback', messageId, granted })
  }

  function refusalOf(topic: string, hasId: boolean): number | undefined {
    if (hasId) return reasons.idsNotSupported
    if (own.down.has(topic)) return undefined
    if (topic.startsWith('$share/')) return reasons.sharedNotSupported
    return /[#+]/.test(topic) ? reasons.wildcardsNotSupported : reasons.notAuthorized
  }

  function pause() {
    isPaused = true
    carrier.pause()
  }

  const link = {
    ip: carrier.ip,
    send: (text) => delivery?.add(text),
    waiting: () => carrier.waiting() + (delivery?.waiting() ?? 0),
    pause,
    resume() {
      isPaused = false
      drain()
      if (!isPaused && !isOver) carrier.resume()
    },
    close(code, words) {
      if (isOver) return
      const reasonCode = because ?? reasonOfBye[code]
      if (version === 5) {
        const bye = { cmd: 'disconnect', reasonCode } as const
        const said = writePacket({ ...bye, properties: { reasonString: words } }, version)
        carrier.write(said.length <= maxTakenLength ? said : writePacket(bye, version))
      }
      finish()
    },
    cut() {
      isOver = true
      delivery?.end()
      carrier.cut()
    },
  } satisfies Omit<Link, 'protocol' | 'silenceMs'>

  const linkOf = (keepalive: number): Link => ({
    ...link,
    protocol: version === 5 ? 'mqtt 5' : 'mqtt 3.1.1',
    kind: 'repeating',
    silenceMs: keepalive * 1500,
  })

  return {
    read: guarded(fail, (chunk: Buffer) => {
      if (isOver) return
      frames.add(chunk)
      drain()
    }),
    /** Unauthenticated: it has not identified itself, or is being looked up. */
    isUnknown: () => !connection && !isOver,
    expire: guarded(fail, finish),
    ended(reason: string) {
      isOver = true
      connection?.ended(reason)
    },
  }
}

export type MqttSession = ReturnType<typeof mqttSession>

const reasonOf: Record<Outcome, number> = {
  done: 0,
  held: reasons.notAuthorized,
  tooLong: reasons.quotaExceeded,
  unreadable: reasons.payloadInvalid,
}

/** `me` or the id of the device; at a broker a device can only use the id of its secret. */
function ownTopics(...names: string[]) {
  const topics = names.map(mqttTopics)
  return { up: new Set(topics.map(({ up }) => up)), down: new Set(topics.map(({ down }) => down)) }
}

/** Heartbeat interval in seconds. In 3.1.1 a device cannot be given another one. */
const keepaliveOf = ({ keepalive = 0 }: IConnectPacket): number =>
  keepalive === 0 ? 2 * heartbeatSeconds : Math.min(keepalive, maxKeepalive)
