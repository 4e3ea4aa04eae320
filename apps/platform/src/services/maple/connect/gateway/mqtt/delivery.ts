import { writePacket, type MqttVersion } from './packets.ts'

interface Options {
  write: (bytes: Buffer) => void
  version: MqttVersion
  /** Messages with QoS 1 that may wait for their confirmation. */
  maxUnconfirmed: number
  /** The device's maximum packet size in bytes. */
  longest: number
}

interface Subscription {
  topic: string
  qos: 0 | 1
}

/** Messages to the topic that a device subscribed to: with QoS 1, as fast as it confirms. */
export function openDelivery({ write, version, maxUnconfirmed, longest }: Options) {
  let subscription: Subscription | undefined
  let queue: string[] = []
  let queued = 0
  const unconfirmed = new Set<number>()
  let lastId = 0

  const hasRoom = ({ qos }: { qos: 0 | 1 }) => qos === 0 || unconfirmed.size < maxUnconfirmed

  /** Nothing if the packet exceeds the device's maximum: it would close the connection. */
  function packetOf(payload: string, { topic, qos }: Subscription, messageId: number) {
    const message = { cmd: 'publish', topic, payload, qos, dup: false, retain: false } as const
    const bytes = writePacket(qos === 0 ? message : { ...message, messageId }, version)
    return bytes.length <= longest ? bytes : undefined
  }

  function deliver() {
    if (!subscription) return
    while (hasRoom(subscription)) {
      const payload = queue.shift()
      if (payload === undefined) return
      queued -= payload.length
      const messageId = nextId()
      const bytes = packetOf(payload, subscription, messageId)
      // Unsent messages are not confirmed.
      if (!bytes) continue
      if (subscription.qos === 1) unconfirmed.add(messageId)
      write(bytes)
    }
  }

  function nextId(): number {
    do lastId = (lastId % 65_535) + 1
    while (unconfirmed.has(lastId))
    return lastId
  }

  return {
    /** Returns the granted QoS. */
    subscribe(topic: string, qos: number): 0 | 1 {
      subscription = { topic, qos: qos === 0 ? 0 : 1 }
      return subscription.qos
    },
    unsubscribe(topics: readonly string[]) {
      if (subscription && topics.includes(subscription.topic)) subscription = undefined
    },
    /** Returns false if it exceeds the device's maximum. */
    add(text: string): boolean {
      // Dropped without a subscription.
      if (!subscription) return true
      if (longest < Infinity && !packetOf(text, subscription, 1)) return false
      queue.push(text)
      queued += text.length
      deliver()
      return true
    },
    confirm(id: number) {
      unconfirmed.delete(id)
      deliver()
    },
    /** Characters that wait for confirmations. */
    waiting: () => queued,
    end() {
      queue = []
      subscription = undefined
    },
  }
}

export type Delivery = ReturnType<typeof openDelivery>
