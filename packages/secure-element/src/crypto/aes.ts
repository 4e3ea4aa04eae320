import { createCipheriv, createDecipheriv, type Cipher, type Decipher } from 'node:crypto'
import { byteAt } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'

export const aesBlock = 16

export const isAesKeyLength = (length: number): boolean =>
  length === 16 || length === 24 || length === 32

/** An AES key with the operations of secure channels. Data to encrypt must fill whole blocks. */
export interface AesKey {
  encryptBlock(block: Uint8Array): Uint8Array
  /** CBC without padding; the default IV is zero. */
  encrypt(data: Uint8Array, iv?: Uint8Array): Uint8Array
  decrypt(data: Uint8Array, iv?: Uint8Array): Uint8Array
  /** AES-CMAC (RFC 4493, NIST SP 800-38B) over concatenated pieces: 16 bytes. */
  mac(...pieces: (Uint8Array | readonly number[])[]): Uint8Array
}

const zero = new Uint8Array(aesBlock)

/**
 * Creating a cipher costs more than encrypting a command, so one cipher in CBC mode serves all of
 * them: `chained` XORs the current chaining value out of the first block.
 */
export function aesKey(key: Uint8Array): AesKey {
  if (!isAesKeyLength(key.length))
    throw new DecodeError('wrongLength', 0, { expected: '16 / 24 / 32', found: `${key.length}` })
  const name = `aes-${key.length * 8}-cbc`
  let encryptor: Cipher | undefined
  let decryptor: Decipher | undefined
  let lastSent: Uint8Array = zero
  let lastReceived: Uint8Array = zero

  /** Replaces a fresh cipher; it takes ownership of `data`. */
  const chained = (data: Uint8Array, iv: Uint8Array): Uint8Array => {
    if (data.length === 0) return data
    encryptor ??= createCipheriv(name, key, zero).setAutoPadding(false)
    for (let at = 0; at < aesBlock; at++)
      data[at] = byteAt(data, at) ^ byteAt(iv, at) ^ byteAt(lastSent, at)
    const made = bytesOf(encryptor.update(data))
    lastSent = made.slice(-aesBlock)
    return made
  }
  const encryptBlock = (block: Uint8Array) => chained(wholeBlocks(block).slice(), zero)
  let masks: { whole: Uint8Array; padded: Uint8Array } | undefined
  const makeMasks = () => {
    const whole = double(encryptBlock(zero))
    return { whole, padded: double(whole) }
  }

  return {
    encryptBlock,
    encrypt: (data, iv: Uint8Array = zero) => chained(wholeBlocks(data).slice(), iv),
    decrypt(data, iv: Uint8Array = zero) {
      if (wholeBlocks(data).length === 0) return new Uint8Array()
      decryptor ??= createDecipheriv(name, key, zero).setAutoPadding(false)
      const made = bytesOf(decryptor.update(data))
      for (let at = 0; at < aesBlock; at++)
        made[at] = byteAt(made, at) ^ byteAt(iv, at) ^ byteAt(lastReceived, at)
      lastReceived = data.slice(-aesBlock)
      return made
    },
    mac(...pieces) {
      let length = 0
      for (const piece of pieces) length += piece.length
      const data = new Uint8Array(Math.max(1, Math.ceil(length / aesBlock)) * aesBlock)
      let at = 0
      for (const piece of pieces) {
        data.set(piece, at)
        at += piece.length
      }
      const isWhole = length === data.length
      if (!isWhole) data[length] = 0x80
      masks ??= makeMasks()
      const mask = isWhole ? masks.whole : masks.padded
      const last = data.length - aesBlock
      for (let index = 0; index < aesBlock; index++)
        data[last + index] = byteAt(data, last + index) ^ byteAt(mask, index)
      return chained(data, zero).slice(last)
    },
  }
}

/** A plain view of the same memory: the methods of `Buffer` differ from other byte arrays. */
const bytesOf = ({ buffer, byteOffset, length }: Buffer): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length)

/** A partial block would stay in the cipher and corrupt the next operation. */
function wholeBlocks(data: Uint8Array): Uint8Array {
  if (data.length % aesBlock === 0) return data
  const expected = `${Math.ceil(data.length / aesBlock) * aesBlock}`
  throw new DecodeError('wrongLength', data.length, { expected, found: `${data.length}` })
}

/** Multiplies by x in GF(2^128), from which CMAC derives its two subkeys. */
function double(block: Uint8Array): Uint8Array {
  const shifted = block.map((byte, index) => (byte << 1) | ((block[index + 1] ?? 0) >> 7))
  const last = aesBlock - 1
  if (((block[0] ?? 0) & 0x80) !== 0) shifted[last] = (shifted[last] ?? 0) ^ 0x87
  return shifted
}
