import { isEmail } from '@grove/auth-client/rules'
import { maxEmailLength, maxNameLength } from '@grove/contract/auth/account.rules'
import { isReadableName, plainName } from '@grove/contract/name.rules'
import { defaultLocale, type LocaleCode } from '@grove/contract/locale.rules'
import { findUnstorableText } from '../../../core/http/unstorable-text.ts'
import { normaliseEmail } from '../account/parts/account-fields.ts'

/** A person at a provider: issuer and subject. The rest is what the provider says about them. */
export interface ExternalIdentity {
  issuer: string
  subject: string
  name: string | null
  email: string | null
  isEmailVerified: boolean
  locale: LocaleCode
}

type Claims = Record<string, unknown>

// OpenID Connect Core 1.0 section 2: at most 255 characters.
const maxSubjectLength = 255

/** @throws if the subject does not have a form that the standard allows. */
export function refuseSubject(subject: string): void {
  if (subject.length > maxSubjectLength || subject === '' || !isStorable(subject))
    throw new Error('The subject is not one that OpenID Connect allows.')
}

/** The user info adds what the ID token omits; an email and its flag come from the same source. */
export function externalIdentity(
  idToken: Claims & { iss: string; sub: string },
  userInfo: Claims,
): ExternalIdentity {
  const emailSource = idToken['email'] === undefined ? userInfo : idToken
  const email = emailOf(emailSource['email'])
  const locale = textOf(idToken['locale'] ?? userInfo['locale'], 35)
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    name: nameOf(idToken['name'] ?? userInfo['name']),
    email,
    // Only `true`: an address that the provider has not verified must not match an account.
    isEmailVerified: email !== null && emailSource['email_verified'] === true,
    locale: locale?.toLowerCase().startsWith('ru') ? 'ru-RU' : defaultLocale,
  }
}

function emailOf(value: unknown): string | null {
  const text = textOf(value, maxEmailLength)
  return text !== null && isEmail(text) ? normaliseEmail(text) : null
}

/** A name as readers see it; a provider may send invisible characters. */
function nameOf(value: unknown): string | null {
  const name = plainName(textOf(value, maxNameLength) ?? '')
  return isReadableName(name) ? name : null
}

function textOf(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' || !isStorable(value)) return null
  const text = value.trim()
  return text === '' || text.length > longest ? null : text
}

const isStorable = (text: string): boolean => findUnstorableText(text) === undefined
