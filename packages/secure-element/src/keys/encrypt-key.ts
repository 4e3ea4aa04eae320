import { aesBlock, aesKey, isAesKeyLength } from '../crypto/aes.ts'
import { desBlock, isDesKeyLength, tripleDesKey } from '../crypto/triple-des.ts'
import { DecodeError } from '../decode-error.ts'
import type { KeyBlock } from '../host/put-key.ts'
import type { Protocol } from '../secure-channel/security-level.ts'
import { keyCheckValue, type KeyAlgorithm } from './key-check-value.ts'

export interface NewKey {
  algorithm: KeyAlgorithm
  value: Uint8Array
}

/** The plaintext of a new key: its bytes, zero-padded to whole blocks. */
export function keyToEncrypt(protocol: Protocol, { algorithm, value }: NewKey): Uint8Array {
  const { length } = value
  const isKey = algorithm === 'AES' ? isAesKeyLength(length) : isDesKeyLength(length)
  if (!isKey) throw new DecodeError('wrongLength', 0, { expected: algorithm, found: `${length}` })
  const block = protocol === 'SCP03' ? aesBlock : desBlock
  const filled = new Uint8Array(Math.ceil(length / block) * block)
  filled.set(value)
  return filled
}

/** A PUT KEY key encrypted elsewhere, for instance in an HSM. */
export const encryptedKey = ({ algorithm, value }: NewKey, encrypted: Uint8Array): KeyBlock => ({
  algorithm,
  length: value.length,
  encrypted,
  checkValue: keyCheckValue(algorithm, value),
})

/**
 * Encrypts a new key for PUT KEY: SCP03 with the static DEK in CBC mode, zero-padded; SCP02 with the
 * session DEK, block by block.
 */
export function encryptKey(protocol: Protocol, dek: Uint8Array, key: NewKey): KeyBlock {
  const filled = keyToEncrypt(protocol, key)
  return encryptedKey(
    key,
    protocol === 'SCP03' ? aesKey(dek).encrypt(filled) : tripleDesKey(dek).encryptBlocks(filled),
  )
}
