import { useLingui } from '@lingui/react/macro'
import { Lock, LockOpen, OctagonX } from 'lucide-react'
import { tooltip } from '../../../../../ui/kit/tooltip.ts'
import { useShortcut } from '../../../../../ui/keyboard/shortcuts.ts'
import { LogSearch } from '../../../base/live/log-search.tsx'
import { LogToggles } from '../../../base/live/log-toggles.tsx'
import type { LogReading } from '../../../base/live/use-log-reading.ts'
import type { ExchangeFilter } from './exchange-filter.ts'
import styles from '../../../base/live/log.module.css'

interface LogToolsProps {
  filter: ExchangeFilter
  onFilter: (filter: ExchangeFilter) => void
  isWrapped: boolean
  onWrapped: (isWrapped: boolean) => void
  reading: LogReading
  /** Undefined if nothing failed. */
  onFirstError: (() => void) | undefined
}

/** Controls of the log: search, filter, and pause. */
export function LogTools(props: LogToolsProps) {
  const { filter, onFilter, isWrapped, onWrapped, reading, onFirstError } = props
  const { t } = useLingui()
  useShortcut({ keys: 'p', label: t`Pause or resume the log` }, reading.togglePause)
  useShortcut(
    { keys: 'f', label: t`First failure` },
    () => onFirstError?.(),
    onFirstError !== undefined,
  )
  return (
    <div className={styles.tools}>
      <LogSearch
        label={t`Search bytes, commands or status words`}
        text={filter.text}
        onChange={(text) => onFilter({ ...filter, text })}
      />
      <button
        type="button"
        className={`button ${styles.toggle}`}
        aria-pressed={filter.isFailedOnly}
        onClick={() => onFilter({ ...filter, isFailedOnly: !filter.isFailedOnly })}
      >
        {t`Failed only`}
      </button>
      <button
        type="button"
        className={`button ${styles.toggle}`}
        aria-pressed={isWrapped}
        {...tooltip(t`The bytes as sent over the transport, with the channel’s protection`)}
        onClick={() => onWrapped(!isWrapped)}
      >
        {isWrapped ? <Lock size={16} aria-hidden /> : <LockOpen size={16} aria-hidden />}
        <span className={styles.label}>{t`Wrapped`}</span>
      </button>
      <button
        type="button"
        className="button"
        aria-disabled={onFirstError === undefined}
        {...tooltip(onFirstError === undefined ? t`Nothing has failed.` : undefined)}
        onClick={onFirstError}
      >
        <OctagonX size={16} aria-hidden />
        <span className={styles.label}>{t`First failure`}</span>
      </button>
      <LogToggles reading={reading} />
    </div>
  )
}
