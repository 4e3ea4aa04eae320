import type { Audience, Notification } from '@grove/contract/cedar/notification'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import {
  normaliseBody,
  notificationLimits,
  productLink,
  textBytes,
} from '@grove/contract/cedar/notification.rules'
import { isReadableName } from '@grove/contract/name.rules'
import { invalidField } from '../../../core/http/problem.ts'
import { unreadableName } from '../../../core/http/stored-name.ts'
import { checkTranslations } from '../parts/translations.ts'
import { versionNumbers } from '../push-device/push-device.queries.ts'

type NewNotification = BodyOf<Calls['POST /api/notification']>
type Translations = Notification['translations']

const day = 86_400_000
// A form that was open for a while still means "now".
const lateMs = 5 * 60_000

/** Texts as stored. @throws ProblemError `invalid_request` naming the field. */
export const checkTexts = (given: Translations): Translations =>
  checkTranslations(given).map((text, index) => {
    const path = `translations.${index}.body`
    const body = normaliseBody(text.body)
    if (body === '')
      throw invalidField(path, 'minLength', `${path} must have at least 1 visible character.`, {
        limit: 1,
      })
    // An empty line is no name.
    if (!body.split('\n').every((line) => line === '' || isReadableName(line)))
      throw invalidField(path, 'format', `${path} ${unreadableName}.`, { format: 'name' })
    return { ...text, body }
  })

/** Refuses a text whose message exceeds FCM's limit. */
export function checkBytes(
  translations: Translations,
  facts: { link: string | null; expirySeconds: number | null },
): void {
  const limit = notificationLimits.payloadBytes
  for (const [index, text] of translations.entries()) {
    const bytes = textBytes(text, facts)
    if (bytes > limit)
      throw invalidField(
        `translations.${index}.body`,
        'payload',
        `The message is ${bytes} bytes with its title and link; the limit is ${limit}.`,
        { bytes, limit },
      )
  }
}

/** An https URL as stored, or the keyword for the product's own link. */
export function checkLink(given: string | undefined, linkId: string | null): string | null {
  if (given === undefined) return null
  if (given === productLink) {
    if (linkId === null)
      throw invalidField('link', 'no_link', 'The app has no link yet. Create one first.')
    return productLink
  }
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw invalidField('link', 'format', 'link must be an https address without a password.', {
      format: 'https',
    })
  if (url.href.length > notificationLimits.link)
    throw invalidField('link', 'maxLength', 'link is too long.', { limit: notificationLimits.link })
  return url.href
}

export function checkAudience(audience: Audience): Audience {
  const { minAppVersion: least, maxAppVersion: most } = audience
  if (least !== undefined && most !== undefined && compare(least, most) > 0)
    throw invalidField(
      'audience.maxAppVersion',
      'minimum',
      'The audience’s newest version is lower than its oldest.',
    )
  return audience
}

function compare(one: string, other: string): number {
  const [a, b] = [versionNumbers(one), versionNumbers(other)]
  const at = a.findIndex((part, index) => part !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

export interface Times {
  at: number
  isScheduled: boolean
  expiresAt: number | null
  /** From its due time. */
  expirySeconds: number | null
}

export function checkTimes(
  { sendAt, expiresAt }: Pick<NewNotification, 'sendAt' | 'expiresAt'>,
  now: number,
): Times {
  const due = sendAt === undefined ? now : Date.parse(sendAt)
  if (due < now - lateMs) throw invalidField('sendAt', 'minimum', 'sendAt is in the past.')
  if (due > now + notificationLimits.scheduleDays * day)
    throw invalidField(
      'sendAt',
      'maximum',
      `sendAt can be ${notificationLimits.scheduleDays} days ahead at most.`,
      { limit: notificationLimits.scheduleDays },
    )
  const at = Math.max(due, now)
  const end = expiresAt === undefined ? null : Date.parse(expiresAt)
  if (end !== null && end <= at)
    throw invalidField('expiresAt', 'minimum', 'expiresAt is before the notification is sent.')
  if (end !== null && end > at + notificationLimits.expiryDays * day)
    throw invalidField(
      'expiresAt',
      'maximum',
      `expiresAt can be ${notificationLimits.expiryDays} days after the notification is sent at most.`,
      { limit: notificationLimits.expiryDays },
    )
  return {
    at,
    isScheduled: due > now,
    expiresAt: end,
    expirySeconds: end === null ? null : Math.ceil((end - at) / 1000),
  }
}
