import { defaultLocale, type LocaleCode } from '../locale.rules.ts'
import { normaliseName } from '../name.rules.ts'

/** The systems that a device of a host app can run. */
export const devicePlatforms = ['android', 'ios', 'web'] as const
export type DevicePlatform = (typeof devicePlatforms)[number]

/** Filters of an audience; `all` is unfiltered. */
export const audienceKinds = ['all', 'locale', 'platform', 'appVersion', 'testDevices'] as const

/**
 * `scheduled`: waits for its time, or for its turn. `sent`: every device was tried, and at least one
 * message was accepted. `not_sent`: there was no transport, or no device. `expired`: it expired
 * before every device was tried.
 */
export const notificationStates = [
  'scheduled',
  'sending',
  'sent',
  'not_sent',
  'failed',
  'expired',
  'cancelled',
] as const
export type NotificationState = (typeof notificationStates)[number]

/** FCM accepts at most `payloadBytes` of a message. */
export const notificationLimits = {
  title: 100,
  body: 1000,
  link: 500,
  payloadBytes: 4096,
  /** Devices that a developer can mark for tests, of one product. */
  testDevices: 20,
  /** How far ahead a notification can be scheduled. */
  scheduleDays: 365,
  /** How long after its time a notification can still be delivered: FCM's maximum. */
  expiryDays: 28,
  /** An estimate counts no further. */
  counted: 100_000,
  exportedRows: 100_000,
  statisticsDays: 366,
} as const

/** The link of the product instead of an address. */
export const productLink = 'product'

export const receiptEvents = ['delivered', 'opened'] as const
export type ReceiptEvent = (typeof receiptEvents)[number]

/** The length of a device's receipt code. */
export const receiptLength = 59

export interface NotificationText {
  localeCode: LocaleCode
  title: string
  body: string
}

/** A text of several lines as it is stored: each line as a name is, and no empty lines around it. */
export const normaliseBody = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => normaliseName(line))
    .join('\n')
    .replaceAll(/^\n+|\n+$/g, '')

/** The text for a device: in its language, else in the default one, else in any. */
export function textFor<T extends { localeCode: LocaleCode }>(
  translations: readonly T[],
  locale: string,
): T | undefined {
  const of = (code: string) => translations.find(({ localeCode }) => localeCode === code)
  return of(locale) ?? of(defaultLocale) ?? translations[0]
}

export interface MessageFacts {
  notificationId: string
  productId: string
  /** An address that opens with a tap. */
  link: string | null
  /** The link id of the product, when its link opens. */
  linkId: string | null
  /** The code with which the device reports the delivery. */
  receipt: string
  /** How long the message may wait for a device that is offline. */
  expirySeconds: number | null
  /** The moment of the same, in seconds since the epoch. */
  expiresAt: number | null
}

/** Keys of `data` that FCM reserves. */
export const isReservedKey = (key: string): boolean =>
  key === 'from' || key === 'message_type' || /^(google|gcm)/.test(key)

/**
 * A message in FCM v1's format, without its token. Every value of `data` is a string. A device shows
 * only one of two messages with the same tag, so a resent message does not show twice.
 */
export const messageOf = (
  { title, body }: Pick<NotificationText, 'title' | 'body'>,
  { notificationId, productId, receipt, link, linkId, ...expiry }: MessageFacts,
) => ({
  notification: { title, body },
  data: {
    notificationId,
    productId,
    receipt,
    ...(link !== null && { link }),
    ...(linkId !== null && { linkId }),
  },
  android: {
    notification: { tag: notificationId },
    ...(expiry.expirySeconds !== null && { ttl: `${expiry.expirySeconds}s` }),
  },
  apns: {
    headers: {
      'apns-collapse-id': notificationId,
      ...(expiry.expiresAt !== null && { 'apns-expiration': String(expiry.expiresAt) }),
    },
  },
  webpush: {
    notification: { tag: notificationId },
    ...(expiry.expirySeconds !== null && { headers: { TTL: String(expiry.expirySeconds) } }),
  },
})
export type PushMessageBody = ReturnType<typeof messageOf>

/** Bytes of a text in UTF-8; half a surrogate pair counts as the character that replaces it. */
export function utf8Bytes(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** Bytes of a message, to compare with `payloadBytes`. */
export const payloadBytes = (message: PushMessageBody): number => utf8Bytes(JSON.stringify(message))

const anyId = '00000000-0000-4000-8000-000000000000'

/** Bytes of the message of a text before it has an id: ids and receipts have one length. */
export const textBytes = (
  { title, body }: Pick<NotificationText, 'title' | 'body'>,
  { link, expirySeconds }: { link: string | null; expirySeconds: number | null },
): number =>
  payloadBytes(
    messageOf(
      { title: normaliseName(title), body: normaliseBody(body) },
      {
        notificationId: anyId,
        productId: anyId,
        receipt: 'x'.repeat(receiptLength),
        // The longest possible URL of a product's link, whatever the console's name.
        link: link === productLink ? `https://${'x'.repeat(60)}/1234567` : link,
        linkId: link === productLink ? '1234567' : null,
        expirySeconds,
        expiresAt: expirySeconds === null ? null : 10_000_000_000,
      },
    ),
  )

/** `1.10.2`, each part a number below a billion, so that versions compare by number. */
export const appVersionPattern = '^\\d{1,9}(\\.\\d{1,9}){0,2}$'
export const isAppVersion = (text: string): boolean => new RegExp(appVersionPattern).test(text)
