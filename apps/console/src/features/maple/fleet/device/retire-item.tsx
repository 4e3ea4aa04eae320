import type { Device } from '@grove/contract/maple/fleet/device'
import { Trans } from '@lingui/react/macro'
import { Archive } from 'lucide-react'
import type { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { MenuItem } from '../../../../ui/menu/menu-item.tsx'
import { useRetire } from './use-retire.tsx'

interface RetireItemProps {
  device: Device
  /** The list's own: what asks outlives the menu, which closes first. */
  confirmed: ReturnType<typeof useConfirmed>
}

/** Retires the device of a row. */
export function RetireItem({ device, confirmed }: RetireItemProps) {
  const { retire, refusal } = useRetire(confirmed)
  return (
    <MenuItem isDanger disabledReason={refusal(device)} onSelect={() => void retire(device)}>
      <Archive size={16} aria-hidden />
      <Trans>Retire…</Trans>
    </MenuItem>
  )
}
