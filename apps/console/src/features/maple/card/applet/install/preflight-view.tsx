import type { AppletPreflight } from '@grove/contract/maple/card/applet-operation'
import type { OperationKind } from '@grove/contract/maple/card/applet-operation.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import type { ComboboxOption } from '../../../../../ui/kit/combobox-options.ts'
import { StateBadge } from '../../../../../ui/text/state-badge.tsx'
import styles from '../../batch/batch.module.css'
import { Findings } from './findings.tsx'

interface PreflightViewProps {
  kind: OperationKind
  items: readonly AppletPreflight[]
  chosen: readonly ComboboxOption[]
}

/** What each element would refuse, and why. */
export function PreflightView({ items, chosen }: PreflightViewProps) {
  const { t } = useLingui()
  return (
    <ul className={styles.targets} aria-label={t`What the elements would refuse`}>
      {items.map(({ cplc, isVirtual, readAt, findings }) => {
        const isRefused = findings.some(({ severity }) => severity === 'refused')
        const isDoubtful = findings.some(({ severity }) => severity === 'warning')
        return (
          <li key={cplc}>
            <div className={styles.line}>
              <strong>{chosen.find(({ id }) => id === cplc)?.label ?? cplc}</strong>
              {isRefused ? (
                <StateBadge kind="bad" text={t`Would refuse`} />
              ) : isDoubtful ? (
                <StateBadge kind="warning" text={t`Not certain`} />
              ) : (
                <StateBadge kind="good" text={t`Ready`} />
              )}
            </div>
            <Findings findings={findings} />
            {!isVirtual && readAt && (
              <small className="muted">
                <Trans>
                  As read from the card <DateText value={readAt} />
                </Trans>
              </small>
            )}
          </li>
        )
      })}
    </ul>
  )
}
