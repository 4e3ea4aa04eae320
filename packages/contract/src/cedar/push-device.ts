import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import {
  LocaleCode,
  Name,
  noContent,
  Nullable,
  Page,
  pageQuery,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import { appVersionPattern, devicePlatforms } from './notification.rules.ts'

const AppVersion = Type.String({ pattern: appVersionPattern, examples: ['1.10.2'] })

/** A device that a host app registered; its token stays on the server. */
const PushDevice = Type.Object({
  id: Uuid,
  productId: Uuid,
  platform: Type.Enum(devicePlatforms),
  localeCode: LocaleCode,
  appVersion: Type.String(),
  /** The last characters of its token, to tell devices apart. */
  tokenEnd: Type.String(),
  isTest: Type.Boolean(),
  /** A developer's name for a test device. */
  name: Nullable(Type.String()),
  registeredAt: Timestamp,
  seenAt: Timestamp,
})
export type PushDevice = Type.Static<typeof PushDevice>

export const maxDeviceNameLength = 60
export const maxTokenLength = 1000

const access = {
  read: 'developer',
  change: 'anonymous',
} as const

export const pushDeviceCalls = defineCalls('cedar', access, {
  'POST /api/notification/device': {
    summary: 'Register a device for the notifications of a product',
    description:
      'Called by the host app with an anonymous token or that of its user: at its first start, and whenever its push token, its language or its version changes. A token that is registered already keeps its id.',
    body: Strict({
      productId: Uuid,
      token: Type.String({
        minLength: 8,
        maxLength: maxTokenLength,
        pattern: '^[\\x21-\\x7e]+$',
        examples: ['fcm-token-0123456789'],
      }),
      platform: Type.Enum(devicePlatforms),
      localeCode: LocaleCode,
      appVersion: AppVersion,
    }),
    response: Type.Object({ id: Uuid }),
    problems: ['not_found', 'too_many_attempts'],
  },
  'DELETE /api/notification/device': {
    summary: 'Unregister a device',
    description: 'Its id is the one that the registration answered. Repeated, it changes nothing.',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['too_many_attempts'],
  },
  'GET /api/notification/device': {
    summary: 'List the devices of a product, the latest registered first',
    query: Strict({
      ...pageQuery,
      productId: Uuid,
      isTest: Type.Optional(Type.Boolean()),
    }),
    response: Page(PushDevice),
    problems: ['not_found', 'bad_cursor'],
  },
  'PUT /api/notification/device/{id}': {
    summary: 'Mark a device for tests, or no longer',
    access: 'developer',
    body: Strict({
      isTest: Type.Boolean(),
      name: Type.Optional(Nullable(Name(maxDeviceNameLength))),
    }),
    response: PushDevice,
    problems: ['limit_reached'],
  },
})
