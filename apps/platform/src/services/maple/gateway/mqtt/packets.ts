import { generate, parser, writeToStream, type Packet } from 'mqtt-packet'
import type { ByeCode } from '@grove/device-protocol/message'

/** MQTT 3.1.1 and 5, by the number in CONNECT. */
export type MqttVersion = 4 | 5

// It would keep a buffer for each of 65,536 numbers.
writeToStream.cacheNumbers = false

type Read = (frame: Buffer) => Packet | undefined

/** One for all connections: it is given whole packets, so nothing of one is left for the next. */
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
      // A packet that ends where it promised more.
    }
    opened = open()
    return undefined
  }
}

const readers: Record<MqttVersion, Read> = { 4: packetReader(4), 5: packetReader(5) }

/** Reads one whole packet; undefined for anything else. */
export const readPacket = (frame: Buffer, version: MqttVersion): Packet | undefined =>
  readers[version](frame)

/** Reads the first packet of a connection, whose parser would keep what it says. */
export const readConnect = (frame: Buffer): Extract<Packet, { cmd: 'connect' }> | undefined => {
  const packet = packetReader(4)(frame)
  return packet?.cmd === 'connect' ? packet : undefined
}

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
  packetTooLarge: 149,
  quotaExceeded: 151,
  retainNotSupported: 154,
  qosNotSupported: 155,
  sharedNotSupported: 158,
  idsNotSupported: 161,
  wildcardsNotSupported: 162,
} as const

export const refusals311 = { version: 1, busy: 3, badPassword: 4 } as const
export const failed311 = 128

/** What DISCONNECT of MQTT 5 says for each `bye`. */
export const reasonOfBye: Record<ByeCode, number> = {
  replaced: 142,
  changed: 152,
  protocol: reasons.protocolError,
  silent: 141,
  slow: reasons.quotaExceeded,
  unavailable: 139,
}
