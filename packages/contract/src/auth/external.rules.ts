/** What an authentication service offers; the console shows only this. */
export const signInMethods = [
  'password',
  'signUp',
  'external',
  'anonymous',
  /** Mail with a link that validates an address, and the page that the link opens. */
  'emailValidation',
  /** Mail with a link to a new password. */
  'passwordReset',
  /** Administrators invite people by mail. */
  'invitation',
  /** Profile, sessions, identities and a password change: the calls below `/api/user/`. */
  'account',
] as const
export type SignInMethod = (typeof signInMethods)[number]
