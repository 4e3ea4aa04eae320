import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { DecodeError } from '../decode-error.ts'

/** A private key of P-256 from its number of 32 bytes. @throws DecodeError */
export function privateKeyOf(scalar: Uint8Array): KeyObject {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const pair = createECDH('prime256v1')
  try {
    if (scalar.length !== 32) throw new RangeError('32 bytes are needed')
    pair.setPrivateKey(scalar)
  } catch {
    throw new DecodeError('wrongValue', 0, { expected: '32 bytes, less than the order of P-256' })
  }
  const point = new Uint8Array(pair.getPublicKey())
  const [x, y] = [base64(point.slice(1, 33)), base64(point.slice(33))]
  const key = { kty: 'EC', crv: 'P-256', d: base64(scalar), x, y }
  return createPrivateKey({ key, format: 'jwk' })
}
