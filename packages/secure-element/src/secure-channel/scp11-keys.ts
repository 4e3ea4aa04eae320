import { createHash } from 'node:crypto'
import { concat } from '../bytes.ts'
import type { SessionKeys } from './key-set.ts'

/**
 * Which side authenticates itself: both with `a` and `c`, only the card with `b`. `c` lets a host
 * prepare commands without the card.
 */
export type Scp11Variant = 'a' | 'b' | 'c'

/** C-MAC, C-DECRYPTION, R-MAC and R-ENCRYPTION: the only supported usage. */
export const keyUsage = 0x3c
const aes = 0x88
const hashLength = 32

/**
 * The purpose of the keys: usage, type and length. Part of both the agreement and the key derivation.
 */
export const sharedInfo = (keyLength: number): Uint8Array => Uint8Array.of(keyUsage, aes, keyLength)

/**
 * The keys of an SCP11 session from both shared secrets (GlobalPlatform Amendment F, 3.1.2; the KDF
 * of BSI TR-03111, 4.3.3, with SHA-256): the receipt key first, then those for SCP03.
 */
export function scp11Keys(
  secrets: readonly Uint8Array[],
  keyLength: number,
): SessionKeys & { receipt: Uint8Array } {
  const count = 5
  const blocks = Array.from({ length: Math.ceil((count * keyLength) / hashLength) }, (_, index) =>
    createHash('sha256')
      .update(concat(...secrets, [0, 0, 0, index + 1], sharedInfo(keyLength)))
      .digest(),
  )
  const all = concat(...blocks)
  const key = (index: number) => all.slice(index * keyLength, (index + 1) * keyLength)
  return { receipt: key(0), enc: key(1), mac: key(2), rmac: key(3), dek: key(4) }
}
