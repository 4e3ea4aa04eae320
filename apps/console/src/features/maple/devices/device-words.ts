import { useLingui } from '@lingui/react/macro'
import type { Device } from '@grove/contract'
import type { StateKind } from '../../../components/state-badge.tsx'
import { deviceStates, deviceTypes } from './device-list.ts'

export const stateKinds: Record<Device['state'], StateKind> = {
  pending: 'waiting',
  accepted: 'ready',
  online: 'good',
  offline: 'idle',
  quarantined: 'warning',
  retired: 'bad',
}

/** Types and states in the reader's language, in the order in which they are offered. */
export function useDeviceWords() {
  const { t } = useLingui()
  const type: Record<Device['type'], string> = {
    iot: t`IoT`,
    virtual: t`Virtual`,
    boot: t`Boot`,
    default: t`Default`,
  }
  const state: Record<Device['state'], string> = {
    pending: t`Pending`,
    accepted: t`Accepted`,
    online: t`Online`,
    offline: t`Offline`,
    quarantined: t`Quarantined`,
    retired: t`Retired`,
  }
  return {
    type,
    state,
    types: deviceTypes.map((value) => ({ value, label: type[value] })),
    states: deviceStates.map((value) => ({ value, label: state[value] })),
  }
}
