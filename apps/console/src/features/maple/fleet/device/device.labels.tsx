import type { Device } from '@grove/contract/maple/fleet/device'
import { Box, CircleHelp, HardDriveDownload, RadioTower, type LucideIcon } from 'lucide-react'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { useDeviceWords } from '../device-words.ts'
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

export function DeviceStateBadge({ state }: Pick<Device, 'state'>) {
  const words = useDeviceWords()
  return <StateBadge kind={stateKinds[state]} text={words.state[state]} />
}

export function DeviceTypeText({ type }: Pick<Device, 'type'>) {
  const words = useDeviceWords()
  const Icon = typeIcons[type] as LucideIcon | undefined
  return (
    <span className={styles.type}>
      {Icon ? <Icon size={14} aria-hidden /> : '–'}
      {words.type[type]}
    </span>
  )
}
