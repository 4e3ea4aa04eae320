import {
  constants,
  createPublicKey,
  sign,
  verify,
  type KeyObject,
  type SignKeyObjectInput,
} from 'node:crypto'
import { byteAt } from '../bytes.ts'
import { aesKey } from '../crypto/aes.ts'
import { tripleDesKey } from '../crypto/triple-des.ts'
import { DecodeError } from '../decode-error.ts'
import { isSame } from '../secure-channel/messaging.ts'

/** A symmetric key for signatures: AES-CMAC of 16 bytes, or retail MAC of 8. */
export interface SecretKey {
  algorithm: 'AES' | 'DES'
  value: Uint8Array
}

/** A public key in the form of PUT KEY: an RSA key, or an uncompressed point of P-256 (65 bytes). */
export type PublicKey =
  | { algorithm: 'RSA'; modulus: Uint8Array; exponent: Uint8Array }
  | { algorithm: 'EC'; point: Uint8Array }

export type VerificationKey = SecretKey | PublicKey

const pointLength = 65
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const fromBase64 = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'))

export const publicObject = (key: KeyObject): KeyObject =>
  key.type === 'public' ? key : createPublicKey(key)

/** The public part of a key in the form of PUT KEY. @throws DecodeError for other kinds of keys. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const { kty, crv, n, e, x, y } = publicObject(key).export({ format: 'jwk' })
  if (kty === 'RSA') return { algorithm: 'RSA', modulus: fromBase64(n), exponent: fromBase64(e) }
  if (kty === 'EC' && crv === 'P-256')
    return { algorithm: 'EC', point: Uint8Array.of(4, ...fromBase64(x), ...fromBase64(y)) }
  throw new DecodeError('wrongValue', 0, { expected: 'RSA / P-256', found: `${crv ?? kty}` })
}

/** @throws DecodeError for a point that is compressed or not on P-256. */
export function ecPublicKey(point: Uint8Array): KeyObject {
  const wrong = new DecodeError('wrongValue', 0, { expected: '04, 65 bytes on P-256' })
  if (point.length !== pointLength || byteAt(point, 0) !== 4) throw wrong
  const [x, y] = [base64(point.subarray(1, 33)), base64(point.subarray(33))]
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    throw wrong
  }
}

const oldRsaLength = 128
const saltLength = 32

/**
 * The schemes of GlobalPlatform (Card Specification 2.3.1, B.3 and B.4): PKCS #1 v1.5 with SHA-1 for
 * RSA keys up to 1024 bits, PSS with SHA-256 for longer ones; ECDSA with SHA-256, the signature being
 * both numbers at full length.
 */
function schemeOf(key: PublicKey): {
  hash: string
  options: Omit<SignKeyObjectInput, 'key'>
} {
  if (key.algorithm === 'EC') return { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } }
  if (key.modulus.length <= oldRsaLength) return { hash: 'sha1', options: {} }
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return { hash: 'sha256', options: { padding, saltLength } }
}

const macOf = ({ algorithm, value }: SecretKey, data: Uint8Array): Uint8Array =>
  algorithm === 'AES' ? aesKey(value).mac(data) : tripleDesKey(value).mac(data)

/** A signature or MAC over data: of a load file's hash, a token, or a receipt. */
export function signature(key: SecretKey | KeyObject, data: Uint8Array): Uint8Array {
  if ('algorithm' in key) return macOf(key, data)
  const { hash, options } = schemeOf(publicKeyOf(key))
  return new Uint8Array(sign(hash, data, { key, ...options }))
}

/** Whether a signature or MAC is valid. False for an invalid key. */
export function isSigned(key: VerificationKey, data: Uint8Array, found: Uint8Array): boolean {
  if ('value' in key) return isSame(macOf(key, data), found)
  const { hash, options } = schemeOf(key)
  try {
    const object =
      key.algorithm === 'EC'
        ? ecPublicKey(key.point)
        : createPublicKey({
            key: { kty: 'RSA', n: base64(key.modulus), e: base64(key.exponent) },
            format: 'jwk',
          })
    return verify(hash, data, { key: object, ...options }, found)
  } catch {
    return false
  }
}
