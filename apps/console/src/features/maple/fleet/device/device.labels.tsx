import type { Device } from '@grove/contract/maple/fleet/device'
import { useLingui } from '@lingui/react/macro'
import { Box, CircleHelp, HardDriveDownload, RadioTower, type LucideIcon } from 'lucide-react'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { deviceStates, deviceTypes } from '@grove/contract/maple/fleet/device.rules'
import styles from './device.labels.module.css'

const stateKinds: Record<Device['state'], StateKind> = {
  pending: 'waiting',
  accepted: 'ready',
  online: 'good',
  offline: 'idle',
  quarantined: 'warning',
  retired: 'ended',
}

const typeIcons: Record<Device['type'], LucideIcon> = {
  iot: RadioTower,
  virtual: Box,
  boot: HardDriveDownload,
  default: CircleHelp,
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

export function DeviceStateBadge({ state }: Pick<Device, 'state'>) {
  const words = useDeviceWords()
  return <StateBadge kind={stateKinds[state]} text={words.state[state]} />
}

export function DeviceTypeText({ type }: Pick<Device, 'type'>) {
  const words = useDeviceWords()
  const Icon = typeIcons[type]
  return (
    <span className={styles.type}>
      <Icon size={14} aria-hidden />
      {words.type[type]}
    </span>
  )
}
