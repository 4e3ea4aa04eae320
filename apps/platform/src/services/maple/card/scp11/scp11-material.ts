import { createPublicKey, createPrivateKey, type KeyObject } from 'node:crypto'
import { maxCertificates } from '@grove/contract/maple/card/scp11.rules'
import { concat, readHex, toHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import { ecPublicKey, publicKeyOf } from '@grove/secure-element/keys/signature'
import {
  parseCertificate,
  parseCertificates,
  type Certificate,
} from '@grove/secure-element/secure-channel/certificate'
import { privateKeyOf } from '@grove/secure-element/secure-channel/ec-key'
import { invalidField } from '../../../../core/http/problem.ts'

const blockPattern = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g

interface Block {
  label: string
  bytes: Uint8Array
}

/** The PEM blocks, or the lines of hexadecimal. */
function blocksOf(field: string, text: string): Block[] {
  const blocks = [...text.matchAll(blockPattern)].map(([, label = '', body = '']) => ({
    label,
    bytes: new Uint8Array(Buffer.from(body, 'base64')),
  }))
  if (text.includes('-----BEGIN') && blocks.length === 0)
    throw invalidField(field, 'pem', 'A block of PEM has no end, or holds something else.')
  const lines = text
    .replaceAll(blockPattern, '')
    .split('\n')
    .map((line) => line.replaceAll(/[\s:]/g, ''))
    .filter((line) => line !== '')
  if (blocks.length > 0 && lines.length > 0)
    throw invalidField(field, 'pem', 'There is something other than PEM around its blocks.')
  const all = [...blocks, ...lines.map((line) => ({ label: '', bytes: hexOf(field, line) }))]
  if (all.length === 0)
    throw invalidField(field, 'pem', 'There is neither PEM nor hexadecimal in it.')
  return all
}

function hexOf(field: string, line: string): Uint8Array {
  try {
    return readHex(line)
  } catch {
    throw invalidField(field, 'pem', 'This is neither PEM nor hexadecimal.')
  }
}

/** @throws ProblemError `invalid_request` if the text is not a certificate on P-256. */
function readable<Result>(field: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw invalidField(
      field,
      'certificate',
      `This is not a certificate with a key on P-256: ${error.message}.`,
    )
  }
}

/**
 * The public keys that sign the certificates of cards, as points of 65 bytes each.
 * @throws ProblemError `invalid_request`.
 */
export function readAuthorities(text: string): Uint8Array[] {
  const field = 'authorities'
  const points = blocksOf(field, text).map(({ label, bytes }) =>
    label === 'PUBLIC KEY'
      ? pointOf(field, bytes)
      : bytes[0] === pointPrefix
        ? readable(field, () => (ecPublicKey(bytes), bytes))
        : readable(field, () => parseCertificate(bytes)).point,
  )
  const distinct = [...new Map(points.map((point) => [toHex(point), point])).values()]
  if (distinct.length > maxCertificates)
    throw invalidField(field, 'tooMany', `At most ${maxCertificates} keys are accepted.`)
  return distinct
}

/** The prefix of an uncompressed point. */
const pointPrefix = 0x04

function pointOf(field: string, spki: Uint8Array): Uint8Array {
  try {
    const key = publicKeyOf(
      createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }),
    )
    if (key.algorithm === 'EC') return key.point
  } catch {
    // The same message covers both.
  }
  throw invalidField(field, 'certificate', 'The public key is not one on the curve P-256.')
}

export interface HostMaterial {
  key: KeyObject
  /** The certificate of the key last. */
  certificates: Certificate[]
}

/**
 * The host's private key and its certificates: each signed by the previous one, the last one for the
 * key and currently valid.
 * @throws ProblemError `invalid_request`; no message repeats a key.
 */
export function readHost(keyText: string, certificateText: string, now: number): HostMaterial {
  const field = 'certificates'
  const key = privateKeyIn(keyText)
  const certificates = readable(field, () =>
    blocksOf(field, certificateText).flatMap(({ bytes }) => parseCertificates(bytes)),
  )
  if (certificates.length > maxCertificates)
    throw invalidField(field, 'tooMany', `At most ${maxCertificates} certificates are accepted.`)
  const last = certificates.at(-1)
  const point = publicKeyOf(key)
  if (!last || point.algorithm !== 'EC' || toHex(point.point) !== toHex(last.point))
    throw invalidField(
      field,
      'otherKey',
      'The last certificate is that of another key. Give the one of the private key last.',
    )
  for (const [index, each] of certificates.entries()) {
    const issuer = certificates[index - 1]
    if (issuer && !each.isSignedBy(issuer.point))
      throw invalidField(
        field,
        'wrongOrder',
        'A certificate is not signed by the key of the one before it. Begin with the one that the card’s authority issued.',
      )
    if (each.validTo < now)
      throw invalidField(
        field,
        'certificateExpired',
        `A certificate expired on ${new Date(each.validTo).toISOString().slice(0, 10)}.`,
      )
  }
  return { key, certificates }
}

const scalarPattern = /^[0-9A-Fa-f]{64}$/

function privateKeyIn(text: string): KeyObject {
  const digits = text.replaceAll(/\s/g, '')
  try {
    const key = scalarPattern.test(digits) ? privateKeyOf(readHex(digits)) : createPrivateKey(text)
    if (publicKeyOf(key).algorithm === 'EC') return key
  } catch {
    // The same message covers both.
  }
  throw invalidField(
    'key',
    'pem',
    'This is not a private key on the curve P-256: it is neither PEM without a password, which begins with -----BEGIN, nor 64 hexadecimal digits.',
  )
}

export const pemOf = (key: KeyObject): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Parses stored certificates. */
export const certificatesIn = (hex: readonly string[]): Certificate[] =>
  hex.length === 0 ? [] : parseCertificates(concat(...hex.map((each) => readHex(each))))
