import type { Device } from '@grove/contract/maple/fleet/device'
import { useLingui } from '@lingui/react/macro'
import { plural } from '@lingui/core/macro'
import { Archive, Check, Layers, Pause } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { confirm } from '../../../../../ui/dialog/confirm.tsx'
import { BulkDialog, type BulkJob } from '../../../base/bulk/bulk-dialog.tsx'
import { devices as fleet } from '../device.api.ts'
import { AddToGroup } from './add-to-group.tsx'

interface BulkActionsProps {
  ids: string[]
  /** Those on this page, for their names. */
  devices: readonly Device[]
  onDone: () => void
}

/** From this number on, it must be typed to retire devices, since that cannot be undone. */
const many = 10

/** The actions on the selected devices. */
export function BulkActions({ ids, devices, onDone }: BulkActionsProps) {
  const { t } = useLingui()
  const [job, setJob] = useState<BulkJob>()
  const [isGrouping, setGrouping] = useState(false)
  const count = ids.length
  const names = new Map(devices.map(({ id, name }) => [id, name]))
  const start = (title: string, change: BulkJob['change']) =>
    setJob({ ids, title, change, refresh: () => fleet.refresh(), nameOf: (id) => names.get(id) })

  const setState = (title: string, state: 'accepted' | 'quarantined') =>
    start(title, (id) => api.maple.put('/api/maple/device', { query: { id }, body: { state } }))

  const putOnHold = async () => {
    const agreed = await confirm({
      title: t`${plural(count, { one: 'Put # device on hold?', other: 'Put # devices on hold?' })}`,
      text: t`Until they are accepted again, nothing that they send is stored, and they get no commands.`,
      action: t`Put on hold`,
    })
    if (agreed) setState(t`Putting devices on hold`, 'quarantined')
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
    start(t`Retiring devices`, (id) => api.maple.delete('/api/maple/device', { query: { id } }))
  }

  return (
    <>
      <button
        type="button"
        className="button"
        onClick={() => setState(t`Accepting devices`, 'accepted')}
      >
        <Check size={16} aria-hidden />
        {t`Accept`}
      </button>
      <button type="button" className="button" onClick={() => void putOnHold()}>
        <Pause size={16} aria-hidden />
        {t`Put on hold…`}
      </button>
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
          onClose={(isComplete) => {
            setJob(undefined)
            if (isComplete) onDone()
          }}
        />
      )}
    </>
  )
}
