import type { ReactNode } from 'react'
import { HelpTitle } from './help-title.tsx'
import styles from './page-header.module.css'

interface PageHeaderProps {
  title: ReactNode
  /** The state of the item that the page is about. */
  badge?: ReactNode
  description?: ReactNode
  /** The page's one primary action. */
  action?: ReactNode
}

export const PageHeader = ({ title, badge, description, action }: PageHeaderProps) => (
  <header className={styles.header}>
    <div>
      <HelpTitle>
        {title}
        {badge && <span className={styles.badge}>{badge}</span>}
      </HelpTitle>
      {description && <div className={styles.description}>{description}</div>}
    </div>
    {action && <div className="actions">{action}</div>}
  </header>
)
