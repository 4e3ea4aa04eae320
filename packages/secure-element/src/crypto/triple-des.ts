import { createCipheriv, createDecipheriv } from 'node:crypto'
import { concat } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { padded } from './padding.ts'

export const desBlock = 8

export const isDesKeyLength = (length: number): boolean => length === 16 || length === 24

/** A triple DES key of 16 bytes (first and third part equal) or 24 bytes. Data fills whole blocks. */
export interface TripleDesKey {
  /** CBC without padding; the default IV is zero. */
  encrypt(data: Uint8Array, iv?: Uint8Array): Uint8Array
  decrypt(data: Uint8Array, iv?: Uint8Array): Uint8Array
  encryptBlocks(data: Uint8Array): Uint8Array
  decryptBlocks(data: Uint8Array): Uint8Array
  /** Single DES with the first part of the key. */
  encryptSingle(block: Uint8Array): Uint8Array
  /** Retail MAC (ISO/IEC 9797-1, algorithm 3): single DES, triple DES for the last block. */
  mac(message: Uint8Array, iv?: Uint8Array): Uint8Array
  /** Full triple DES MAC (ISO/IEC 9797-1, algorithm 1). */
  fullMac(message: Uint8Array, iv?: Uint8Array): Uint8Array
}

const zero = new Uint8Array(desBlock)

export function tripleDesKey(key: Uint8Array): TripleDesKey {
  if (!isDesKeyLength(key.length))
    throw new DecodeError('wrongLength', 0, { expected: '16 / 24', found: `${key.length}` })
  const first = key.subarray(0, desBlock)
  const triple = key.length === 24 ? key : concat(key, first)
  // OpenSSL 3 refuses single DES: triple DES with three equal keys is the same cipher.
  const single = concat(first, first, first)
  const cbc = (des: Uint8Array, data: Uint8Array, iv: Uint8Array) =>
    new Uint8Array(createCipheriv('des-ede3-cbc', des, iv).setAutoPadding(false).update(data))
  const encrypt = (data: Uint8Array, iv: Uint8Array = zero) => cbc(triple, data, iv)
  return {
    encrypt,
    decrypt: (data, iv: Uint8Array = zero) =>
      new Uint8Array(
        createDecipheriv('des-ede3-cbc', triple, iv).setAutoPadding(false).update(data),
      ),
    encryptBlocks: (data) =>
      new Uint8Array(createCipheriv('des-ede3', triple, null).setAutoPadding(false).update(data)),
    decryptBlocks: (data) =>
      new Uint8Array(createDecipheriv('des-ede3', triple, null).setAutoPadding(false).update(data)),
    encryptSingle: (block) => cbc(single, block, zero),
    mac(message, iv: Uint8Array = zero) {
      const data = padded(message, desBlock)
      const last = data.length - desBlock
      const chained = last === 0 ? iv : cbc(single, data.subarray(0, last), iv).slice(-desBlock)
      return encrypt(data.subarray(last), chained)
    },
    fullMac: (message, iv: Uint8Array = zero) =>
      encrypt(padded(message, desBlock), iv).slice(-desBlock),
  }
}
