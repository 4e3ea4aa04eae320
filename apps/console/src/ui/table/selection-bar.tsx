import { Plural, Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import styles from './data-table.module.css'

interface SelectionBarProps {
  count: number
  onClear: () => void
  children: ReactNode
}

/** Takes the toolbar's place while rows are selected. */
export const SelectionBar = ({ count, onClear, children }: SelectionBarProps) => (
  <div className={`${styles.toolbar} ${styles.selection}`}>
    <output>
      <Plural value={count} one="# row selected" other="# rows selected" />
    </output>
    {children}
    <button type="button" className="button quiet" onClick={onClear}>
      <Trans>Clear the selection</Trans>
    </button>
  </div>
)
