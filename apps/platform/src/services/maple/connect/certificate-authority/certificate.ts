import { createHash, verify, X509Certificate } from 'node:crypto'
import {
  storedSerial,
  type CertificateRefusal,
} from '@grove/contract/maple/connect/certificate-authority.rules'
import { isDeviceId } from '@grove/contract/maple/fleet/device.rules'

/** Proof that a TLS client is this (RFC 5280, 4.2.1.12), or anything. */
const clientPurposes = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0']
/**
 * A certificate is accepted this many milliseconds before its validity starts: factory clocks are
 * wrong, and it is harmless. After its end it is not accepted.
 */
const earlyMs = 24 * 60 * 60 * 1000
const curves = ['prime256v1', 'secp384r1', 'secp521r1']

/** Undefined if it is not a certificate. */
export function readCertificate(text: string | Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}

/**
 * What is wrong with an authority's certificate: a code, and one sentence; undefined if it is valid.
 */
export function problemOfAuthority(
  certificate: X509Certificate,
  now: number,
): [code: string, sentence: string] | undefined {
  if (!certificate.ca)
    return [
      'notAuthority',
      'This is not a certificate of an authority: it must contain CA:TRUE and be allowed to sign certificates.',
    ]
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey
  const isGood =
    (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048) ||
    (type === 'ec' && curves.includes(details?.namedCurve ?? ''))
  if (!isGood)
    return ['weakKey', 'Its key must be RSA with at least 2048 bits, or on P-256, P-384 or P-521.']
  if (Date.parse(certificate.validTo) < now)
    return ['certificateExpired', 'This certificate has expired.']
  return undefined
}

export const keyHashOf = ({ publicKey }: X509Certificate): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')

/** Whether the text was signed with SHA-256 by the key of a certificate; the signature is base64. */
export function isSigned(text: string, signature: string, certificate: X509Certificate): boolean {
  try {
    return verify(
      'sha256',
      Buffer.from(text),
      certificate.publicKey,
      Buffer.from(signature, 'base64'),
    )
  } catch {
    return false
  }
}

/** Whether the key of the authority signed it. Which of both is valid now is another question. */
export const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey)

export const serialOf = ({ serialNumber }: X509Certificate): string => storedSerial(serialNumber)

/** The one common name of its subject, if a device can have it for an id. */
export function deviceIdOf(certificate: X509Certificate): string | undefined {
  const { CN: name } = certificate.toLegacyObject().subject as { CN?: string | string[] }
  return typeof name === 'string' && isDeviceId(name) ? name : undefined
}

/** Whether the authority's certificate, or its own, has expired. */
export function refusalOfEnds(
  certificate: { validTo: string },
  authority: { validTo: string },
  now: number,
): CertificateRefusal | undefined {
  if (Date.parse(authority.validTo) < now) return 'authorityExpired'
  return Date.parse(certificate.validTo) < now ? 'expired' : undefined
}

/** Why a certificate that the authority signed shows no device now; undefined if it does. */
export function refusalOf(
  certificate: X509Certificate,
  authority: X509Certificate,
  now: number,
): CertificateRefusal | undefined {
  const over = refusalOfEnds(certificate, authority, now)
  if (over) return over
  if (Date.parse(certificate.validFrom) > now + earlyMs) return 'notYetValid'
  const purposes = certificate.keyUsage as string[] | undefined
  const isForClients = purposes === undefined || clientPurposes.some((id) => purposes.includes(id))
  if (certificate.ca || !isForClients) return 'purpose'
  return deviceIdOf(certificate) === undefined ? 'deviceId' : undefined
}
