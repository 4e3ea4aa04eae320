import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { rsaLengths, type PurposeKeyKind } from '@grove/contract/maple/card/purpose-key.rules'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import { keyCheckValue } from '@grove/secure-element/keys/key-check-value'
import {
  publicKeyOf,
  publicObject,
  type PublicKey,
  type SecretKey,
} from '@grove/secure-element/keys/signature'
import { invalidField } from '../../../../core/http/problem.ts'
import type { NewPurposeKey } from './purpose-key.queries.ts'

/** A key as stored: a secret as hex, a private key as PEM. */
export type Material = Pick<NewPurposeKey, 'length' | 'checkValue' | 'publicKey'> & {
  secret: string | null
}

const desLength = 16

/** @throws ProblemError `invalid_request`; no message repeats a key. */
export function readMaterial({
  kind,
  key,
  keyLength = desLength,
}: {
  kind: PurposeKeyKind
  key?: string | undefined
  keyLength?: number | undefined
}): Material {
  if (kind === 'RSA' || kind === 'EC')
    return pairOf(kind, key === undefined ? generated(kind) : keyObject(key))
  const secret = key?.replaceAll(/\s/g, '').toUpperCase()
  const lengths = kind === 'AES' ? [16, 24, 32] : [desLength]
  const isHex = secret === undefined || /^([0-9A-F]{2})+$/.test(secret)
  const length = secret === undefined ? keyLength : secret.length / 2
  if (!isHex || !lengths.includes(length))
    throw invalidField(
      secret === undefined ? 'keyLength' : 'key',
      'keyLength',
      kind === 'AES'
        ? 'An AES key has 16, 24 or 32 bytes, in hexadecimal.'
        : 'A key for triple DES has 16 bytes, in hexadecimal.',
    )
  const value = secret ?? toHex(randomBytes(length))
  return {
    secret: value,
    length: length * 8,
    checkValue: toHex(keyCheckValue(kind, readHex(value))),
    publicKey: null,
  }
}

const generated = (kind: 'RSA' | 'EC'): KeyObject =>
  kind === 'RSA'
    ? generateKeyPairSync('rsa', { modulusLength: rsaLengths.most }).privateKey
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

function keyObject(pem: string): KeyObject {
  try {
    return pem.includes('PRIVATE KEY') ? createPrivateKey(pem) : createPublicKey(pem)
  } catch {
    throw invalidField(
      'key',
      'pem',
      'This is no private or public key as PEM without a password: it begins with -----BEGIN.',
    )
  }
}

function pairOf(kind: 'RSA' | 'EC', key: KeyObject): Material {
  const known = partOf(key)
  const bits = known?.algorithm === 'RSA' ? modulusBits(known.modulus) : 256
  const isFitting =
    known?.algorithm === kind &&
    (kind === 'EC' || (bits >= rsaLengths.least && bits <= rsaLengths.most))
  if (!isFitting)
    throw invalidField(
      'key',
      'pem',
      kind === 'EC'
        ? 'The key must be one on the curve P-256.'
        : `The key must be an RSA key of ${rsaLengths.least} to ${rsaLengths.most} bits.`,
    )
  return {
    secret: key.type === 'private' ? key.export({ type: 'pkcs8', format: 'pem' }).toString() : null,
    length: bits,
    checkValue: null,
    publicKey: publicObject(key).export({ type: 'spki', format: 'pem' }).toString(),
  }
}

const modulusBits = (modulus: Uint8Array): number =>
  modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24

function partOf(key: KeyObject): PublicKey | undefined {
  try {
    return publicKeyOf(key)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** The public key to send to a card. */
export const publicPart = (pem: string): PublicKey => publicKeyOf(createPublicKey(pem))

/** A stored key, ready for signing. */
export const signingKey = (kind: PurposeKeyKind, secret: string): SecretKey | KeyObject =>
  kind === 'AES' || kind === 'DES'
    ? { algorithm: kind, value: readHex(secret) }
    : createPrivateKey(secret)
