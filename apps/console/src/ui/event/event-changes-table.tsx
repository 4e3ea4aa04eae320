import type { Event } from '@grove/contract/core/event'
import { Trans, useLingui } from '@lingui/react/macro'
import styles from './event-changes-table.module.css'
import { changesOf } from './event-changes.ts'

/** The changes of an event, value by value. */
export function EventChanges({
  event: { before, after },
}: {
  event: Pick<Event, 'before' | 'after'>
}) {
  const { t } = useLingui()
  const changes = changesOf(before, after)
  if (changes.length === 0)
    return (
      <p className="muted">
        <Trans>No values were recorded with this event.</Trans>
      </p>
    )
  return (
    <table className={styles.changes} aria-label={t`Values before and after`}>
      <thead>
        <tr>
          <th scope="col">{t`Value`}</th>
          <th scope="col">{t`Before`}</th>
          <th scope="col">{t`After`}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.path}>
            <th scope="row">{change.path || t`Value`}</th>
            <td>{change.before === undefined ? '–' : <del>{change.before}</del>}</td>
            <td>{change.after === undefined ? '–' : <ins>{change.after}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
