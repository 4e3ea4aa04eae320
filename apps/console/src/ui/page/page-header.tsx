import type { ReactNode } from 'react'
import styles from './page-header.module.css'

interface PageHeaderProps {
  title: ReactNode
  description?: ReactNode
  /** The page's one primary action. */
  action?: ReactNode
}

export const PageHeader = ({ title, description, action }: PageHeaderProps) => (
  <header className={styles.header}>
    <div>
      <h1>{title}</h1>
      {description && <p className="muted">{description}</p>}
    </div>
    {action && <div className={styles.action}>{action}</div>}
  </header>
)
