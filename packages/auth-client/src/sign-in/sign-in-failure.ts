/** A failed sign-in in words for a person and for the operator. */
export interface SignInFailure {
  /**
   * `silent`: the service is not responding; trying again may help. `misconfigured`: the service or
   * this client is set up wrongly; only the operator can help. `refused`: the service, or this client,
   * decided against this sign-in.
   */
  kind: 'silent' | 'misconfigured' | 'refused'
  /** A sentence for the person; what a service itself says is text from outside: show it as text. */
  text: string
  /** For the operator: the error's code and description, or what is set up wrongly. */
  detail: string
}

// RFC 6749 §4.1.2.1 and §5.2, RFC 8707 §2: the person signing in cannot change these.
const SET_UP = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'insecure_origin',
  'unavailable',
]

const TEMPORARY = ['server_error', 'temporarily_unavailable', 'slow_down']

const BROWSER = 'This browser keeps no data for this site, so a sign-in cannot return to it.'

/**
 * Puts into words why a sign-in failed: an `AuthError`, `OidcError` or `ExternalLoginError`, or the
 * body of a service's answer.
 */
export function signInFailure(error: unknown): SignInFailure {
  const { name, message, status, body, code, ...rest } = fieldsOf(error)
  const answer = fieldsOf(body ?? error)
  const own = textOf(rest['providerError'] ?? answer['error'] ?? code)
  const said = textOf(
    rest['providerDescription'] ?? answer['error_description'] ?? answer['detail'],
  )
  const detail = [own, said].filter(Boolean).join(': ') || textOf(message) || String(error)

  if (name === 'OidcError' || SET_UP.includes(own) || isUnknownAddress(status, own))
    return { kind: 'misconfigured', text: 'Sign-in is not set up correctly.', detail }
  if (TEMPORARY.includes(own) || (name === 'AuthError' && isTemporary(status)))
    return { kind: 'silent', text: 'The sign-in service is not responding.', detail }
  return { kind: 'refused', text: said || sentenceOf(own), detail }
}

function sentenceOf(code: string): string {
  if (code === 'storage_denied') return BROWSER
  return /^state_|^code_|^nonce_/.test(code)
    ? 'This sign-in is over. Start again.'
    : 'The sign-in was refused.'
}

const isTemporary = (status: unknown): boolean =>
  typeof status !== 'number' || status >= 500 || [408, 425, 429].includes(status)

/** A 404 or the like without an OAuth error: the URL belongs to something else. */
const isUnknownAddress = (status: unknown, code: string): boolean =>
  typeof status === 'number' && code === '' && [404, 405, 410].includes(status)

/** The fields of an error, including those of its prototype. */
function fieldsOf(value: unknown): Record<string, unknown> {
  if (!(value instanceof Error)) return Object(value) as Record<string, unknown>
  const { name, message } = value
  return { ...Object.fromEntries(Object.entries(value)), name, message }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
