import type { Notification } from '@grove/contract/cedar/notification'
import type { NotificationState } from '@grove/contract/cedar/notification.rules'
import { useLingui } from '@lingui/react/macro'
import { localeNames } from '../../../ui/i18n/locale.ts'
import { platformNames } from '../parts/platform-names.ts'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'

const kinds: Record<NotificationState, StateKind> = {
  scheduled: 'waiting',
  sending: 'ready',
  sent: 'good',
  not_sent: 'warning',
  failed: 'bad',
  expired: 'warning',
  cancelled: 'ended',
}

export function useNotificationWords() {
  const { t } = useLingui()
  const state: Record<NotificationState, string> = {
    scheduled: t({ message: 'Scheduled', context: 'a notification' }),
    sending: t({ message: 'Sending', context: 'a notification' }),
    sent: t({ message: 'Sent', context: 'a notification' }),
    not_sent: t({ message: 'Not sent', context: 'a notification' }),
    failed: t({ message: 'Failed', context: 'a notification' }),
    expired: t({ message: 'Expired', context: 'a notification' }),
    cancelled: t({ message: 'Cancelled', context: 'a notification' }),
  }
  const reasons: Record<string, string> = {
    no_transport: t`No transport is set up on this platform.`,
    no_devices: t`There were no devices in the audience.`,
  }
  const failures: Record<string, string> = {
    unregistered: t`The app was removed from the device`,
    invalid_token: t`The device’s token is not valid`,
    sender_mismatch: t`The device belongs to another sender`,
    refused: t`The transport refused the message`,
    rate_limited: t`The transport accepted no more messages`,
    unavailable: t`The transport was not available`,
    unauthorized: t`The transport refused the platform’s credentials`,
    timeout: t`The transport did not answer in time`,
    connection: t`The transport could not be reached`,
    bad_answer: t`The transport’s response was invalid`,
    large_answer: t`The transport’s response was too large`,
    expired: t`The notification has expired`,
  }
  return {
    state,
    reasonOf: (reason: string) => reasons[reason] ?? reason,
    failureOf: (reason: string) => failures[reason] ?? reason,
  }
}

export function NotificationStateBadge({ state }: Pick<Notification, 'state'>) {
  const words = useNotificationWords()
  return <StateBadge kind={kinds[state]} text={words.state[state]} />
}

/** The audience in words: "Android, iOS · English · 1.2 to 2.0". */
export function useAudienceText() {
  const { t } = useLingui()
  return ({
    platforms,
    locales,
    minAppVersion: least,
    maxAppVersion: most,
    testDevices,
  }: Notification['audience']) => {
    const parts = [
      testDevices && t`Test devices`,
      platforms?.map((each) => platformNames[each]).join(', '),
      locales?.map((each) => localeNames[each]).join(', '),
      least !== undefined && most !== undefined
        ? t`versions ${least} to ${most}`
        : least !== undefined
          ? t`version ${least} and later`
          : most !== undefined && t`up to version ${most}`,
    ].filter((part) => typeof part === 'string')
    return parts.length === 0 ? t`All devices` : parts.join(' · ')
  }
}
