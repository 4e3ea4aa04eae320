import type { Claims } from './token.ts'

// Always imported dynamically: only the verification needs it.

/** A token that will never verify: forged, of another service, or not an access token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken'
}

/** A JWS in compact form (RFC 7515 §7.1), not verified. */
export interface Jws {
  /** The claims that say how it was made. */
  header: Claims & { alg: string }
  /** What was signed. */
  signed: Uint8Array<ArrayBuffer>
  signature: Uint8Array<ArrayBuffer>
  /** Parses what was signed; call it once the signature is verified. */
  claims: () => Claims
}

/** @throws InvalidToken */
export function parseJws(token: string): Jws {
  const [head = '', payload = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || signature === '') throw new InvalidToken('This is no signed token')
  const header = parsePart(head)
  const { alg } = header
  if (typeof alg !== 'string') throw new InvalidToken('The token names no algorithm')
  // RFC 7515 §4.1.11: unknown critical extensions must be refused. None is known here.
  if ('crit' in header) throw new InvalidToken('The token needs an extension')
  return {
    header: { ...header, alg },
    signed: Uint8Array.from(`${head}.${payload}`, (character) => character.charCodeAt(0)),
    signature: decode(signature),
    claims: () => parsePart(payload),
  }
}

/** As in token.ts: importing it would make the core load another file. */
export const isRecord = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsePart(part: string): Claims {
  const bytes = decode(part)
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (isRecord(value)) return value
  } catch {
    // Said below.
  }
  throw new InvalidToken('A part of the token is no JSON object')
}

/** Base64url without padding (RFC 7515 §2). */
function decode(part: string): Uint8Array<ArrayBuffer> {
  // `atob` would skip white space.
  if (!/^[\w-]*$/.test(part) || part.length % 4 === 1)
    throw new InvalidToken('A part of the token is no base64url')
  const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
