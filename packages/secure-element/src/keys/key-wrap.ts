import { createCipheriv, createDecipheriv } from 'node:crypto'
import { DecodeError } from '../decode-error.ts'

/** The initial value of AES Key Wrap with Padding (RFC 5649, 3). */
const initialValue = Buffer.from('A65959A6', 'hex')

const cipherOf = (transportKey: Uint8Array) => `id-aes${transportKey.length * 8}-wrap-pad`

/**
 * AES-KWP (RFC 5649): wraps a key with a transport key of 16, 24 or 32 bytes; 8 to 15 bytes longer.
 */
export function wrapKey(transportKey: Uint8Array, key: Uint8Array): Uint8Array {
  const cipher = createCipheriv(cipherOf(transportKey), transportKey, initialValue)
  return new Uint8Array(Buffer.concat([cipher.update(key), cipher.final()]))
}

/** @throws DecodeError `wrongValue` if it was wrapped with another key, or was changed. */
export function unwrapKey(transportKey: Uint8Array, wrapped: Uint8Array): Uint8Array {
  try {
    const cipher = createDecipheriv(cipherOf(transportKey), transportKey, initialValue)
    return new Uint8Array(Buffer.concat([cipher.update(wrapped), cipher.final()]))
  } catch {
    throw new DecodeError('wrongValue', 0)
  }
}
