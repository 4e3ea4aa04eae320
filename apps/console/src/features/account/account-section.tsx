import { useId, type ReactNode } from 'react'
import styles from './account-section.module.css'

interface AccountSectionProps {
  title: string
  description?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A section of the page: its description at the side, its actions beside it. */
export function AccountSection({ title, description, action, children }: AccountSectionProps) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {description && <p className="muted">{description}</p>}
        {action}
      </header>
      <div className={styles.body}>{children}</div>
    </section>
  )
}
