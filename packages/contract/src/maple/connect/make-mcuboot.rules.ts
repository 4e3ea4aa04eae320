import { headerMagic, protectedMagic, smallestHeader, unprotectedMagic } from './mcuboot.rules.ts'

export interface NewTlv {
  type: number
  value: Uint8Array
}

export interface NewImage {
  version: readonly [major: number, minor: number, revision: number, build?: number]
  program: Uint8Array
  loadAddress?: number
  flags?: number
  headerSize?: number
  protectedTlvs?: readonly NewTlv[]
}

/** The part of an image that its hash and signatures cover. */
export function signedPart({
  version: [major, minor, revision, build = 0],
  program,
  loadAddress = 0,
  flags = 0,
  headerSize = smallestHeader,
  protectedTlvs = [],
}: NewImage): Uint8Array {
  const tlvs = protectedTlvs.length > 0 ? tlvArea(protectedMagic, protectedTlvs) : new Uint8Array()
  const header = new Uint8Array(headerSize)
  const view = new DataView(header.buffer)
  view.setUint32(0, headerMagic, true)
  view.setUint32(4, loadAddress, true)
  view.setUint16(8, headerSize, true)
  view.setUint16(10, tlvs.length, true)
  view.setUint32(12, program.length, true)
  view.setUint32(16, flags, true)
  view.setUint8(20, major)
  view.setUint8(21, minor)
  view.setUint16(22, revision, true)
  view.setUint32(24, build, true)
  return joined([header, program, tlvs])
}

/** The whole image: the signed part, followed by the tags with the signatures. */
export const wholeImage = (signed: Uint8Array, tlvs: readonly NewTlv[]): Uint8Array<ArrayBuffer> =>
  joined([signed, tlvArea(unprotectedMagic, tlvs)])

function tlvArea(magic: number, tlvs: readonly NewTlv[]): Uint8Array {
  const values = joined(tlvs.map(({ type, value }) => joined([uint16s(type, value.length), value])))
  return joined([uint16s(magic, values.length + 4), values])
}

function uint16s(first: number, second: number): Uint8Array {
  const bytes = new Uint8Array(4)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, first, true)
  view.setUint16(2, second, true)
  return bytes
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
