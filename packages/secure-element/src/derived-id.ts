import { cplcDigits } from './cplc.ts'

/**
 * What the id of a card without a CPLC is derived from: the issuer's and the card's number (IIN and
 * CIN, GET DATA `42` and `45`), its key diversification data (`CF`), the number of its eUICC (EID), or
 * that of its SIM (ICCID). A kind keeps its number: ids are stored.
 */
export const identitySources = {
  cardNumbers: '01',
  diversificationData: '02',
  eid: '03',
  iccid: '04',
} as const
export type IdentitySource = keyof typeof identitySources

/**
 * Nine bytes FF, which no CPLC begins with: fabricators, types and systems have numbers of their own.
 * The tenth says what follows is derived from, and the 32 others are a SHA-256.
 */
const start = 'FF'.repeat(9)

/** A derived id has the length of a CPLC, and stands wherever one would. */
export const derivedId = (source: IdentitySource, sha256: string): string =>
  `${start}${identitySources[source]}${sha256}`

/** What an id is derived from; undefined for the CPLC of a card. */
export function derivedFrom(id: string): IdentitySource | undefined {
  if (id.length !== cplcDigits || !id.startsWith(start)) return undefined
  const kind = id.slice(start.length, start.length + 2)
  const sources = Object.keys(identitySources) as IdentitySource[]
  return sources.find((source) => identitySources[source] === kind)
}
