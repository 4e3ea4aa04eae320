import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Play, ScanSearch, Tags } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { confirm } from '../../../../../ui/dialog/confirm.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { BulkDialog, type BulkJob } from '../../../base/bulk/bulk-dialog.tsx'
import { maxChosen } from '../../element-choice/element-options.ts'
import { elements } from '../element.api.ts'
import { AssignProfiles } from './assign-profiles.tsx'
import { ExportChosen } from './export-chosen.tsx'
import { RunOnElements } from './run-on-elements.tsx'

interface ElementBulkProps {
  cplcs: string[]
  /** Those on this page, for the names of their devices. */
  rows: readonly SecureElement[]
  onDone: () => void
}

/** What can be done with the elements selected. */
export function ElementBulk({ cplcs, rows, onDone }: ElementBulkProps) {
  const { t, i18n } = useLingui()
  const [job, setJob] = useState<BulkJob>()
  const [asks, setAsks] = useState<'profile' | 'run'>()
  const count = cplcs.length
  const most = i18n.number(maxChosen)
  const tooMany = count > maxChosen ? t`At most ${most} elements at once: select fewer.` : undefined
  const devices = new Map(rows.map(({ cplc, device }) => [cplc, device?.name]))
  const nameOf = (cplc: string) =>
    [devices.get(cplc), icSerial(cplc)].filter((text) => text !== undefined).join(' · ')
  const start = (title: string, change: BulkJob['change']) =>
    setJob({ ids: cplcs, title, change, refresh: () => elements.refresh(), nameOf })
  const close = () => setAsks(undefined)

  const read = async () => {
    const agreed = await confirm({
      title: t`${plural(count, { one: 'Read # card?', other: 'Read # cards?' })}`,
      text: t`Each is read in a session of its own, with its keys. Nothing on the card is changed.`,
      action: t`Read`,
    })
    if (agreed)
      start(t`Reading cards`, (cplc) =>
        api.maple.post('/api/maple/se/card/read', { body: { cplc } }),
      )
  }

  return (
    <>
      <PanelAction icon={Tags} label={t`Assign a profile…`} onAct={() => setAsks('profile')} />
      <PanelAction
        icon={ScanSearch}
        label={t`Read the cards…`}
        refusal={tooMany}
        onAct={() => void read()}
      />
      <PanelAction
        icon={Play}
        label={t`Install or run…`}
        refusal={tooMany}
        onAct={() => setAsks('run')}
      />
      <ExportChosen cplcs={cplcs} refusal={tooMany} />
      {asks === 'profile' && (
        <AssignProfiles
          count={count}
          onClose={close}
          onChosen={(profileId) => {
            close()
            start(t`Assigning the profile`, (cplc) =>
              api.maple.put('/api/maple/se/profiles', { body: { cplc, profile_id: profileId } }),
            )
          }}
        />
      )}
      {asks === 'run' && (
        <RunOnElements
          elements={cplcs.map((cplc) => ({ id: cplc, label: nameOf(cplc), note: cplc }))}
          onClose={close}
        />
      )}
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
