import type { Session } from './session.ts'

/**
 * When the `exp` of a session passes, by this machine's clock: corrected by the service's, where an
 * answer showed it. What the token says of its own times decides when to refresh, and nothing else.
 */
export const endOf = ({ expiresAt, skew, known = 0 }: Session): number => expiresAt + skew - known
