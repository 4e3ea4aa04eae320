import { useId, type ReactNode } from 'react'
import styles from './section.module.css'

interface SectionProps {
  /** The anchor of the section in the page's address. */
  id?: string
  title: string
  description?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A part of a page with a heading of its own. */
export function Section({ id: anchor, title, description, action, children }: SectionProps) {
  const id = useId()
  return (
    <section
      id={anchor}
      className={styles.section}
      aria-labelledby={id}
      // A link within the page moves the focus here.
      tabIndex={anchor === undefined ? undefined : -1}
    >
      <header className={styles.head}>
        <div>
          <h2 id={id}>{title}</h2>
          {description && <p className="muted">{description}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}
