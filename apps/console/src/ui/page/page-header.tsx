import type { ReactNode } from 'react'
import styles from './page-header.module.css'

interface PageHeaderProps {
  title: ReactNode
  /** The state of the item that the page shows. */
  badge?: ReactNode
  description?: ReactNode
  /** The page's one primary action. */
  action?: ReactNode
}

export const PageHeader = ({ title, badge, description, action }: PageHeaderProps) => (
  <header className={styles.header}>
    <div>
      <h1>
        {title}
        {badge && <span className={styles.badge}>{badge}</span>}
      </h1>
      {description && <p className="muted">{description}</p>}
    </div>
    {action && <div className="actions">{action}</div>}
  </header>
)
