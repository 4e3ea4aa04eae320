import { Type } from 'typebox'
import { creates, defineCalls } from '../call.ts'
import { locales } from '../locale.rules.ts'
import { LocaleCode, Name, noContent, Nullable, Right, Strict, Timestamp, Uuid } from '../shapes.ts'
import { defaultPageSize, largestPage } from '../page.rules.ts'
import {
  appVersionPattern,
  audienceKinds,
  devicePlatforms,
  notificationLimits,
  notificationStates,
  productLink,
  receiptEvents,
  receiptLength,
} from './notification.rules.ts'

const Platform = Type.Enum(devicePlatforms)
const AppVersion = Type.String({ pattern: appVersionPattern, examples: ['1.10.2'] })

/** Which devices of a product; every part narrows it, and without any it is all of them. */
const Audience = Strict({
  locales: Type.Optional(
    Type.Array(LocaleCode, { minItems: 1, maxItems: locales.length, uniqueItems: true }),
  ),
  platforms: Type.Optional(
    Type.Array(Platform, { minItems: 1, maxItems: devicePlatforms.length, uniqueItems: true }),
  ),
  /** The oldest and the newest version of the host app, both included. */
  minAppVersion: Type.Optional(AppVersion),
  maxAppVersion: Type.Optional(AppVersion),
  /** Test devices only. */
  testDevices: Type.Optional(Type.Boolean()),
})
export type Audience = Type.Static<typeof Audience>

const Translation = Strict({
  localeCode: LocaleCode,
  title: Name(notificationLimits.title),
  body: Type.String({ minLength: 1, maxLength: notificationLimits.body, examples: ['New today'] }),
})
const translations = Type.Array(Translation, { minItems: 1, maxItems: locales.length })

const Link = Type.String({
  maxLength: notificationLimits.link,
  pattern: `^(${productLink}|https://[^\\s]+)$`,
  description: `An https address, or \`${productLink}\` for the product’s own link`,
  examples: ['https://example.com/news'],
})

const Counters = {
  /** Messages that the transport took. */
  sent: Type.Integer(),
  /** Devices that reported the message, and those that reported a tap on it. */
  delivered: Type.Integer(),
  opened: Type.Integer(),
  failed: Type.Integer(),
}

const Notification = Type.Object({
  id: Uuid,
  productId: Uuid,
  providerId: Uuid,
  /** The titles of the product. */
  productTranslations: Type.Array(Type.Object({ localeCode: LocaleCode, title: Type.String() })),
  productIconUrl: Nullable(Type.String()),
  state: Type.Enum(notificationStates),
  /** Why it was not sent: `no_transport` or `no_devices`. */
  reason: Nullable(Type.String()),
  translations: Type.Array(Translation),
  audience: Audience,
  link: Nullable(Type.String()),
  /** When it is due: the time it was scheduled for, or written. */
  at: Timestamp,
  isScheduled: Type.Boolean(),
  expiresAt: Nullable(Timestamp),
  /** Devices of the audience, counted when sending started. */
  devices: Nullable(Type.Integer()),
  ...Counters,
  /** How many failed for each reason. */
  failures: Type.Record(Type.String(), Type.Integer()),
  transport: Nullable(Type.String()),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
  rights: Type.Object({ cancel: Right('notification_sent') }),
})
export type Notification = Type.Static<typeof Notification>

const Quota = Type.Object({ limit: Type.Integer(), used: Type.Integer(), left: Type.Integer() })

const moment = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description }))
const scope = {
  productId: Type.Optional(Uuid),
  providerId: Type.Optional(Uuid),
}
const history = {
  ...scope,
  fromDate: moment('Due at or after this moment'),
  toDate: moment('Due before this moment'),
}

const commaList = (values: readonly string[], description: string) =>
  Type.Optional(
    Type.String({
      pattern: `^(${values.join('|')})(,(${values.join('|')}))*$`,
      maxLength: 100,
      description,
    }),
  )

