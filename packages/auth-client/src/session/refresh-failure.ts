import type { AuthError } from '../http/auth-error.ts'

/** Whether this response to a refresh ends the session. */
export type IsRejected = (status: number, body: unknown) => boolean

/**
 * Distinguishes a service that refused the refresh token from temporary failures: a lost connection,
 * a rate limit, a failing server. Any other 4xx is a refusal.
 */
export function isRejection(error: unknown, isRejected: IsRejected = isFinal): boolean {
  const { status, body } = error as Partial<AuthError>
  return status !== undefined && isRejected(status, body)
}

const isFinal: IsRejected = (status) =>
  status >= 400 && status < 500 && ![408, 425, 429].includes(status)
