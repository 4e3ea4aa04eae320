import {
  deviceStates,
  deviceTypes,
  type DeviceState,
  type DeviceType,
} from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'

/** Device types and states in the reader's language, in the order in which menus list them. */
export function useDeviceWords() {
  const { t } = useLingui()
  const type: Record<DeviceType, string> = {
    iot: t`IoT`,
    virtual: t`Virtual`,
    boot: t`Boot`,
    default: t`Default`,
  }
  const state: Record<DeviceState, string> = {
    pending: t`Pending`,
    accepted: t`Accepted`,
    online: t`Online`,
    offline: t`Offline`,
    quarantined: t`To be accepted`,
    retired: t`Retired`,
  }
  return {
    type,
    state,
    types: deviceTypes.map((value) => ({ value, label: type[value] })),
    states: deviceStates.map((value) => ({ value, label: state[value] })),
  }
}
