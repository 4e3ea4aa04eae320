import { parseAid } from '../aid.ts'
import type { Command } from '../apdu.ts'
import { concat, readHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { lengthBytes } from '../tlv.ts'

/** The bytes of an AID in hex. */
export function aidBytes(hex: string): Uint8Array {
  const bytes = readHex(hex)
  parseAid(bytes)
  return bytes
}

/** A length-prefixed value, as in INSTALL. */
export const field = (value: Uint8Array | readonly number[] = []): Uint8Array =>
  concat(lengthBytes(value.length), value)

export const aidField = (hex: string | undefined): Uint8Array =>
  field(hex === undefined || hex === '' ? [] : aidBytes(hex))

/** A one-byte number in a named place of a command. */
export function byteOf(value: number, from = 0, to = 0xff): number {
  if (!Number.isInteger(value) || value < from || value > to)
    throw new DecodeError('wrongValue', 0, { expected: `${from}–${to}`, found: `${value}` })
  return value
}

const maxLe = 256

/** A GlobalPlatform command. If a reply is expected, Le is 00: everything available. */
export const command = (
  ins: number,
  p1: number,
  p2: number,
  data: Uint8Array,
  expectsReply = true,
): Command => ({
  cla: 0x80,
  ins,
  p1,
  p2,
  data,
  ...(expectsReply && { le: maxLe }),
  isExtended: data.length > 0xff,
})

/** Splits data into the blocks of a command whose block number is one byte. */
export function blocksOf(data: Uint8Array, size: number): Uint8Array[] {
  byteOf(size, 1)
  const count = Math.max(1, Math.ceil(data.length / size))
  if (count > 256)
    throw new DecodeError('tooLong', 256 * size, {
      expected: `${256 * size}`,
      found: `${data.length}`,
    })
  return Array.from({ length: count }, (_, index) => data.slice(index * size, (index + 1) * size))
}
