import type { Calls } from '@grove/contract/calls'
import type { FieldError } from '@grove/contract/shapes'
import type { ProblemOf } from '@grove/contract/call'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { ApiProblem, isUnreachable } from './problem.ts'

/** Calls of host apps, which the console does not make. */
type HostAppCall = Extract<keyof Calls, `GET /api/{linkId}${string}`>

type VisitorCall = Exclude<
  {
    [K in keyof Calls]: Calls[K]['access'] extends 'public' | 'anonymous' ? K : never
  }[keyof Calls],
  HostAppCall
>

/** The codes that only a host app can receive. */
export type HostAppProblem = Exclude<ProblemOf<Calls[HostAppCall]>, VisitorProblem>

/** The codes that a page for signed-out visitors can receive. */
export type VisitorProblem = { [K in VisitorCall]: ProblemOf<Calls[K]> }[VisitorCall]

/** The codes a page may need as it opens; the others load later (problem-texts.ts). */
const visitorTexts = {
  wrong_credentials: msg`The email or the password is wrong. Check both and try again.`,
  account_disabled: msg`This account is disabled. Ask an administrator to enable it.`,
  unknown_realm: msg`The service does not know this stage’s authentication provider. Contact an administrator.`,
  too_many_attempts: msg`Too many attempts. Wait a few minutes and try again.`,
  external_sign_in_failed: msg`The identity provider’s response could not be used. Start the sign-in again.`,
  unknown_host: msg`The service is not responding at this web address. Contact an administrator.`,
  unknown_broker: msg`The service does not know this identity provider.`,
  broker_unavailable: msg`The identity provider is not responding. Try again in a moment.`,
  invalid_email_token: msg`This link is no longer valid. Request a new one.`,
  unauthorized: msg`Your session has ended. Sign in again.`,
  invalid_refresh_token: msg`Your session has ended. Sign in again.`,
  forbidden: msg`Your role does not allow this.`,
  not_found: msg`It does not exist, or it has been deleted.`,
  bad_cursor: msg`This page of the list has expired. Start again from the first page.`,
  internal_error: msg`Something went wrong in the service; it has been recorded. Try again.`,
  database_unavailable: msg`The service cannot access its data right now. Try again in a moment.`,
  storage_unavailable: msg`The service cannot access its data right now. Try again in a moment.`,
  keys_unavailable: msg`The service cannot check sign-ins right now. Try again in a moment.`,
} satisfies Partial<Record<VisitorProblem, MessageDescriptor>>

/** Codes that the authentication client sets. */
const otherTexts = {
  email: msg`The format is not valid.`,
  unavailable: msg`This stage has no external sign-in.`,
  storage_denied: msg`The browser does not allow this page to store anything, so this sign-in could not be completed. Allow it, or sign in another way.`,
  sign_in_cancelled: msg`The sign-in was cancelled.`,
}

const texts: Record<string, MessageDescriptor> = { ...visitorTexts, ...otherTexts }

export type EarlyProblem = keyof typeof visitorTexts

export const addProblemTexts = (more: Record<string, MessageDescriptor>) =>
  Object.assign(texts, more)

/** Codes where the service's own sentence is more specific: which limit, which check, which file. */
const detailed = new Set(['image_refused', 'limit_reached', 'transition_refused', 'file_too_large'])

const wait = (seconds: number): MessageDescriptor => {
  const minutes = Math.ceil(seconds / 60)
  return seconds < 60
    ? msg`${plural(seconds, {
        one: 'Too many attempts. Try again in # second.',
        other: 'Too many attempts. Try again in # seconds.',
      })}`
    : msg`${plural(minutes, {
        one: 'Too many attempts. Try again in # minute.',
        other: 'Too many attempts. Try again in # minutes.',
      })}`
}

function describe(problem: ApiProblem): MessageDescriptor | string {
  if (problem.code === 'too_many_attempts' && problem.retryAfter) return wait(problem.retryAfter)
  const known = texts[problem.code]
  if (known) return known
  if (problem.status === 429)
    return problem.retryAfter
      ? wait(problem.retryAfter)
      : msg`Too many attempts. Wait a few minutes and try again.`
  // A detail that only repeats the status is of no use to a reader.
  if (!problem.detail.startsWith('Request failed with status code')) return problem.detail
  return problem.status >= 500
    ? msg`The service is not responding correctly. Try again in a moment.`
    : msg`The service refused this request.`
}

/** The text of a failure in the reader's language. */
export function problemText(error: unknown, i18n: I18n): string {
  if (error instanceof ApiProblem) {
    if (error.foreign?.text) return i18n._(error.foreign.text)
    if (detailed.has(error.code) && i18n.locale === 'en-US') return error.detail
    const text = describe(error)
    return typeof text === 'string' ? text : i18n._(text)
  }
  if (isUnreachable(error)) {
    return i18n._(msg`The service cannot be reached. Check your connection and try again.`)
  }
  return i18n._(msg`Something went wrong on this page. Try again, or reload it.`)
}

/** The text for a field that the service refused. */
export function fieldText({ code, message, params }: FieldError, i18n: I18n): string {
  const limit = params?.['limit']
  switch (code) {
    case 'required':
      return i18n._(msg`Enter a value.`)
    case 'minLength':
      return limit !== undefined && limit !== 1
        ? i18n._(msg`At least ${limit} characters.`)
        : i18n._(msg`Enter a value.`)
    case 'maxLength':
      return limit !== undefined
        ? i18n._(msg`At most ${limit} characters.`)
        : i18n._(msg`This is too long.`)
    case 'pattern':
    case 'format':
      if (params?.['format'] === 'name')
        return i18n._(
          msg`Remove the invisible characters, such as those that change the direction of text.`,
        )
      return i18n._(msg`The format is not valid.`)
    case 'enum':
      return i18n._(msg`Choose one of the offered values.`)
    default:
      return texts[code] ? i18n._(texts[code]) : message
  }
}
