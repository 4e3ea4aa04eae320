import { REFRESH_SPACING } from './session-times.ts'

/**
 * The offset from this machine's clock to the service's in milliseconds, from the `Date` header of a
 * response (NaN without one: browsers hide the header unless the service exposes it).
 */
export const knownSkew = (sentAt: number, answeredAt: number, date: number): number | undefined =>
  // A date has whole seconds. Within that and the round-trip time, the clocks agree.
  date ? Math.max(date - answeredAt, Math.min(0, date + 1000 - sentAt)) : undefined

/**
 * The same without a `Date`: this machine's clock is trusted, unless a token that was just issued
 * suggests that it is wrong; NaN for a time that the token lacks. Good enough to decide when to
 * refresh, never to call a token valid.
 */
export function guessSkew(receivedAt: number, iat: number, exp: number): number {
  // Issued in this clock's future: the clock is slow.
  if (iat > receivedAt) return iat - receivedAt
  // Nobody issues a token that is about to expire: the clock is fast, or the token is short-lived by
  // design.
  const isEnding = exp - receivedAt < REFRESH_SPACING
  return isEnding ? (iat || exp - REFRESH_SPACING) - receivedAt : 0
}
