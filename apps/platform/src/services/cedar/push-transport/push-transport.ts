import type { LocaleCode } from '@grove/contract/locale.rules'
import type { DevicePlatform, PushMessageBody } from '@grove/contract/cedar/notification.rules'
import type { PushSettings } from './push-settings.ts'

export interface PushMessage {
  deviceId: string
  token: string
  platform: DevicePlatform
  locale: LocaleCode
  /** In FCM's format, without its token. */
  body: PushMessageBody
}

export interface PushBatch {
  /**
   * Idempotency key: the same when the batch is repeated, so a transport that supports it accepts
   * nothing twice.
   */
  key: string
  messages: readonly PushMessage[]
}

/**
 * The outcome of a message. `dead`: its token will never work again. `refused`: retrying cannot help.
 * `later`: it can, after the given time or a while.
 */
export type Outcome =
  | { deviceId: string; result: 'taken' }
  | { deviceId: string; result: 'dead' | 'refused'; reason: string }
  | {
      deviceId: string
      result: 'later'
      reason: string
      retryAfterMs?: number | undefined
      /** It concerns every message, not just this one. */
      isForAll?: boolean
    }

/**
 * The transport of messages. It returns an outcome for each, whatever goes wrong, and never throws.
 */
export interface PushTransport {
  name: PushSettings['kind']
  /** Starts nothing more once the signal aborts; messages not started are `later`, `stopped`. */
  send: (batch: PushBatch, signal: AbortSignal) => Promise<Outcome[]>
}

export const pushTransportNames = ['fcm', 'webhook'] as const

/** The outcome of an untried message when its process stops. */
export const stopped = 'stopped'
