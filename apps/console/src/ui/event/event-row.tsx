import type { Event } from '@grove/contract/core/event'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { EventChanges } from './event-changes-table.tsx'
import { DateText } from '../i18n/date-text.tsx'
import styles from './event-row.module.css'

interface EventRowProps {
  event: Pick<Event, 'at' | 'before' | 'after'>
  /** What happened, to what. */
  title: ReactNode
  who: ReactNode
  hasRelativeDate?: boolean
  /** Leaves out what changed. */
  isBrief?: boolean
  children?: ReactNode
}

/** An entry of a history: what happened, when, who did it, and which values changed. */
export function EventRow({
  event,
  title,
  who,
  hasRelativeDate = false,
  isBrief = false,
  children,
}: EventRowProps) {
  const { t } = useLingui()
  const { at, before, after } = event
  return (
    <li className={styles.row} data-relative={hasRelativeDate}>
      <p>{title}</p>
      <span className="muted">
        <DateText value={at} isRelative={hasRelativeDate} />
      </span>
      <span className={`muted ${styles.wide}`}>{who}</span>
      {children}
      {!isBrief && (before !== null || after !== null) && (
        <details className={styles.wide}>
          <summary>{t`What changed`}</summary>
          <EventChanges event={event} />
        </details>
      )}
    </li>
  )
}
