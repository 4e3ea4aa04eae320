import type { Device } from '@grove/contract/maple/fleet/device'
import { Trans } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Archive, Check, History } from 'lucide-react'
import type { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { MenuItem } from '../../../../ui/menu/menu-item.tsx'
import { isWaiting, useAccept } from './use-accept.ts'
import { useRetire } from './use-retire.tsx'

interface RowItemsProps {
  device: Device
  /** Owned by the list: a confirmation outlives the menu, which closes first. */
  confirmed: ReturnType<typeof useConfirmed>
}

/** The menu actions on the device of a row, besides Edit. */
export function RowItems({ device, confirmed }: RowItemsProps) {
  const navigate = useNavigate()
  const { accept } = useAccept()
  const { retire, refusal } = useRetire(confirmed)
  const { id } = device
  return (
    <>
      {isWaiting(device) && (
        <MenuItem onSelect={() => void accept(device)}>
          <Check size={16} aria-hidden />
          <Trans>Accept</Trans>
        </MenuItem>
      )}
      <MenuItem
        onSelect={() =>
          void navigate({ to: '/dashboard/maple/devices/$deviceId', params: { deviceId: id } })
        }
      >
        <History size={16} aria-hidden />
        <Trans>Page and history</Trans>
      </MenuItem>
      <MenuItem isDanger disabledReason={refusal(device)} onSelect={() => void retire(device)}>
        <Archive size={16} aria-hidden />
        <Trans>Retire…</Trans>
      </MenuItem>
    </>
  )
}
