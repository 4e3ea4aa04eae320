/** Why an external login failed. */
export type ExternalLoginErrorCode =
  /** The callback has no state. */
  | 'state_missing'
  /** This tab did not start a login with this state, or no longer remembers it. */
  | 'state_unknown'
  /** The login with this state was completed or refused before. */
  | 'state_replayed'
  /** The login started more than ten minutes ago. */
  | 'state_expired'
  /** The login was started for another service, realm or stage. */
  | 'state_foreign'
  /** The callback has neither a code nor an error. */
  | 'code_missing'
  /** The provider returned an error: `providerError` has its code. */
  | 'provider_refused'
  /** The token was issued for another login. */
  | 'nonce_mismatch'
  /** The service offers no provider to sign in with. */
  | 'unavailable'
  /** This tab's storage is denied or full: the login could not be remembered. */
  | 'storage_denied'
  /** PKCE is announced, but this page's origin is not a secure context, so SHA-256 is unavailable. */
  | 'insecure_origin'

/** An external login that cannot start, or a callback that does not sign in. */
export class ExternalLoginError extends Error {
  override readonly name = 'ExternalLoginError'
  // Declared, not defined: the constructor sets it.
  /** The reason. */
  declare readonly code: ExternalLoginErrorCode
  /** The `returnTo` of the start; null if unknown. */
  declare readonly returnTo: string | null
  /** The provider's own error code (RFC 6749 §4.1.2.1), such as `access_denied`. */
  declare readonly providerError: string | undefined
  /** The provider's `error_description`: text from outside, to be shown as text. */
  declare readonly providerDescription: string | undefined

  constructor(
    code: ExternalLoginErrorCode,
    returnTo: string | null = null,
    providerError?: string | null,
    providerDescription?: string | null,
  ) {
    super(`External login failed: ${code}`)
    this.code = code
    this.returnTo = returnTo
    this.providerError = providerError ?? undefined
    this.providerDescription = providerDescription ?? undefined
  }
}
