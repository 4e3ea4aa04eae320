import type { AppletPreflight } from '@grove/contract/maple/card/applet-operation'
import type { OperationKind } from '@grove/contract/maple/card/applet-operation.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { saveJson } from '../../../../../ui/file/save-json.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import type { ComboboxOption } from '../../../../../ui/kit/combobox-options.ts'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { StateBadge } from '../../../../../ui/text/state-badge.tsx'
import styles from '../../batch/batch.module.css'
import { commandsFormat } from '../../delegation-files.ts'
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
      {items.map(({ cplc, isVirtual, readAt, findings, commands }) => {
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
            {commands.length > 0 && <SaveCommands cplc={cplc} commands={commands} />}
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

/** The commands for which the holder of the card’s token key creates tokens. */
function SaveCommands({ cplc, commands }: Pick<AppletPreflight, 'cplc' | 'commands'>) {
  const { t } = useLingui()
  return (
    <div className="actions">
      <PanelAction
        icon={Download}
        label={t`Save the commands`}
        onAct={() =>
          saveJson({ format: commandsFormat, cplc, commands }, `commands-${icSerial(cplc)}.json`)
        }
      />
    </div>
  )
}
