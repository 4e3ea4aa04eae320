import type { DeviceSeen } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'

/** How long ago a device was last seen, in the reader's language. */
export function useSeenWords(): Record<DeviceSeen, string> {
  const { t } = useLingui()
  return {
    hour: t`Within an hour`,
    day: t`Within a day`,
    week: t`Within a week`,
    month: t`Within 30 days`,
    older: t`Longer ago`,
    never: t`Never`,
  }
}
