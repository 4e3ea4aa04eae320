import type { Command } from '../apdu.ts'
import { byteAt, concat, toHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { lengthBytes } from '../tlv.ts'
import { byteOf, command, field } from './fields.ts'

export const keyTypes = { AES: 0x88, DES: 0x80 } as const

/** A key as in PUT KEY: encrypted, with the check value of the clear key. */
export interface KeyBlock {
  algorithm: keyof typeof keyTypes
  /** Length of the clear key, in bytes. */
  length: number
  encrypted: Uint8Array
  /** Three bytes, or none to send no check value. */
  checkValue: Uint8Array
}

/**
 * The block of one key (GlobalPlatform Card Specification 2.3.1, table 11-68; Amendment D, table
 * 7-2): an AES key is prefixed with its own length, because it may be padded.
 */
function blockBytes({ algorithm, length, encrypted, checkValue }: KeyBlock): Uint8Array {
  const value = algorithm === 'AES' ? concat([byteOf(length)], encrypted) : encrypted
  return concat([keyTypes[algorithm]], lengthBytes(value.length), value, field(checkValue))
}

const maxKeys = 16
const several = 0x80

/** PUT KEY of one key, or several with consecutive ids. `replaces` is 0 to add a version. */
export function putKey({
  version,
  replaces = 0,
  firstId = 1,
  keys,
}: {
  version: number
  replaces?: number
  firstId?: number
  keys: readonly KeyBlock[]
}): Command {
  if (keys.length === 0 || keys.length > maxKeys)
    throw new DecodeError('wrongLength', 5, { expected: `1–${maxKeys}`, found: `${keys.length}` })
  return command(
    0xd8,
    byteOf(replaces, 0, 0x7f),
    byteOf(firstId, 0, 0x7f) | (keys.length > 1 ? several : 0),
    concat([byteOf(version, 1, 0x7f)], ...keys.map(blockBytes)),
  )
}

export type KeyCheck =
  | { kind: 'same' }
  /** The card returned nothing, so it is unknown what it stored. */
  | { kind: 'missing' }
  | { kind: 'different'; expected: string; found: string }

/** Compares the reply to PUT KEY, the version and the check value of each key, with what was sent. */
export function checkPutKeyReply(
  reply: Uint8Array,
  version: number,
  keys: readonly KeyBlock[],
): KeyCheck {
  if (reply.length <= 1) return { kind: 'missing' }
  const expected = concat([version], ...keys.map(({ checkValue }) => checkValue))
  const isSame =
    reply.length === expected.length && expected.every((byte, at) => byte === byteAt(reply, at))
  return isSame
    ? { kind: 'same' }
    : { kind: 'different', expected: toHex(expected), found: toHex(reply) }
}
