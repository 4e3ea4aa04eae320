import type { KeySet } from '@grove/contract/maple/card/key'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { isOpenRotation } from '@grove/contract/maple/card/key.rules'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Network, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { onDemand, usePrefetch } from '../../../../../ui/kit/on-demand.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { HsmNotice } from './hsm-notice.tsx'
import { KeyExports } from './key-exports.tsx'
import { KeySetItem } from './key-set-item.tsx'
import { domainsQuery } from '../element.api.ts'
import { keysQuery } from './key.api.ts'
import styles from './key.module.css'
import { RotationView } from './rotation-view.tsx'

const ImportKeys = onDemand(() => import('./import-keys.tsx').then((file) => file.ImportKeys))
const ExportKeys = onDemand(() => import('./export-keys.tsx').then((file) => file.ExportKeys))
const ChangeKeys = onDemand(() => import('./change-keys.tsx').then((file) => file.ChangeKeys))

/** The element's keys that Grove knows: versions and check values, never the keys themselves. */
export function KeySection({ element }: { element: SecureElement }) {
  const { t } = useLingui()
  const { cplc, state } = element
  const loading = useQuery(keysQuery(cplc))
  const { data } = loading
  const { data: domains } = useQuery(domainsQuery(cplc))
  const [open, setOpen] = useState<'import' | 'rotate' | 'first'>()
  usePrefetch(ImportKeys, ChangeKeys, ExportKeys)
  const sets = data?.items ?? []
  const live = sets.filter((set) => set.state === 'active')
  const shown = sets.filter((set) => set.state === 'active' || set.state === 'pending')
  const supplementary = (domains?.items ?? []).filter(({ parent }) => parent !== null)
  const bareDomains = supplementary
    .map(({ aid }) => aid)
    .filter((aid) => !shown.some(({ domain }) => domain === aid))
  const former = sets.filter((set) => !shown.includes(set))
  const isRotating = data?.rotation ? isOpenRotation(data.rotation.step) : false
  const rotateRefusal = isRotating
    ? t`The keys are being changed, or it is unknown which ones the card has.`
    : state === 'blocked'
      ? t`The element is blocked. Clear the block first.`
      : state === 'terminated'
        ? t`The card is terminated: its keys can never be used again.`
        : undefined
  const [exported, setExported] = useState<KeySet>()
  const close = () => setOpen(undefined)
  return (
    <Section
      title={t`Keys`}
      loading={loading}
      action={
        data && (
          <div className="actions">
            {live.length > 0 && (
              <PanelAction
                icon={RefreshCw}
                label={t`Rotate…`}
                refusal={rotateRefusal}
                onAct={() => setOpen('rotate')}
              />
            )}
            {live.length > 0 && bareDomains.length > 0 && (
              <PanelAction
                icon={Network}
                label={t`Give a domain keys…`}
                refusal={rotateRefusal}
                onAct={() => setOpen('first')}
              />
            )}
            <PanelAction icon={KeyRound} label={t`Import keys…`} onAct={() => setOpen('import')} />
          </div>
        )
      }
    >
      {data && (
        <div className={styles.keys}>
          {live.some(({ custody }) => custody === 'hsm') && <HsmNotice code={data.hsmProblem} />}
          {data.rotation && <RotationView key={data.rotation.id} rotation={data.rotation} />}
          {shown.length === 0 && (
            <p className="muted">
              <Trans>
                The keys are unknown. To open a secure channel, import the keys of the card, derive
                them from master keys, or add credentials for SCP11 below.
              </Trans>
            </p>
          )}
          <KeySets sets={shown} isRotating={isRotating} onExport={setExported} />
          <KeyExports cplc={cplc} />
          {former.length > 0 && (
            <details>
              <summary>
                <Plural value={former.length} one="# former key set" other="# former key sets" />
              </summary>
              <KeySets sets={former} isRotating={isRotating} onExport={setExported} />
            </details>
          )}
        </div>
      )}
      {open === 'import' && (
        <ImportKeys cplc={cplc} domains={supplementary.map(({ aid }) => aid)} onClose={close} />
      )}
      {exported && <ExportKeys set={exported} onClose={() => setExported(undefined)} />}
      {(open === 'rotate' || open === 'first') && (
        <ChangeKeys
          cplc={cplc}
          sets={live}
          bareDomains={bareDomains}
          isFirst={open === 'first'}
          onClose={close}
        />
      )}
    </Section>
  )
}

interface KeySetsProps {
  sets: readonly KeySet[]
  isRotating: boolean
  onExport: (set: KeySet) => void
}

function KeySets({ sets, isRotating, onExport }: KeySetsProps) {
  if (sets.length === 0) return null
  return (
    <ul className={styles.sets}>
      {sets.map((set) => (
        <KeySetItem
          key={set.id}
          set={set}
          isRotating={isRotating}
          hasOthers={sets.some(({ domain }) => domain !== null)}
          onExport={() => onExport(set)}
        />
      ))}
    </ul>
  )
}
