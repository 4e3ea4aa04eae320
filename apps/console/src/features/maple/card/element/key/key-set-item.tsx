import type { KeySet } from '@grove/contract/maple/card/key'
import { Trans, useLingui } from '@lingui/react/macro'
import { CircleSlash, Share } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { hexVersion } from '../../hex-version.ts'
import { refreshKeys } from './key.api.ts'
import { KeyStateBadge, useKeyWords } from './key.labels.tsx'
import { OfDomain } from './of-domain.tsx'
import styles from './key.module.css'

interface KeySetItemProps {
  set: KeySet
  isRotating: boolean
  /** Whether the element has keys of domains other than the issuer’s. */
  hasOthers: boolean
  onExport: () => void
}

/** One key set: everything except its keys. */
export function KeySetItem({ set, isRotating, hasOthers, onExport }: KeySetItemProps) {
  const { t } = useLingui()
  const { custodies, origins } = useKeyWords()
  const retire = useRetire(set)
  const { domain, version, protocol, algorithm, keyLength, checkValues, state, custody } = set
  const cipher = algorithm === 'AES' ? `AES-${keyLength * 8}` : '3DES'
  return (
    <li>
      <div>
        <p className={styles.version}>
          <strong>{t`Version ${hexVersion(version)}`}</strong>
          <span>
            {protocol}, {cipher}
          </span>
          <KeyStateBadge state={state} />
        </p>
        {hasOthers && domain === null ? (
          <p>
            <Trans>The issuer’s security domain</Trans>
          </p>
        ) : (
          <OfDomain domain={domain} />
        )}
        <p>
          <abbr title={t`Key check values of ENC, MAC and DEK`}>KCV</abbr>{' '}
          {checkValues ? (
            <code>{checkValues.join(' ')}</code>
          ) : (
            <span className="muted">
              <Trans>each card has its own</Trans>
            </span>
          )}
        </p>
        <p className="muted">
          {custodies[custody]} · {origins(set)} · <Trans>since</Trans>{' '}
          <DateText value={set.createdAt} />
        </p>
      </div>
      <div className="actions">
        {state === 'active' && custody === 'vault' && !set.master && (
          <PanelAction icon={Share} label={t`Export…`} onAct={onExport} />
        )}
        {state !== 'retired' && (
          <PanelAction
            icon={CircleSlash}
            label={t({ message: 'Retire…', context: 'keys' })}
            refusal={
              isRotating
                ? t`The keys are being changed, or it is unknown which ones the card has.`
                : undefined
            }
            onAct={() => void retire()}
          />
        )}
      </div>
    </li>
  )
}

function useRetire({ id, version, state, custody }: KeySet) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const name = hexVersion(version)
  return () =>
    confirmed({
      question: {
        title: t`Retire key version ${name}?`,
        text:
          state === 'active'
            ? t`Grove permanently destroys these keys, but the card keeps them. Unless you have a copy, nobody can open a secure channel with them again.`
            : custody === 'hsm'
              ? t`These keys are permanently destroyed in the HSM. The card has other keys now.`
              : t`Grove permanently destroys these keys. The card has other keys now.`,
        action: t`Retire the keys`,
        isDanger: true,
        ...(state === 'active' && { typeToConfirm: name }),
      },
      change: () => api.maple.delete('/api/maple/se/keys', { query: { id } }),
      done: () => t`The keys are retired.`,
      refresh: refreshKeys,
    })
}
