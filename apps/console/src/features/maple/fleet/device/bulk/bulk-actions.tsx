import type { Device } from '@grove/contract/maple/fleet/device'
import { useLingui } from '@lingui/react/macro'
import { plural } from '@lingui/core/macro'
import { Archive, Layers } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { confirm } from '../../../../../ui/dialog/confirm.tsx'
import { MenuItem } from '../../../../../ui/menu/menu-item.tsx'
import { PopoverMenu } from '../../../../../ui/menu/popover-menu.tsx'
import { useDeviceWords } from '../../device-words.ts'
import { DeviceStateBadge } from '../device.labels.tsx'
import { AddToGroup } from './add-to-group.tsx'
import { BulkDialog, type BulkJob } from './bulk-dialog.tsx'

interface BulkActionsProps {
  ids: string[]
  /** Those on this page, for their names. */
  devices: readonly Device[]
  onDone: () => void
}

/** From here on, retiring asks for the number to be typed: it cannot be taken back. */
const many = 10

/** What can be done with the devices selected. */
export function BulkActions({ ids, devices, onDone }: BulkActionsProps) {
  const { t } = useLingui()
  const words = useDeviceWords()
  const [job, setJob] = useState<BulkJob>()
  const [isGrouping, setGrouping] = useState(false)
  const count = ids.length

  const setState = async (state: 'accepted' | 'quarantined') => {
    const word = words.state[state]
    const agreed = await confirm({
      title: t`${plural(count, { one: 'Set # device', other: 'Set # devices' })}: ${word}?`,
      text: t`Devices that cannot change to this state stay unchanged and are listed afterwards.`,
      action: t`Set the state`,
    })
    if (!agreed) return
    setJob({
      ids,
      title: t`Setting the state: ${word}`,
      change: (id) => api.maple.put('/api/maple/device', { query: { id }, body: { state } }),
    })
  }

  const retire = async () => {
    const agreed = await confirm({
      title: t`${plural(count, { one: 'Retire # device?', other: 'Retire # devices?' })}`,
      text: t`Retiring is final: a retired device can never be used again. Its history stays.`,
      action: t`${plural(count, { one: 'Retire # device', other: 'Retire # devices' })}`,
      isDanger: true,
      ...(count >= many && { typeToConfirm: String(count) }),
    })
    if (!agreed) return
    setJob({
      ids,
      title: t`Retiring devices`,
      change: (id) => api.maple.delete('/api/maple/device', { query: { id } }),
    })
  }

  return (
    <>
      <PopoverMenu isMenu ariaLabel={t`Set state`} label={t`Set state`}>
        {(['accepted', 'quarantined'] as const).map((state) => (
          <MenuItem key={state} onSelect={() => void setState(state)}>
            <DeviceStateBadge state={state} />
          </MenuItem>
        ))}
      </PopoverMenu>
      <button type="button" className="button" onClick={() => setGrouping(true)}>
        <Layers size={16} aria-hidden />
        {t`Add to group…`}
      </button>
      <button type="button" className="button" onClick={() => void retire()}>
        <Archive size={16} aria-hidden />
        {t`Retire…`}
      </button>
      {isGrouping && <AddToGroup ids={ids} onClose={() => setGrouping(false)} onAdded={onDone} />}
      {job && (
        <BulkDialog
          job={job}
          devices={devices}
          onClose={(isComplete) => {
            setJob(undefined)
            if (isComplete) onDone()
          }}
        />
      )}
    </>
  )
}
