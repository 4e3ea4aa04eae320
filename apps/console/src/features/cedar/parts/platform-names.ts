import type { DevicePlatform } from '@grove/contract/cedar/notification.rules'

/** Names that are the same in every language. */
export const platformNames: Record<DevicePlatform, string> = {
  android: 'Android',
  ios: 'iOS',
  web: 'Web',
}
