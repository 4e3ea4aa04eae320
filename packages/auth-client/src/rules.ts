import type { ExternalLoginError } from './sign-in/external-login-error.ts'

export { hasDashboardAccess, isAdmin, isDeveloper } from './access.ts'
export { signInFailure, type SignInFailure } from './sign-in/sign-in-failure.ts'

// The pattern of the HTML standard for <input type="email">, with a top-level domain of two or more
// characters.
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i
// RFC 6750 §2.1: the token68 alphabet. The scheme is case-insensitive (RFC 9110 §11.1).
const BEARER = /^bearer +[a-z0-9\-._~+/]+=*$/i
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Which rules a password meets. */
export interface PasswordRules {
  /** 8 to 20 characters. */
  length: boolean
  /** At least one of a–z. */
  lowercase: boolean
  /** At least one of A–Z. */
  uppercase: boolean
  /** At least one of 0–9. */
  digit: boolean
  /** At least one of `@$!%*?&`. */
  special: boolean
  /** No character outside letters, digits and `@$!%*?&`. */
  allowed: boolean
}

/** Whether the value is an email address; at most 254 characters (RFC 5321). */
export function isEmail(value: string): boolean {
  return value.length <= 254 && EMAIL.test(value)
}

/** The result of each password rule, for a form that shows the rules as they are met. */
export function passwordRules(value: string): PasswordRules {
  return {
    length: value.length >= 8 && value.length <= 20,
    lowercase: /[a-z]/.test(value),
    uppercase: /[A-Z]/.test(value),
    digit: /[0-9]/.test(value),
    special: /[@$!%*?&]/.test(value),
    allowed: /^[A-Za-z0-9@$!%*?&]*$/.test(value),
  }
}

/** Whether the value meets every password rule. */
export function isPassword(value: string): boolean {
  return Object.values(passwordRules(value)).every(Boolean)
}

/** Whether the value is a link id: exactly seven characters. */
export function isLinkId(value: string): boolean {
  return value.length === 7
}

/** Whether the value has the 8-4-4-4-12 hexadecimal form. */
export function isUuid(value: string): boolean {
  return UUID.test(value)
}

/** Whether the value is an `Authorization` header that carries a bearer token. */
export function isBearerToken(value: string): boolean {
  return BEARER.test(value)
}

/** Whether an external login failed for a reason that has a `code`. */
export function isExternalLoginError(error: unknown): error is ExternalLoginError {
  return error instanceof Error && error.name === 'ExternalLoginError'
}
