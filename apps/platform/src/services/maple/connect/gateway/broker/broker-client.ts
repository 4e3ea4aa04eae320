import { randomUUID } from 'node:crypto'
import { connect as connectPlain } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import type { IPublishPacket, Packet } from 'mqtt-packet'
import { maxMessageBytes } from '@grove/device-protocol/limits'
import { guarded } from '../../../../../core/guarded.ts'
import { frameReader } from '../mqtt/frames.ts'
import { readPacket, writePacket } from '../mqtt/packets.ts'

const version = 5
/** Seconds; the broker ends a connection that is silent for one and a half times as long. */
const keepalive = 20
const handshakeMs = 10_000
/** Incoming messages of devices: topic and properties. */
const maxPacketLength = maxMessageBytes + 4096
/** Seconds that the broker keeps our messages for an offline device. */
const keptSeconds = 60
/** Bytes that wait for a broker that does not read. */
const maxWaiting = 32_000_000
/** Maximum unconfirmed messages, unless the broker sets its own limit. */
const usualReceiveMaximum = 65_535

export interface BrokerClient {
  publish: (topic: string, payload: string) => void
  /** @throws BrokerRefusal that names the filter. */
  subscribe: (filters: readonly string[]) => Promise<void>
  pause: () => void
  resume: () => void
  end: () => void
}

interface Options {
  url: string
  onMessage: (message: IPublishPacket) => void
  onEnd: (reason: string) => void
}

/** The broker responds, but denies Grove the necessary rights. */
export class BrokerRefusal extends Error {
  override name = 'BrokerRefusal'
}

/**
 * An MQTT 5 connection to a broker, with all messages at QoS 1. Messages are confirmed when they are
 * read: our own numbers tell what is stored. @throws Error with a message, or BrokerRefusal.
 */
export async function connectBroker({ url, onMessage, onEnd }: Options): Promise<BrokerClient> {
  const { protocol, hostname, port, username, password } = new URL(url)
  const isSecure = protocol === 'mqtts:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const address = { host, port: Number(port) || (isSecure ? 8883 : 1883) }
  const socket = isSecure
    ? connectSecure({ ...address, servername: host })
    : connectPlain({ ...address, noDelay: true })
  const frames = frameReader()
  const answers = new Map<number, (granted: readonly number[]) => void>()
  const unconfirmed = new Set<number>()
  let queue: Packet[] = []
  let receiveMaximum = usualReceiveMaximum
  let lastId = 0
  let isOpen = false
  let isPaused = false
  let heardAt = performance.now()
  let reason = ''

  const write = (packet: Packet) => {
    if (socket.writable) socket.write(writePacket(packet, version))
  }
  const fail = (words: string) => {
    reason ||= words
    socket.destroy()
  }
  function nextId(): number {
    do lastId = (lastId % 65_535) + 1
    while (unconfirmed.has(lastId) || answers.has(lastId))
    return lastId
  }
  function deliver() {
    let sent = 0
    for (const packet of queue) {
      if (unconfirmed.size >= receiveMaximum) break
      const messageId = nextId()
      unconfirmed.add(messageId)
      write({ ...packet, messageId })
      sent++
    }
    if (sent > 0) queue = queue.slice(sent)
  }

  let opened: (error?: Error) => void = () => {}
  const opening = new Promise<void>((resolve, reject) => {
    opened = (error) => (error ? reject(error) : resolve())
  })

  function handle(packet: Packet) {
    if (packet.cmd === 'publish') {
      if (packet.qos === 1) write({ cmd: 'puback', messageId: packet.messageId ?? 0 })
      onMessage(packet)
    } else if (packet.cmd === 'puback') {
      unconfirmed.delete(packet.messageId ?? 0)
      deliver()
    } else if (packet.cmd === 'suback') {
      answers.get(packet.messageId ?? 0)?.(packet.granted as readonly number[])
      answers.delete(packet.messageId ?? 0)
    } else if (packet.cmd === 'connack') {
      if (packet.reasonCode !== 0) {
        const words = `the broker refused the account of MQTT_URL with code ${packet.reasonCode}`
        opened(new BrokerRefusal(words))
        return fail(words)
      }
      receiveMaximum = packet.properties?.receiveMaximum ?? usualReceiveMaximum
      isOpen = true
      // What we write would count as a sign of life.
      socket.setTimeout(0)
      opened()
    } else if (packet.cmd === 'disconnect')
      reason ||= packet.properties?.reasonString ?? `the broker says ${packet.reasonCode}`
  }

  socket.setTimeout(handshakeMs, () => fail('the broker does not answer'))
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    write({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: version,
      clientId: `grove-${randomUUID()}`,
      clean: true,
      keepalive,
      username: decodeURIComponent(username),
      password: Buffer.from(decodeURIComponent(password)),
      properties: { receiveMaximum: usualReceiveMaximum, maximumPacketSize: maxPacketLength },
    })
  })
  const read = (chunk: Buffer) => {
    heardAt = performance.now()
    frames.add(chunk)
    for (let frame = frames.next(maxPacketLength); frame; frame = frames.next(maxPacketLength)) {
      const packet = typeof frame === 'string' ? frame : readPacket(frame, version)
      if (typeof packet === 'string') return fail('the broker sent something else than MQTT')
      handle(packet)
    }
  }
  socket.on(
    'data',
    guarded(() => fail('what the broker sent could not be taken'), read),
  )
  const pings = setInterval(
    () => {
      if (!isPaused && performance.now() - heardAt > 2 * keepalive * 1000)
        return fail('the broker does not answer')
      write({ cmd: 'pingreq' })
    },
    (keepalive * 1000) / 2,
  )
  socket.on('error', (error) => (reason ||= error.message))
  socket.once('close', () => {
    clearInterval(pings)
    const words = reason || 'the broker closed the connection'
    if (isOpen) onEnd(words)
    else opened(new Error(words))
    for (const answer of answers.values()) answer([])
  })
  await opening

  return {
    publish(topic, payload) {
      if (socket.writableLength > maxWaiting) return fail('the broker does not read')
      queue.push({
        cmd: 'publish',
        topic,
        payload,
        qos: 1,
        dup: false,
        retain: false,
        properties: { messageExpiryInterval: keptSeconds },
      })
      if (queue.length > usualReceiveMaximum) return fail('the broker confirms nothing')
      deliver()
    },
    async subscribe(filters) {
      const messageId = nextId()
      const answer = new Promise<readonly number[]>((resolve) => answers.set(messageId, resolve))
      const subscriptions = filters.map((topic) => ({ topic, qos: 1 as const }))
      write({ cmd: 'subscribe', messageId, subscriptions })
      const granted = await answer
      const refused = filters.find((_, index) => (granted[index] ?? 128) > 2)
      if (refused === undefined) return
      socket.destroy()
      throw new BrokerRefusal(`the broker refuses the subscription ${refused}`)
    },
    pause() {
      isPaused = true
      socket.pause()
    },
    resume() {
      isPaused = false
      heardAt = performance.now()
      socket.resume()
    },
    end() {
      write({ cmd: 'disconnect', reasonCode: 0 })
      socket.end()
      setTimeout(() => socket.destroy(), 1000).unref()
    },
  }
}
