import type { Session } from './session.ts'

/**
 * When the session's `exp` passes on this machine's clock, corrected by the service's clock if a
 * response showed it. What the token claims about its own times decides when to refresh, nothing
 * else.
 */
export const endOf = ({ expiresAt, skew, known = 0 }: Session): number => expiresAt + skew - known
