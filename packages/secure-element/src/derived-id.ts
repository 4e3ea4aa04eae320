import { cplcDigits } from './cplc.ts'

/**
 * The data from which the id of a card without a CPLC is derived: the issuer's and the card's number
 * (IIN and CIN, GET DATA `42` and `45`), its key diversification data (`CF`), its eUICC's number
 * (EID), or its SIM's (ICCID). Kinds keep their numbers, since ids are stored.
 */
export const identitySources = {
  cardNumbers: '01',
  diversificationData: '02',
  eid: '03',
  iccid: '04',
} as const
export type IdentitySource = keyof typeof identitySources

/**
 * Nine bytes FF, with which no CPLC begins: fabricators, types and systems have other numbers. The
 * tenth byte is the source, and the other 32 are a SHA-256.
 */
const start = 'FF'.repeat(9)

/** A derived id has the length of a CPLC, and is used wherever a CPLC is. */
export const derivedId = (source: IdentitySource, sha256: string): string =>
  `${start}${identitySources[source]}${sha256}`

/** The source of a derived id; undefined for the CPLC of a card. */
export function derivedFrom(id: string): IdentitySource | undefined {
  if (id.length !== cplcDigits || !id.startsWith(start)) return undefined
  const kind = id.slice(start.length, start.length + 2)
  const sources = Object.keys(identitySources) as IdentitySource[]
  return sources.find((source) => identitySources[source] === kind)
}
