import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { CustodyConsequences } from '../../../access/custody-consequences.tsx'
import styles from '../element.page.module.css'
import { keysQuery, refreshKeys } from './key.api.ts'

/** Requests that the keys move to an HSM, or to the software vault. */
export function HsmSwitch({ element }: { element: SecureElement }) {
  const { t } = useLingui()
  const { hsm, rights, approvals } = element
  const { data } = useQuery(keysQuery(element.cplc))
  const hasKeys = data?.items.some(({ state }) => state === 'active') ?? false
  const lacksHsm = !hsm && data?.hasHsm === false
  const ask = useRequest(element, lacksHsm)
  const refusal = rights.hsm
    ? t`The card is terminated: its keys can never be used again.`
    : approvals.some(({ action }) => action === 'element.hsm')
      ? t`This was requested, and is waiting for approval.`
      : lacksHsm && hasKeys
        ? t`This platform has no HSM. An administrator of the platform has to set one up first.`
        : undefined
  return (
    <PanelAction
      icon={KeyRound}
      label={hsm ? t`Move the keys to software…` : t`Move the keys to an HSM…`}
      refusal={refusal}
      onAct={() => void ask()}
    />
  )
}

function useRequest({ cplc, hsm, revision }: SecureElement, lacksHsm: boolean) {
  const { t } = useLingui()
  // A third-party service has no revisions, and may need no approval.
  const isOwn = (revision as number | undefined) !== undefined
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: hsm ? t`Move the keys to software?` : t`Move the keys to an HSM?`,
        text: (
          <ul className={styles.consequences}>
            {lacksHsm && (
              <li>
                <Trans>
                  This platform has no HSM yet. The card has no keys, so the switch only determines
                  where later ones are kept.
                </Trans>
              </li>
            )}
            <CustodyConsequences isIntoHsm={!hsm} />
            {isOwn && (
              <li>
                <Trans>Two other people must approve it. Nothing changes until then.</Trans>
              </li>
            )}
            <li>
              <Trans>The change is recorded with your name.</Trans>
            </li>
          </ul>
        ),
        action: isOwn ? t`Request approval` : t`Move the keys`,
        isDanger: true,
      },
      change: () =>
        api.maple.post('/api/maple/se/hsm', { body: { cplc, enable: !hsm }, ifMatch: revision }),
      done: () =>
        isOwn ? t`Requested. Two other people must approve it.` : t`The keys are moved.`,
      refresh: refreshKeys,
    })
}
