import type { ReactNode } from 'react'
import styles from './columns.module.css'

interface ColumnsProps {
  children: ReactNode
  /** Shown beside the rest, or below it in a narrow window. */
  aside: ReactNode
  /** Distinguishes it from the side menu, for screen readers. */
  asideLabel?: string
  /** Shown below the rest, and below the aside in a narrow window. */
  below?: ReactNode
}

/** The sections of an item’s page. */
export const Columns = ({ children, aside, asideLabel, below }: ColumnsProps) => (
  <div className={styles.columns}>
    <div>{children}</div>
    <aside aria-label={asideLabel}>{aside}</aside>
    {below && <div>{below}</div>}
  </div>
)
