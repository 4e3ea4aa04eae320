import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import styles from './filter-bar.module.css'

interface FilterRowProps {
  /** Whether a filter is active. */
  isOn: boolean
  onClear: () => void
  children: ReactNode
}

/** The filters of a list, and the button that clears them. */
export function FilterRow({ isOn, onClear, children }: FilterRowProps) {
  const { t } = useLingui()
  return (
    <div className={styles.filters}>
      {children}
      {isOn && (
        <button type="button" className="button quiet" onClick={onClear}>
          {t`Clear`}
        </button>
      )}
    </div>
  )
}
