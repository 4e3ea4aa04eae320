import { toHex } from '../bytes.ts'
import type { ReadExchange, ReadTrace } from './read-trace.ts'

/** Link types (tcpdump.org) with the length of the header before IPv4. */
const linkLengths: Record<number, number> = { 0: 4, 1: 14, 12: 0, 101: 0, 113: 16, 228: 0, 276: 20 }
const gsmtapPort = 4729
const simType = 4
const udp = 17

interface Packet {
  at: number
  linkType: number
  bytes: Uint8Array
}

/** Whether a file contains packets: pcap, in any byte order and precision, or pcapng. */
export const isPcap = (file: Uint8Array): boolean =>
  ['A1B2C3D4', 'D4C3B2A1', 'A1B23C4D', '4D3CB2A1', '0A0D0D0A'].includes(toHex(file.subarray(0, 4)))

/**
 * The exchanges in a file of packets: those of GSMTAP with a SIM. A truncated file is read as far as
 * it goes.
 */
export function readPcap(file: Uint8Array): ReadTrace {
  const exchanges: ReadExchange[] = []
  let line = 0
  for (const { at, linkType, bytes } of packetsOf(file)) {
    line++
    const content = gsmtapOf(bytes, linkLengths[linkType])
    if (content && content.length >= 5) exchanges.push({ line, at, ...exchangeOf(content) })
  }
  return { tool: 'pcap', exchanges }
}

function* packetsOf(file: Uint8Array): Generator<Packet> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (toHex(file.subarray(0, 4)) === '0A0D0D0A') return yield* blocksOf(file, view)
  if (file.length < 24) return
  const isLittle = file[0] === 0xd4 || file[0] === 0x4d
  const magic = view.getUint32(0, isLittle)
  const fraction = magic === 0xa1b23c4d ? 1e6 : 1e3
  const linkType = view.getUint32(20, isLittle) & 0xffff
  for (let at = 24; at + 16 <= file.length;) {
    const length = view.getUint32(at + 8, isLittle)
    const time = view.getUint32(at, isLittle) * 1000 + view.getUint32(at + 4, isLittle) / fraction
    yield { at: time, linkType, bytes: file.subarray(at + 16, at + 16 + length) }
    at += 16 + length
  }
}

const sectionBlock = 0x0a0d0d0a
const interfaceBlock = 1
const enhancedPacketBlock = 6

/**
 * The blocks of a pcapng file (draft-ietf-opsawg-pcapng): times are in microseconds unless an option
 * says otherwise.
 */
function* blocksOf(file: Uint8Array, view: DataView): Generator<Packet> {
  let isLittle = true
  let interfaces: { linkType: number; perMs: number }[] = []
  for (let at = 0; at + 12 <= file.length;) {
    const type = view.getUint32(at, isLittle)
    if (type === sectionBlock) {
      isLittle = view.getUint8(at + 8) === 0x4d
      interfaces = []
    }
    const length = view.getUint32(at + 4, isLittle)
    if (length < 12 || at + length > file.length) return
    if (type === interfaceBlock && length >= 20)
      interfaces.push({
        linkType: view.getUint16(at + 8, isLittle),
        perMs: perMsOf(view, at + 16, at + length - 4, isLittle),
      })
    if (type === enhancedPacketBlock && length >= 32) {
      const { linkType = -1, perMs = 1e3 } = interfaces[view.getUint32(at + 8, isLittle)] ?? {}
      const ticks = view.getUint32(at + 12, isLittle) * 2 ** 32 + view.getUint32(at + 16, isLittle)
      const captured = Math.min(view.getUint32(at + 20, isLittle), length - 32)
      yield { at: ticks / perMs, linkType, bytes: file.subarray(at + 28, at + 28 + captured) }
    }
    at += length
  }
}

const resolutionOption = 9

function perMsOf(view: DataView, from: number, to: number, isLittle: boolean): number {
  for (let at = from; at + 5 <= to;) {
    const [code, length] = [view.getUint16(at, isLittle), view.getUint16(at + 2, isLittle)]
    if (code === resolutionOption) {
      const value = view.getUint8(at + 4)
      return (value & 0x80 ? 2 ** (value & 0x7f) : 10 ** value) / 1000
    }
    if (code === 0) break
    at += 4 + Math.ceil(length / 4) * 4
  }
  return 1e3
}

/** The payload of a GSMTAP packet of a SIM. */
function gsmtapOf(packet: Uint8Array, before: number | undefined): Uint8Array | undefined {
  if (before === undefined) return undefined
  const ip = packet.subarray(before)
  const ipLength = ((ip[0] ?? 0) & 0x0f) * 4
  if ((ip[0] ?? 0) >> 4 !== 4 || ip[9] !== udp) return undefined
  const datagram = ip.subarray(ipLength)
  const [from, to] = [0, 2].map((at) => ((datagram[at] ?? 0) << 8) | (datagram[at + 1] ?? 0))
  const length = ((datagram[4] ?? 0) << 8) | (datagram[5] ?? 0)
  if ((from !== gsmtapPort && to !== gsmtapPort) || length < 8) return undefined
  const data = datagram.subarray(8, length)
  const [version, words = 0, type, , subtype] = [data[0], data[1], data[2], data[3], data[12]]
  return version === 2 && type === simType && subtype === 0 ? data.subarray(words * 4) : undefined
}

/** Instructions whose commands have no data, so that P3 is the expected length. */
const outgoing = new Set([0x12, 0x84, 0xb0, 0xb2, 0xc0, 0xca])

/** A command and its reply, which a packet contains one after the other, as in T=0. */
function exchangeOf(content: Uint8Array): Pick<ReadExchange, 'command' | 'reply'> {
  const [, ins = 0, , , third = 0] = content
  const isOutgoing = outgoing.has(ins) || third === 0 || content.length < 5 + third
  const end = isOutgoing ? 5 : 5 + third
  const reply = toHex(content.subarray(end))
  return { command: toHex(content.subarray(0, end)), ...(reply.length >= 4 && { reply }) }
}
