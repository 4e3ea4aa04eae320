import type { LocaleCode } from '@grove/contract/locale.rules'
import type { DevicePlatform, PushMessageBody } from '@grove/contract/cedar/notification.rules'
import type { PushSettings } from './push-settings.ts'

export interface PushMessage {
  deviceId: string
  token: string
  platform: DevicePlatform
  locale: LocaleCode
  /** As FCM takes it, without its token. */
  body: PushMessageBody
}

export interface PushBatch {
  /** The same when the batch is repeated: a transport that knows it takes nothing twice. */
  key: string
  messages: readonly PushMessage[]
}

/**
 * What became of a message. `dead`: its token will never work again. `refused`: trying again cannot
 * help. `later`: it can, after the time given or a while.
 */
export type Outcome =
  | { deviceId: string; result: 'taken' }
  | { deviceId: string; result: 'dead' | 'refused'; reason: string }
  | {
      deviceId: string
      result: 'later'
      reason: string
      retryAfterMs?: number | undefined
      /** It concerns every message, not this one. */
      isForAll?: boolean
    }

/** What takes messages. It answers for each, whatever goes wrong, and throws nothing. */
export interface PushTransport {
  name: PushSettings['kind']
  /** Starts nothing more once the signal aborts; what was not started is for `later`, `stopped`. */
  send: (batch: PushBatch, signal: AbortSignal) => Promise<Outcome[]>
}

export const pushTransportNames = ['fcm', 'webhook'] as const

/** What a message meets that was not tried, because its process stops. */
export const stopped = 'stopped'
