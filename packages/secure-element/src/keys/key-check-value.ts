import { aesKey } from '../crypto/aes.ts'
import { tripleDesKey } from '../crypto/triple-des.ts'

export type KeyAlgorithm = 'AES' | 'DES'

export const checkValueLength = 3

/**
 * The first three bytes of a block that the key encrypts: of `01` for AES, of `00` for DES
 * (GlobalPlatform Card Specification 2.3.1, B.6). It identifies a key without revealing it.
 */
export const keyCheckValue = (algorithm: KeyAlgorithm, key: Uint8Array): Uint8Array =>
  (algorithm === 'AES'
    ? aesKey(key).encryptBlock(new Uint8Array(16).fill(1))
    : tripleDesKey(key).encryptBlocks(new Uint8Array(8))
  ).slice(0, checkValueLength)
