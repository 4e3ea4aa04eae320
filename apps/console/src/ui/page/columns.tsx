import type { ReactNode } from 'react'
import styles from './columns.module.css'

interface ColumnsProps {
  children: ReactNode
  /** What stands beside the rest, and below it in a narrow window. */
  aside: ReactNode
}

/** The sections of an item’s page. */
export const Columns = ({ children, aside }: ColumnsProps) => (
  <div className={styles.columns}>
    <div>{children}</div>
    <aside>{aside}</aside>
  </div>
)
