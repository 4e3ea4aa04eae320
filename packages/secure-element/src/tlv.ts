import { byteAt, concat, maxInputLength, readHex, toHex } from './bytes.ts'
import { attempt, DecodeError } from './decode-error.ts'

export const deepestTlv = 16
export const maxTlvs = 4096
const maxTagLength = 3

/** A parsed data object; offsets count from the start of the bytes. */
export interface TlvNode {
  /** The tag in upper-case hex. */
  tag: string
  from: number
  lengthFrom: number
  valueFrom: number
  to: number
  /** The children of a constructed object. */
  children?: TlvNode[]
}

export const isConstructed = (tag: string): boolean =>
  (Number.parseInt(tag.slice(0, 2), 16) & 0x20) !== 0

/**
 * Parses the BER-TLV objects (ISO/IEC 7816-4, 5.2) between two offsets. Rejects indefinite lengths,
 * tags of more than three bytes, more than 16 levels and more than 4096 objects.
 */
export function parseTlv(bytes: Uint8Array, from = 0, to = bytes.length): TlvNode[] {
  if (to - from > maxInputLength)
    throw new DecodeError('tooLong', maxInputLength, {
      expected: `${maxInputLength}`,
      found: `${to - from}`,
    })
  let count = 0

  const readAll = (start: number, end: number, depth: number): TlvNode[] => {
    if (depth > deepestTlv) throw new DecodeError('tooDeep', start, { expected: `${deepestTlv}` })
    const nodes: TlvNode[] = []
    for (let at = start; at < end;) {
      if (++count > maxTlvs) throw new DecodeError('tooMany', at, { expected: `${maxTlvs}` })
      const head = readTlvHead(bytes, at, end)
      nodes.push(
        isConstructed(head.tag)
          ? { ...head, children: readAll(head.valueFrom, head.to, depth + 1) }
          : head,
      )
      at = head.to
    }
    return nodes
  }
  return readAll(from, to, 1)
}

/** Reads the tag and length at an offset, and checks that the value ends before `end`. */
export function readTlvHead(bytes: Uint8Array, from: number, end = bytes.length): TlvNode {
  const lengthFrom = readTag(bytes, from, end)
  const { length, next: valueFrom } = readLength(bytes, lengthFrom, end)
  if (valueFrom + length > end)
    throw new DecodeError('cutOff', valueFrom, {
      expected: `${length}`,
      found: `${end - valueFrom}`,
    })
  const tag = toHex(bytes.subarray(from, lengthFrom))
  return { tag, from, lengthFrom, valueFrom, to: valueFrom + length }
}

/** The objects between two offsets, without their children. */
export function readTlvHeads(bytes: Uint8Array, from = 0, to = bytes.length): TlvNode[] {
  const found: TlvNode[] = []
  for (let at = from; at < to;) {
    const head = readTlvHead(bytes, at, to)
    found.push(head)
    at = head.to
  }
  return found
}

/** Returns the end of the tag. */
export function readTag(bytes: Uint8Array, from: number, end: number): number {
  const first = byteAt(bytes, from)
  // 00 ends an indefinite-length value and FF is padding; neither starts an object.
  if (first === 0) throw new DecodeError('wrongTag', from, { expected: '01–FF', found: '00' })
  if ((first & 0x1f) !== 0x1f) return from + 1
  for (let at = from + 1; at < end; at++) {
    if (at - from >= maxTagLength) break
    if ((byteAt(bytes, at) & 0x80) === 0) return at + 1
  }
  if (end - from < maxTagLength) throw new DecodeError('cutOff', end, { expected: '1', found: '0' })
  throw new DecodeError('tagTooLong', from, { expected: `${maxTagLength}` })
}

/** Reads a length of one byte, or of up to four after `81`, `82` or `83`. */
export function readLength(bytes: Uint8Array, from: number, end: number) {
  if (from >= end) throw new DecodeError('cutOff', from, { expected: '1', found: '0' })
  const first = byteAt(bytes, from)
  if (first < 0x80) return { length: first, next: from + 1 }
  if (first === 0x80) throw new DecodeError('indefiniteLength', from, { found: '80' })
  const size = first & 0x7f
  const found = toHex(bytes.subarray(from, from + 1))
  if (size > 3) throw new DecodeError('lengthTooLong', from, { expected: '81–83', found })
  if (from + 1 + size > end)
    throw new DecodeError('cutOff', from + 1, {
      expected: `${size}`,
      found: `${end - from - 1}`,
    })
  let length = 0
  for (let index = 1; index <= size; index++) length = length * 256 + byteAt(bytes, from + index)
  return { length, next: from + 1 + size }
}

/** An object to encode: a value, or children. */
export interface TlvInput {
  tag: string
  value: Uint8Array | readonly TlvInput[]
}

/** Encodes BER-TLV objects, each length in the fewest bytes. */
export function encodeTlv(objects: readonly TlvInput[]): Uint8Array {
  return concat(
    ...objects.map(({ tag, value }) => {
      const content = value instanceof Uint8Array ? value : encodeTlv(value)
      return concat(tagBytes(tag), lengthBytes(content.length), content)
    }),
  )
}

function tagBytes(tag: string): Uint8Array {
  const bytes = attempt(() => readHex(tag))
  if (bytes === undefined || attempt(() => readTag(bytes, 0, bytes.length)) !== bytes.length)
    throw new DecodeError('wrongTag', 0, { found: tag })
  return bytes
}

export function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  if (length < 0x100) return [0x81, length]
  if (length < 0x1_0000) return [0x82, length >> 8, length & 0xff]
  if (length < 0x100_0000) return [0x83, length >> 16, (length >> 8) & 0xff, length & 0xff]
  throw new DecodeError('tooLong', 0, { expected: '16777215', found: `${length}` })
}
