import { AuthError } from '@grove/auth-client'

/** What prevents a session from being checked. */
export type AuthTrouble =
  /** No answer, or none that this page may read. */
  | { kind: 'silent' }
  /** The service reports that it is temporarily unavailable. */
  | { kind: 'failing'; status: number }
  /** Signed with a key that the service did not list a moment ago. */
  | { kind: 'newKey' }
  /** A response or token that violates the protocol; in English, for an operator. */
  | { kind: 'misconfigured'; reason: string }

/** The cause behind an error of the authentication client. */
export function troubleOf(error: unknown): AuthTrouble {
  if (!(error instanceof Error)) return { kind: 'silent' }
  const { name, message } = error
  const status = error instanceof AuthError ? error.status : statusOfKeys(message)
  if (status === undefined && error instanceof AuthError) return { kind: 'silent' }
  if (status !== undefined && (status >= 500 || status === 429)) return { kind: 'failing', status }
  // A rejection of `fetch`, or a timeout.
  if (['TypeError', 'TimeoutError', 'AbortError'].includes(name)) return { kind: 'silent' }
  return name === 'OtherKey' ? { kind: 'newKey' } : { kind: 'misconfigured', reason: message }
}

const statusOfKeys = (message: string) => {
  const [, status] = /^The keys were answered with (\d{3})$/.exec(message) ?? []
  return status === undefined ? undefined : Number(status)
}
