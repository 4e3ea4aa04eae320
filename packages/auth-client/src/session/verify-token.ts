import type { VerificationOptions } from '../types.ts'
import { InvalidToken, parseJws } from './jws.ts'
import { algorithms, type Keys } from './keys.ts'
import type { Session } from './session.ts'
import type { Claims } from './token.ts'

export { InvalidToken } from './jws.ts'

// Always imported dynamically: sign-in pages do without it.

const TYPES = ['jwt', 'at+jwt']

// Seconds between issue and receipt that the measured skew cannot show.
const TOLERANCE = 5

// No request header can carry a longer one.
const LONGEST_TOKEN = 65_536

/** No key at hand verifies the token: it may be signed with a new one. */
class OtherKey extends Error {
  override readonly name = 'OtherKey'
}

/** Resolves to the claims of a session whose access token verifies; rejects otherwise. */
export type VerifyToken = (session: Session, now: number) => Promise<Claims>

/** Creates the verifier of access tokens; the first call fetches the keys. */
export function createVerifier(options: VerificationOptions, keys: Keys): VerifyToken {
  const known = Object.keys(algorithms)
  const allowed = (options.algorithms ?? known).filter((name) => known.includes(name))

  async function verify(session: Session, now: number): Promise<Claims> {
    const { token, skew, known: shown = Math.max(skew, 0) } = session
    const { accessToken, idToken = '', expiresIn } = token
    // Like identityOf of session.ts: importing it would make the core load another file.
    const jwt = expiresIn ? idToken : accessToken
    if (jwt.length > LONGEST_TOKEN) throw new InvalidToken('The token is too long')
    const { header, claims } = await verifySignature(jwt, allowed, keys)
    checkType(header['typ'], options.typ)
    // If only the token suggests that the clock is fast, the clock is trusted: a token must not argue
    // for itself.
    // An ID token says who signed in; the session beside it ends with the access token.
    checkClaims(claims, options, expiresIn ? null : (now + shown) / 1000)
    return claims
  }

  return async (session, now) => {
    const start = performance.now()
    return verify(session, now).catch(async (error: unknown) => {
      if (!(error instanceof OtherKey)) throw error
      // The service may have rotated its keys since they were fetched.
      const isFresh = await keys.renew(start)
      return verify(session, now).catch((again: unknown) => {
        throw isFresh && again instanceof OtherKey
          ? new InvalidToken('No key fits the token', { cause: again })
          : again
      })
    })
  }
}

/** A token need not name its key, and during a rotation several may fit: each is tried. */
async function verifySignature(token: string, allowed: readonly string[], keys: Keys) {
  const jws = parseJws(token)
  const { alg } = jws.header
  const algorithm = allowed.includes(alg) ? algorithms[alg] : undefined
  if (!algorithm) throw new InvalidToken(`The algorithm ${alg} is not allowed`)
  for (const key of await keys.find(jws.header))
    if (await crypto.subtle.verify(algorithm.crypto, key, jws.signature, jws.signed))
      return { header: jws.header, claims: jws.claims() }
  throw new OtherKey('No key verifies the token')
}

/** RFC 7515 §4.1.9: `application/` may be left out, and letters are of any case. */
const typeOf = (typ: string) => typ.toLowerCase().replace(/^application\//, '')

function checkType(typ: unknown = 'JWT', wanted?: string): void {
  const type = typeof typ === 'string' ? typeOf(typ) : ''
  const isFitting = wanted === undefined ? TYPES.includes(type) : type === typeOf(wanted)
  if (!isFitting) throw new InvalidToken(`A token of type ${String(typ)} is not an access token`)
}

/**
 * `now` is in seconds; null if times do not matter. Time claims never make a token permanently
 * invalid, since clocks may differ.
 */
function checkClaims(
  claims: Claims,
  { issuer, audience }: VerificationOptions,
  now: number | null,
) {
  const { iss, aud, exp, nbf, iat } = claims
  for (const [name, time] of Object.entries({ exp, nbf, iat }))
    if (time !== undefined && typeof time !== 'number')
      throw new InvalidToken(`The claim ${name} of the token is no number`)
  if (issuer !== undefined && iss !== issuer.replace('{tenantid}', String(claims['tid'])))
    throw new InvalidToken('The token is of another issuer')
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (audience !== undefined && !audiences.includes(audience))
    throw new InvalidToken('The token is for another audience')
  if (now === null) return
  // Also without `exp`.
  if (!((exp as number) > now - TOLERANCE)) throw new Error('The token has ended')
  if ((nbf as number) > now + TOLERANCE) throw new Error('The token is not valid yet')
}
