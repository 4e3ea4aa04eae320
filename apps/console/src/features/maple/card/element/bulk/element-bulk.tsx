import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Check, Play, ScanSearch, Tags } from 'lucide-react'
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

/** The actions on the selected elements. */
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
  const start = (title: string, change: BulkJob['change'], ids = cplcs) =>
    setJob({ ids, title, change, refresh: () => elements.refresh(), nameOf })
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

  const listed = useListedDifferences(rows)
  const differing = cplcs.filter((cplc) => listed.has(cplc))
  const others = count - differing.length
  const acknowledge = async () => {
    const rest =
      others > 0 &&
      t`${plural(others, { one: '# other did not differ.', other: '# others did not differ.' })}`
    const text = t`Marks are removed, and the filter finds only cards that still have one. A card that was found to differ again since this list was read keeps its mark.`
    const agreed = await confirm({
      title: t`${plural(differing.length, { one: 'Have you looked at how # card differed?', other: 'Have you looked at how # cards differed?' })}`,
      text: rest ? `${text} ${rest}` : text,
      action: t`I have looked`,
    })
    if (agreed)
      start(
        t`Removing the marks`,
        (cplc) => {
          const at = listed.get(cplc)
          return api.maple.post('/api/maple/se/card/difference', {
            body: { cplc, ...(at !== undefined && { at }) },
          })
        },
        differing,
      )
  }

  return (
    <>
      {differing.length > 0 && (
        <PanelAction
          icon={Check}
          label={t`I have looked at these…`}
          onAct={() => void acknowledge()}
        />
      )}
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

/**
 * When the cards on the pages shown were found to differ, by CPLC: acknowledging covers these
 * differences, and no later ones.
 */
function useListedDifferences(rows: readonly SecureElement[]): ReadonlyMap<string, string> {
  const [listed, setListed] = useState<ReadonlyMap<string, string>>(() => new Map())
  if (rows.every(({ cplc, difference }) => listed.get(cplc) === difference?.at)) return listed
  const next = new Map(listed)
  for (const { cplc, difference } of rows)
    if (difference) next.set(cplc, difference.at)
    else next.delete(cplc)
  setListed(next)
  return next
}