export const notificationCalls = defineCalls('cedar', 'developer', {
  'GET /api/notification/systemdata': {
    summary: 'What a notification can hold, what is left of today’s quota, and how it is sent',
    response: Type.Object({
      locales: Type.Array(LocaleCode),
      audiences: Type.Array(Type.Enum(audienceKinds)),
      platforms: Type.Array(Platform),
      limits: Type.Object({
        title: Type.Integer(),
        body: Type.Integer(),
        link: Type.Integer(),
        payloadBytes: Type.Integer(),
        testDevices: Type.Integer(),
        scheduleDays: Type.Integer(),
        expiryDays: Type.Integer(),
      }),
      /** Notifications of this day (UTC), of each provider of the caller. */
      quota: Type.Array(Type.Object({ providerId: Uuid, ...Quota.properties })),
      transports: Type.Array(Type.Object({ name: Type.String(), isConfigured: Type.Boolean() })),
    }),
  },
  'GET /api/notification': {
    summary: 'The history of notifications, the latest first',
    description:
      'Of a product, of a provider, or of every provider of the caller; an administrator sees everyone’s. `from` is the offset of the page and `length` its size; `total` counts all pages. Every offset costs the same.',
    query: Strict({
      ...history,
      from: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_000_000_000, default: 0 })),
      length: Type.Optional(
        Type.Integer({ minimum: 1, maximum: largestPage, default: defaultPageSize }),
      ),
    }),
    response: Type.Object({
      items: Type.Array(Notification),
      total: Type.Integer(),
      from: Type.Integer(),
      length: Type.Integer(),
    }),
    problems: ['not_found'],
  },
  'POST /api/notification': {
    summary: 'Compose a notification',
    description: `It is sent at \`sendAt\`, or at once, to the devices that the audience has by then. Without \`audience\` these are all devices of the product. A message has at most ${notificationLimits.payloadBytes} bytes. Repeated with the same \`idempotencyKey\`, the call answers the notification that exists.`,
    body: Strict({
      productId: Uuid,
      translations,
      audience: Type.Optional(Audience),
      link: Type.Optional(Link),
      sendAt: Type.Optional(Type.String({ format: 'date-time' })),
      expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
      idempotencyKey: Type.Optional(
        Type.String({ pattern: '^[\\w.:-]{8,100}$', examples: ['order-2026-000123'] }),
      ),
    }),
    ...creates(Notification, 'not_found', 'limit_reached', 'already_exists'),
  },
  'GET /api/notification/{id}': { summary: 'One notification', response: Notification },
  'POST /api/notification/{id}/cancel': {
    summary: 'Cancel a notification that is not being sent yet',
    response: Notification,
    problems: ['notification_sent'],
  },
  'GET /api/notification/audience': {
    summary: 'How many devices an audience has now',
    description: `Counts ${notificationLimits.counted} at most.`,
    query: Strict({
      productId: Uuid,
      locales: commaList(locales, 'Languages, separated by commas'),
      platforms: commaList(devicePlatforms, 'Platforms, separated by commas'),
      minAppVersion: Type.Optional(AppVersion),
      maxAppVersion: Type.Optional(AppVersion),
      testDevices: Type.Optional(Type.Boolean()),
    }),
    response: Type.Object({
      devices: Type.Integer(),
      /** A lower bound. */
      isCapped: Type.Boolean(),
      quota: Quota,
    }),
    problems: ['not_found'],
  },
  'POST /api/notification/test': {
    summary: 'Send a text to the test devices of a product, at once',
    body: Strict({ productId: Uuid, translations, link: Type.Optional(Link) }),
    response: Type.Object({
      results: Type.Array(
        Type.Object({
          deviceId: Uuid,
          name: Nullable(Type.String()),
          isSent: Type.Boolean(),
          /** Why it was not accepted. */
          reason: Nullable(Type.String()),
        }),
      ),
    }),
    problems: ['not_found', 'push_unavailable', 'no_test_devices'],
  },
  'GET /api/notification/statistics': {
    summary: 'Notifications and their messages by day',
    description: `A day begins at midnight of \`zone\`, an IANA name, by default UTC; in a zone with half hours, at the full hour before. Without dates: the last 30 days; ${notificationLimits.statisticsDays} days at most. Days without any are left out.`,
    query: Strict({
      ...history,
      zone: Type.Optional(
        Type.String({ maxLength: 60, pattern: '^[\\w+/-]+$', examples: ['UTC'] }),
      ),
    }),
    response: Type.Object({
      days: Type.Array(
        Type.Object({
          day: Type.String({ format: 'date' }),
          notifications: Type.Integer(),
          ...Counters,
        }),
      ),
    }),
    problems: ['not_found'],
  },
  'GET /api/notification/csv': {
    summary: 'The history as CSV',
    description: `The same rows as the history, ${notificationLimits.exportedRows} at most.`,
    query: Strict(history),
    response: Type.String(),
    produces: 'text/csv',
    problems: ['not_found'],
  },
  'POST /api/notification/receipt': {
    summary: 'Report that a device has shown a notification, or that it was tapped',
    description:
      'Sent by the host app with the text `receipt` from the data of the message. Repeated, it counts once; a tap counts as a delivery too. Reports on notifications older than 30 days are not counted.',
    access: 'anonymous',
    body: Strict({
      receipt: Type.String({
        minLength: receiptLength,
        maxLength: receiptLength,
        pattern: '^[\\w-]+$',
        examples: ['A'.repeat(receiptLength)],
      }),
      event: Type.Enum(receiptEvents),
    }),
    ...noContent,
    problems: ['not_found', 'too_many_attempts'],
  },
})
