export type ExternalLoginErrorCode =
  /** The callback carries no state. */
  | 'state_missing'
  /** This tab began no login with this state, or forgot it. */
  | 'state_unknown'
  /** The login with this state was completed, or refused, before. */
  | 'state_replayed'
  /** It began more than ten minutes ago. */
  | 'state_expired'
  /** It was begun for another service, realm or stage. */
  | 'state_foreign'
  /** The callback carries neither a code nor an error. */
  | 'code_missing'
  /** The provider answered with an error: `providerError` has its code. */
  | 'provider_refused'
  /** The token was made for another login. */
  | 'nonce_mismatch'
  /** The service names no provider to sign in with. */
  | 'unavailable'
  /** PKCE is announced, and this page's origin is not secure enough to have SHA-256. */
  | 'insecure_origin'

/** An external login that cannot begin, or whose callback signs nobody in. */
export class ExternalLoginError extends Error {
  override readonly name = 'ExternalLoginError'
  // Declared, not defined: the constructor sets each.
  declare readonly code: ExternalLoginErrorCode
  /** What the login was begun with; null where it is not known. */
  declare readonly returnTo: string | null
  /** The provider's own error code (RFC 6749 §4.1.2.1), such as `access_denied`. */
  declare readonly providerError: string | undefined

  constructor(
    code: ExternalLoginErrorCode,
    returnTo: string | null = null,
    providerError?: string,
  ) {
    super(`External login failed: ${code}`)
    this.code = code
    this.returnTo = returnTo
    this.providerError = providerError
  }
}
