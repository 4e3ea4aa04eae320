import { REFRESH_SPACING } from './session-times.ts'

/** One exchange with the service, by this machine's clock; `date` is the service's own, if it is known. */
export interface Exchange {
  sentAt: number
  answeredAt: number
  date: number
}

/**
 * What to add to this machine's clock to get the service's, in milliseconds. It follows from the
 * `Date` of the answer. A browser hides that header unless the service exposes it; then this
 * machine's clock counts as right, unless a token that was just issued proves it wrong.
 */
export function measureSkew(
  { sentAt, answeredAt, date }: Exchange,
  iat: number | null,
  exp: number | null,
): number {
  if (date) {
    // A date has whole seconds. Within that and the time on the way, the clocks agree.
    return Math.max(date - answeredAt, Math.min(0, date + 1000 - sentAt))
  }
  // Issued in this clock's future: it is slow.
  if (iat !== null && iat > answeredAt) return iat - answeredAt
  // Nobody hands out a token that is about to end: it is fast, or the token was made to be short.
  const isEnding = exp !== null && exp - sentAt < REFRESH_SPACING
  return isEnding ? (iat ?? exp - REFRESH_SPACING) - sentAt : 0
}
