import type { ReactNode } from 'react'
import { HelpTitle } from '../../../ui/page/help-title.tsx'
import styles from './page-head.module.css'

interface PageHeadProps {
  icon: ReactNode
  title: ReactNode
  description: ReactNode
  action?: ReactNode
}

/** The header of an app's page: its icon, its name and its state. */
export const PageHead = ({ icon, title, description, action }: PageHeadProps) => (
  <header className={styles.head}>
    {icon}
    <div className={styles.words}>
      <HelpTitle>{title}</HelpTitle>
      <p className="muted">{description}</p>
    </div>
    {action}
  </header>
)
