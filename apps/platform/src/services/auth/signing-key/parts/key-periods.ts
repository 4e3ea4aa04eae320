import { accessTokenSeconds } from '../../../../core/http/access-token-lifetime.ts'

const minute = 60 * 1000
const day = 24 * 60 * minute

/** How soon a process notices a key that another one created or retired. */
export const reloadMs = minute / 2
/** `Cache-Control: max-age` of the JWKS: for browsers and proxies in front of a verifier. */
export const jwksMaxAgeSeconds = 300
/**
 * jose caches a remote JWKS for ten minutes (`cacheMaxAge` of createRemoteJWKSet), and so do its
 * users.
 */
const verifierCacheMs = 10 * minute
// Clock skew, and the time to fetch.
const margin = 5 * minute
/**
 * A key created by hand is published this long before it signs: until the last cache has it, plus a
 * margin.
 */
export const rotatedBefore = reloadMs + jwksMaxAgeSeconds * 1000 + verifierCacheMs + margin

/** How long a key signs. */
const signingPeriod = 30 * day
/** A key is published this long before it signs: longer than anyone caches the JWKS. */
export const publishedBefore = day
/**
 * A key stays published this long after its last signature: the token's lifetime plus a margin for
 * clock skew.
 */
export const retainedAfter = accessTokenSeconds * 1000 + 50 * minute

/** When keys start to sign, in milliseconds, earliest first. Each signs until the next one starts. */
type Starts = readonly number[]

/** When a key created now would start to sign; null if none is due. */
export function nextStart(starts: Starts, now: number): number | null {
  const last = starts.at(-1)
  if (last === undefined) return now
  if (last > now - signingPeriod + publishedBefore) return null
  return Math.max(last + signingPeriod, now + publishedBefore)
}

/** The index of the signing key. */
export function signerIndex(starts: Starts, now: number): number {
  // 0 if the clock of the process that created the first key is ahead of ours.
  return Math.max(
    0,
    starts.findLastIndex((start) => start <= now),
  )
}

/** How many of the oldest keys have signed nothing that is still valid. */
export function retiredCount(starts: Starts, now: number): number {
  return starts.filter((_, index) => (starts[index + 1] ?? Infinity) + retainedAfter <= now).length
}
