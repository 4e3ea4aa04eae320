import type { Response } from '../apdu.ts'
import { DecodeError } from '../decode-error.ts'
import { command } from '../host/fields.ts'
import { exchange, type SeTransport } from '../host/transport.ts'
import { encodeTlv } from '../tlv.ts'
import {
  keyIdentifier,
  parseCertificates,
  type Certificate,
  type CertificateUsage,
} from './certificate.ts'
import type { ChannelExchange } from './channel.ts'
import { ChannelError } from './channel-error.ts'

export type CertificateErrorCode =
  | 'noCertificate'
  | 'malformedCertificate'
  | 'unknownAuthority'
  | 'wrongSignature'
  | 'notYetValid'
  | 'expired'
  | 'wrongUsage'
  | 'otherSubject'

const texts: Record<CertificateErrorCode, string> = {
  noCertificate: 'The card has no certificate for this key',
  malformedCertificate: 'The certificate of the card cannot be read',
  unknownAuthority: 'The certificate of the card was issued by an authority that is not trusted',
  wrongSignature: 'The signature of the certificate of the card is wrong',
  notYetValid: 'The certificate of the card is not valid yet',
  expired: 'The certificate of the card has expired',
  wrongUsage: 'The certificate of the card is for another use',
  otherSubject: 'The certificate is that of another card',
}

/** Why a card is not trusted. Nothing was sent to it after its certificates were read. */
export class CertificateError extends Error {
  readonly code: CertificateErrorCode

  constructor(code: CertificateErrorCode, detail = '', cause?: unknown) {
    super(detail === '' ? texts[code] : `${texts[code]}: ${detail}`, { cause })
    this.name = 'CertificateError'
    this.code = code
  }
}

/** Whom a host trusts. */
export interface CardTrust {
  /** Public keys of authorities, on P-256: 65 bytes each. */
  authorities: readonly Uint8Array[]
  /** In milliseconds since 1970. */
  now: number
  /** The subject of one card's certificate, in hex; if omitted, any card of the authorities. */
  subject?: string
}

const success = 0x9000

/**
 * Reads the certificates of a key from the selected domain, without a channel: GET DATA `BF21`. The
 * last one is the key's own.
 * @throws CertificateError, or ChannelError if the transport failed
 */
export async function readCertificates(
  transport: SeTransport,
  { keyVersion, keyId }: { keyVersion: number; keyId: number },
  onExchange?: (exchange: ChannelExchange) => void,
): Promise<Certificate[]> {
  const reference = { tag: '83', value: Uint8Array.of(keyId, keyVersion) }
  const plain = command(0xca, 0xbf, 0x21, encodeTlv([{ tag: 'A6', value: [reference] }]))
  let reply: Response
  try {
    reply = await exchange(transport, plain, (each) => onExchange?.({ plain, ...each }))
  } catch (cause) {
    if (cause instanceof DecodeError) throw new CertificateError('malformedCertificate', '', cause)
    throw new ChannelError('transportFailed', { cause })
  }
  const { data, statusWord } = reply
  if (statusWord !== success)
    throw new CertificateError('noCertificate', statusWord.toString(16).toUpperCase())
  try {
    return parseCertificates(data)
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    throw new CertificateError('malformedCertificate', cause.message, cause)
  }
}

/**
 * The key's own certificate, after checking that each one of the chain is signed by the previous one,
 * the first by an authority, and that each is valid now and has the right use.
 * @throws CertificateError
 */
export function verifyCertificates(
  chain: readonly Certificate[],
  { authorities, now, subject }: CardTrust,
): Certificate {
  let signers = authorities
  for (const [index, each] of chain.entries()) {
    assertSigned(each, signers)
    assertValid(each, now)
    assertUsage(each, index === chain.length - 1 ? 'agreement' : 'signature')
    signers = [each.point]
  }
  const last = chain.at(-1)
  if (!last) throw new CertificateError('noCertificate')
  if (subject !== undefined && subject.toUpperCase() !== last.subject)
    throw new CertificateError('otherSubject', `expected ${subject}, found ${last.subject}`)
  return last
}

function assertSigned(found: Certificate, signers: readonly Uint8Array[]): void {
  if (signers.some((point) => found.isSignedBy(point))) return
  const isNamed = signers.some((point) => keyIdentifier(point) === found.authority)
  if (isNamed) throw new CertificateError('wrongSignature', found.subject)
  throw new CertificateError('unknownAuthority', found.authority || 'it is not named')
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

function assertValid({ validFrom, validTo }: Certificate, now: number): void {
  if (validFrom !== undefined && now < validFrom)
    throw new CertificateError('notYetValid', `it begins on ${dayOf(validFrom)}`)
  if (now > validTo) throw new CertificateError('expired', `its last day was ${dayOf(validTo)}`)
}

function assertUsage({ usages, subject }: Certificate, usage: CertificateUsage): void {
  if (usages.includes(usage)) return
  const what = usage === 'agreement' ? 'agreeing on keys' : 'signing certificates'
  throw new CertificateError('wrongUsage', `${subject} is not for ${what}`)
}
