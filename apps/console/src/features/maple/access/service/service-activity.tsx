import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { EventPerson } from '../../../../people/event-person.tsx'
import { api } from '../../../../session/api.ts'
import { shortId, useEventWords } from '../../../../ui/event/event.labels.tsx'
import { EventRow } from '../../../../ui/event/event-row.tsx'
import { History, historyQuery } from '../../../../ui/history/history.tsx'
import styles from './service.module.css'

const pageSize = 25

/** The events of a service provider, newest first. */
export function ServiceActivity({ id }: { id: string }) {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  const loading = useInfiniteQuery(
    historyQuery(['maple', '/api/maple/event', 'service', id], (cursor, signal) =>
      api.maple.get('/api/maple/event', {
        query: { serviceId: id, limit: pageSize, ...cursor },
        signal,
      }),
    ),
  )
  const events = loading.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className={styles.section}>
      <History
        loading={loading}
        isEmpty={events.length === 0}
        empty={
          <p className="muted">
            <Trans>Nothing has happened yet.</Trans>
          </p>
        }
      >
        <ol aria-label={t`Activity`}>
          {events.map((event) => (
            <EventRow
              key={event.id}
              event={event}
              title={
                <>
                  {actionOf(event.action)}{' '}
                  <code title={event.subject}>{shortId(event.subject)}</code>
                </>
              }
              who={<EventPerson actor={event.actor} />}
            />
          ))}
        </ol>
      </History>
    </div>
  )
}
