import type { DeviceState, DeviceType } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'

/** Types and states of devices in the reader's language. */
export function useDeviceChoices() {
  const { t } = useLingui()
  const types: Record<DeviceType, string> = {
    iot: t`IoT`,
    virtual: t`Virtual`,
    boot: t`Boot`,
    default: t`Default`,
  }
  const states: Record<DeviceState, string> = {
    pending: t`Pending`,
    accepted: t`Accepted`,
    online: t`Online`,
    offline: t`Offline`,
    quarantined: t`Quarantined`,
    retired: t`Retired`,
  }
  return { types, states }
}
