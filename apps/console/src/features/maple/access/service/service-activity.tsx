import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { EventPerson } from '../../../../people/event-person.tsx'
import { api } from '../../../../session/api.ts'
import { EventChanges } from '../../../../ui/event/event-changes-table.tsx'
import { shortId, useEventWords } from '../../../../ui/event/event.labels.tsx'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { PanelSkeleton } from '../../../../ui/panel/panel-body.tsx'
import styles from './service.module.css'

const pageSize = 25

/** The events of a service provider, newest first. */
export function ServiceActivity({ id }: { id: string }) {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    {
      queryKey: ['maple', '/api/maple/event', 'service', id],
      queryFn: ({ pageParam, signal }) =>
        api.maple.get('/api/maple/event', {
          query: { serviceId: id, limit: pageSize, ...(pageParam && { cursor: pageParam }) },
          signal,
        }),
      initialPageParam: '',
      getNextPageParam: ({ next }) => next,
    },
  )
  if (data === undefined)
    return error ? <PartFailure error={error} refetch={refetch} /> : <PanelSkeleton />
  const events = data.pages.flatMap(({ items }) => items)
  return (
    <div className={styles.section}>
      {events.length === 0 && (
        <p className="muted">
          <Trans>Nothing has happened yet.</Trans>
        </p>
      )}
      <ol className={styles.events} aria-label={t`Activity`}>
        {events.map((event) => (
          <li key={event.id}>
            <p>
              {actionOf(event.action)} <code title={event.subject}>{shortId(event.subject)}</code>
            </p>
            <p className="muted">
              <DateText value={event.at} /> · <EventPerson actor={event.actor} />
            </p>
            {(event.before !== null || event.after !== null) && (
              <details>
                <summary className="muted">{t`What changed`}</summary>
                <EventChanges event={event} />
              </details>
            )}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <p>
          <button
            type="button"
            className="button"
            aria-disabled={isFetchingNextPage}
            onClick={() => !isFetchingNextPage && void fetchNextPage()}
          >
            <Trans>Show older</Trans>
          </button>
        </p>
      )}
    </div>
  )
}
