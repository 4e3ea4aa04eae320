import { useId, useRef, type ReactNode } from 'react'
import { PartFailure, type Loading } from '../failure/part-failure.tsx'
import styles from './section.module.css'
import { useKeptFocus } from './use-kept-focus.ts'

interface SectionProps {
  /** The section's anchor in the URL. */
  id?: string
  title: string
  description?: ReactNode
  action?: ReactNode
  /** When it changes, the section takes the focus from a control that was removed. */
  focusOn?: unknown
  /** The section's query: if it fails and there is nothing to show, the section says why. */
  loading?: Loading
  children: ReactNode
}

/** A part of a page with its own heading. */
export function Section({
  id: anchor,
  title,
  description,
  action,
  focusOn,
  loading,
  children,
}: SectionProps) {
  const id = useId()
  const part = useRef<HTMLElement>(null)
  useKeptFocus(part, focusOn)
  return (
    <section
      ref={part}
      id={anchor}
      className={styles.section}
      aria-labelledby={id}
      // A link within the page moves the focus here.
      tabIndex={anchor === undefined && focusOn === undefined ? undefined : -1}
    >
      <header className={styles.head}>
        <div>
          <h2 id={id}>{title}</h2>
          {description && <p className="muted">{description}</p>}
        </div>
        {action}
      </header>
      {loading?.error && loading.data === undefined ? <PartFailure {...loading} /> : children}
    </section>
  )
}
