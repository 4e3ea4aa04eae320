import { concat } from '../bytes.ts'

/** One exchange of a trace. */
export interface TracedExchange {
  /** Milliseconds since 1970. */
  at: number
  command: Uint8Array
  /** Including its status word; undefined if there was none. */
  reply?: Uint8Array | undefined
}

const bytes = (...fields: (readonly [value: number, length: 1 | 2 | 4])[]): Uint8Array => {
  const made = new Uint8Array(fields.reduce((sum, [, length]) => sum + length, 0))
  const view = new DataView(made.buffer)
  let at = 0
  for (const [value, length] of fields) {
    if (length === 1) view.setUint8(at, value)
    else if (length === 2) view.setUint16(at, value)
    else view.setUint32(at, value)
    at += length
  }
  return made
}

/** Packets begin with an IPv4 header (tcpdump, LINKTYPE_IPV4). */
const linkType = 228
const snapLength = 65_535
/** Big-endian, with microseconds. */
const magic = 0xa1b2c3d4
const port = 4729
const loopback = 0x7f00_0001
const udp = 17
const [ipLength, udpLength, gsmtapLength] = [20, 8, 16]
/** GSMTAP 2 of a SIM (osmocom, gsmtap.h). */
const gsmtap = { version: 2, sim: 4, exchange: 0 } as const

/** The checksum of an IPv4 header (RFC 1071). */
function checksum(header: Uint8Array): number {
  let sum = 0
  const view = new DataView(header.buffer)
  for (let at = 0; at < header.length; at += 2) sum += view.getUint16(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  return ~sum & 0xffff
}

/** The part of an exchange that fits into a packet, whose length field in IPv4 has two bytes. */
const maxContent = snapLength - ipLength - udpLength - gsmtapLength

function packet(whole: Uint8Array, at: number, number: number): Uint8Array {
  const content = whole.subarray(0, maxContent)
  const data = concat(
    bytes([gsmtap.version, 1], [gsmtapLength / 4, 1], [gsmtap.sim, 1], [0, 1], [0, 4]),
    bytes([number, 4], [gsmtap.exchange, 1], [0, 1], [0, 2]),
    content,
  )
  const length = ipLength + udpLength + data.length
  const header = (sum: number) =>
    bytes(
      ...([
        [0x4500, 2],
        [length, 2],
        [number & 0xffff, 2],
        [0, 2],
      ] as const),
      ...([
        [64, 1],
        [udp, 1],
        [sum, 2],
        [loopback, 4],
        [loopback, 4],
      ] as const),
    )
  const [seconds, micros] = [Math.floor(at / 1000), Math.round((at % 1000) * 1000)]
  return concat(
    bytes([seconds, 4], [micros, 4], [length, 4], [length + whole.length - content.length, 4]),
    header(checksum(header(0))),
    // A checksum of zero means none.
    bytes([port, 2], [port, 2], [udpLength + data.length, 2], [0, 2]),
    data,
  )
}

/** The length of a command without Le, which a T=0 card does not get after data. */
function withoutLe(command: Uint8Array): Uint8Array {
  const lc = command[4] ?? 0
  return lc > 0 && command.length === 5 + lc + 1 ? command.slice(0, -1) : command
}

/** The start of a pcap file, followed by its packets. */
export const pcapHeader = (): Uint8Array =>
  bytes([magic, 4], [2, 2], [4, 2], [0, 4], [0, 4], [snapLength, 4], [linkType, 4])

/**
 * An exchange as a packet of a pcap file: a command and its reply as in T=0, so Le is omitted after
 * data. `number` counts from 1. An exchange beyond 64 KB is truncated, and the packet states its
 * original length.
 */
export const pcapPacket = (
  { at, command, reply = new Uint8Array() }: TracedExchange,
  number: number,
): Uint8Array => packet(concat(withoutLe(command), reply), at, number)

/**
 * A trace of exchanges as a pcap file for Wireshark: GSMTAP of a SIM in UDP to port 4729, which its
 * dissectors show as commands of ISO/IEC 7816 with their status words.
 */
export const gsmtapPcap = (exchanges: readonly TracedExchange[]): Uint8Array =>
  concat(pcapHeader(), ...exchanges.map((exchange, index) => pcapPacket(exchange, index + 1)))
