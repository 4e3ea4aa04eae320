import { REFRESH_SPACING } from './session-times.ts'

/**
 * What to add to this machine's clock to get the service's, in milliseconds, by the `Date` of an
 * answer (NaN when it has none: a browser hides that header unless the service exposes it).
 */
export const knownSkew = (sentAt: number, answeredAt: number, date: number): number | undefined =>
  // A date has whole seconds. Within that and the time on the way, the clocks agree.
  date ? Math.max(date - answeredAt, Math.min(0, date + 1000 - sentAt)) : undefined

/**
 * The same without a `Date`: this machine's clock counts as right, unless a token that was just
 * issued suggests that it is wrong. Enough to decide when to refresh, never to call a token valid.
 */
export function guessSkew(receivedAt: number, iat: number | null, exp: number | null): number {
  // Issued in this clock's future: it is slow.
  if (iat !== null && iat > receivedAt) return iat - receivedAt
  // Nobody hands out a token that is about to end: it is fast, or the token was made to be short.
  const isEnding = exp !== null && exp - receivedAt < REFRESH_SPACING
  return isEnding ? (iat ?? exp - REFRESH_SPACING) - receivedAt : 0
}
