/**
 * What is wrong with an OpenID service or its setup; the message says what, for the operator. A
 * service that is not responding, or that refuses, gives an `AuthError` or `ExternalLoginError`.
 */
export class OidcError extends Error {
  override readonly name = 'OidcError'
  // Declared, not defined: the constructor sets it.
  /** 400 if the session cannot go on; otherwise undefined. */
  declare readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}
