import { generate, parser, writeToStream, type IConnectPacket, type Packet } from 'mqtt-packet'
import type { ByeCode } from '@grove/device-protocol/message'

/** MQTT 3.1.1 and 5, by the number in CONNECT. */
export type MqttVersion = 4 | 5

// It would allocate a buffer for each of 65,536 packet ids.
writeToStream.cacheNumbers = false

type Read = (frame: Buffer) => Packet | undefined

/** Shared by all connections: it gets whole packets, so it keeps no state between them. */
function packetReader(protocolVersion: MqttVersion): Read {
  let found: Packet | undefined
  const open = () =>
    parser({ protocolVersion })
      .on('packet', (packet) => (found = packet))
      .on('error', () => {})
  let opened = open()
  return (frame) => {
    found = undefined
    try {
      if (opened.parse(frame) === 0) return found
    } catch {
      // A packet shorter than it declares.
    }
    opened = open()
    return undefined
  }
}

const readers: Record<MqttVersion, Read> = { 4: packetReader(4), 5: packetReader(5) }

/** Why bytes are not an acceptable packet: a name of `reasons`. */
export type Fault = 'malformed' | 'protocolError' | 'topicAliasInvalid'

/** Parses a packet after CONNECT, or tells what is wrong with it. */
export function readPacket(frame: Buffer, version: MqttVersion): Packet | Fault {
  // The shared parser would adopt the version in it.
  if ((frame[0] ?? 0) >> 4 === connectKind) return 'protocolError'
  const packet = readers[version](frame)
  return packet ? (faultOf(packet) ?? packet) : 'malformed'
}

const connectKind = 1

/** Errors that the parser misses: the writer would throw at the answer. */
function faultOf(packet: Packet): Fault | undefined {
  const { cmd, messageId = -1 } = packet
  const hasId =
    cmd === 'publish'
      ? packet.qos > 0
      : ['subscribe', 'unsubscribe', 'puback', 'suback', 'unsuback'].includes(cmd)
  // The parser's number for a truncated one.
  if (hasId && messageId < 0) return 'malformed'
  if (hasId && messageId === 0) return 'protocolError'
  if (cmd === 'subscribe' && packet.subscriptions.length === 0) return 'protocolError'
  if (cmd === 'unsubscribe' && packet.unsubscriptions.length === 0) return 'protocolError'
  // Never allowed by what this side sends.
  if (cmd === 'publish' && packet.properties?.topicAlias !== undefined) return 'topicAliasInvalid'
  return 'properties' in packet && hasRepeated(packet.properties) ? 'protocolError' : undefined
}

/** A duplicate property, which the parser turns into a list. */
const hasRepeated = (properties: object = {}): boolean =>
  Object.entries(properties).some(
    ([name, value]) => name !== 'subscriptionIdentifier' && Array.isArray(value),
  )

/** Parses the first packet of a connection with a separate parser, which keeps its version. */
export const readConnect = (frame: Buffer): IConnectPacket | undefined => {
  const packet = packetReader(4)(frame)
  return packet?.cmd === 'connect' ? packet : undefined
}

/** In MQTT 5, CONNECT may declare limits, as whole numbers from 1 on. */
export function hasBadLimits({ properties = {} }: IConnectPacket): boolean {
  const { receiveMaximum = 1, maximumPacketSize = 1 } = properties
  return hasRepeated(properties) || receiveMaximum < 1 || maximumPacketSize < 1
}

/** @throws Error at a packet that MQTT has no bytes for. */
export const writePacket = (packet: Packet, protocolVersion: MqttVersion): Buffer =>
  generate(packet, { protocolVersion })

/** Reason codes of MQTT 5 (2.4), and return codes of CONNACK in 3.1.1 (3.2.2.3). */
export const reasons = {
  malformed: 129,
  protocolError: 130,
  badPassword: 134,
  notAuthorized: 135,
  serverBusy: 137,
  badMethod: 140,
  topicAliasInvalid: 148,
  packetTooLarge: 149,
  quotaExceeded: 151,
  payloadInvalid: 153,
  retainNotSupported: 154,
  qosNotSupported: 155,
  sharedNotSupported: 158,
  idsNotSupported: 161,
  wildcardsNotSupported: 162,
} as const

export const refusals311 = { version: 1, busy: 3, badPassword: 4 } as const
export const failed311 = 128

/** The DISCONNECT reason of MQTT 5 for each `bye`. */
export const reasonOfBye: Record<ByeCode, number> = {
  replaced: 142,
  changed: 152,
  protocol: reasons.protocolError,
  silent: 141,
  slow: reasons.quotaExceeded,
  unavailable: 139,
}
