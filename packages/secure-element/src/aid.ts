import { toHex } from './bytes.ts'
import { DecodeError } from './decode-error.ts'
import { named, part, term, type Meaning, type Part } from './part.ts'

export const shortestAid = 5
export const maxAidLength = 16

/** Matches an AID in hex, in either case. */
export const aidPattern = '^([0-9A-Fa-f]{2}){5,16}$'

/** Names that the interface translates. */
export type WellKnownName =
  | 'issuerSecurityDomain'
  | 'oldIssuerSecurityDomain'
  | 'ssdPackage'
  | 'ssdModule'
  | 'euiccIssuerDomain'

/**
 * Well-known AIDs. The issuer's domain: GlobalPlatform Card Specification 2.3.1, H.1.3; module and
 * package of supplementary domains: GlobalPlatformPro, GPTool; eUICC: GSMA SGP.02.
 */
const wellKnown: Record<string, WellKnownName> = {
  A000000151000000: 'issuerSecurityDomain',
  A0000001510000: 'issuerSecurityDomain',
  A000000003000000: 'oldIssuerSecurityDomain',
  A0000001515350: 'ssdPackage',
  A000000151535041: 'ssdModule',
  A0000005591010FFFFFFFF8900000100: 'euiccIssuerDomain',
}

/** Proper names: of applets and, from the export files of the Java Card kits, of packages. */
const properNames: Record<string, string> = {
  A0000003965453000000010300000000: 'SE05x IoT applet',
  A0000000620001: 'java.lang',
  A0000000620002: 'java.io',
  A0000000620003: 'java.rmi',
  A0000000620101: 'javacard.framework',
  A000000062010101: 'javacard.framework.service',
  A0000000620102: 'javacard.security',
  A0000000620201: 'javacardx.crypto',
  A0000000620202: 'javacardx.biometry',
  A0000000620203: 'javacardx.external',
  A0000000620204: 'javacardx.biometry1toN',
  A0000000620205: 'javacardx.security',
  A0000000620209: 'javacardx.apdu',
  A000000062020901: 'javacardx.apdu.util',
  A00000015100: 'org.globalplatform',
}

/** Who registered a RID. */
const registrants: Record<string, string> = {
  A000000003: 'Visa',
  A000000009: 'ETSI',
  A000000018: 'Gemalto',
  A000000062: 'Java Card',
  A000000087: '3GPP',
  A000000151: 'GlobalPlatform',
  A000000396: 'NXP',
  A000000559: 'GSMA',
  A000000617: 'Fidesmo',
}

export interface Aid {
  /** Registered application provider identifier: 5 bytes in hex. */
  rid: string
  /** Proprietary application identifier extension: up to 11 bytes in hex. */
  pix: string
}

/** Splits an AID (ISO/IEC 7816-4) into RID and PIX. */
export function parseAid(bytes: Uint8Array, from = 0, to = bytes.length): Aid {
  const length = to - from
  if (length < shortestAid || length > maxAidLength)
    throw new DecodeError('wrongLength', from, {
      expected: `${shortestAid}–${maxAidLength}`,
      found: `${length}`,
    })
  const rid = toHex(bytes.subarray(from, from + shortestAid))
  return { rid, pix: toHex(bytes.subarray(from + shortestAid, to)) }
}

/** The owner of a RID in hex, if known. */
export const registrantName = (rid: string): string | undefined => registrants[rid.toUpperCase()]

/** What an AID in hex names, if known. */
export function aidMeaning(hex: string): Meaning | undefined {
  const aid = hex.toUpperCase()
  const name = wellKnown[aid]
  if (name !== undefined) return { kind: 'term', term: `aid.${name}` }
  const text = properNames[aid]
  return text === undefined ? undefined : { kind: 'name', text }
}

/** Whether an AID in hex is a default one of an issuer security domain. */
export const isIssuerAid = (hex: string): boolean =>
  /issuer/i.test(wellKnown[hex.toUpperCase()] ?? '')

/** Names RID and PIX of an AID, with the owner and what it names where these are known. */
export function explainAid(bytes: Uint8Array, from = 0, to = bytes.length): Part[] {
  const { rid } = parseAid(bytes, from, to)
  const end = from + shortestAid
  const owner = registrantName(rid)
  const ridPart = part(bytes, 'rid', from, end, owner === undefined ? {} : named(owner))
  return end === to ? [ridPart] : [ridPart, part(bytes, 'pix', end, to)]
}

/** An AID as one part, named by its context. */
export function aidPart(bytes: Uint8Array, name: Part['name'], from: number, to: number): Part {
  if (from === to) return part(bytes, name, from, to, term('notSet'))
  const meaning = aidMeaning(toHex(bytes.subarray(from, to)))
  return part(bytes, name, from, to, {
    ...(meaning && { meaning }),
    parts: explainAid(bytes, from, to),
  })
}
