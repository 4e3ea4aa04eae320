import { AuthError } from '@grove/auth-client'

/** What keeps a session from being checked. */
export type AuthTrouble =
  /** No answer, or none that this page may read. */
  | { kind: 'silent' }
  /** An answer of a service that is out of order for now. */
  | { kind: 'failing'; status: number }
  /** Signed with a key that the service did not show a moment ago. */
  | { kind: 'newKey' }
  /** An answer or a token that does not keep to the protocol; in English, for an operator. */
  | { kind: 'misconfigured'; reason: string }

/** The trouble behind an error of the authentication client. */
export function troubleOf(error: unknown): AuthTrouble {
  if (!(error instanceof Error)) return { kind: 'silent' }
  const { name, message } = error
  const status = error instanceof AuthError ? error.status : statusOfKeys(message)
  if (status === undefined && error instanceof AuthError) return { kind: 'silent' }
  if (status !== undefined && (status >= 500 || status === 429)) return { kind: 'failing', status }
  // What `fetch` rejects with, and a time that was up.
  if (['TypeError', 'TimeoutError', 'AbortError'].includes(name)) return { kind: 'silent' }
  return name === 'OtherKey' ? { kind: 'newKey' } : { kind: 'misconfigured', reason: message }
}

const statusOfKeys = (message: string) => {
  const [, status] = /^The keys were answered with (\d{3})$/.exec(message) ?? []
  return status === undefined ? undefined : Number(status)
}
