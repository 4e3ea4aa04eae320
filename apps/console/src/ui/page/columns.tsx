import type { ReactNode } from 'react'
import styles from './columns.module.css'

interface ColumnsProps {
  children: ReactNode
  /** What stands beside the rest, and below it in a narrow window. */
  aside: ReactNode
  /** Tells it from the side menu, for a screen reader. */
  asideLabel?: string
  /** What stands below the rest, and below the aside in a narrow window. */
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
