import type { Device } from '@grove/contract/maple/fleet/device'
import type { Event } from '@grove/contract/core/event'
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { EventChanges } from '../../../../ui/event/event-changes-table.tsx'
import { useEventWords } from '../../../../ui/event/event.labels.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { PanelSkeleton } from '../../../../ui/panel/panel-body.tsx'
import styles from './device.page.module.css'
import { cplcsIn } from '../../fleet/device/element/elements-of.ts'
import { mergedEvents } from '../../base/merged-events.ts'
import { EventPerson } from '../../../../people/event-person.tsx'
import { eventsInDevice, formerElements } from './former-elements.ts'

const pageSize = 50
const eventsOf = (subject: string) =>
  api.maple.query('/api/maple/event', { query: { subject, limit: pageSize } })

/** The events of a device, of its elements, and of former elements while it had them, newest first. */
export function DeviceTimeline({ device }: { device: Device }) {
  const { t, i18n } = useLingui()
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      // Nested under the key of the device's own list, so that a change of the device refetches it.
      queryKey: ['maple', '/api/maple/device', 'events', device.id, device.revision],
      queryFn: ({ pageParam, signal }) =>
        api.maple.get('/api/maple/event', {
          query: { subject: device.id, limit: pageSize, ...(pageParam && { cursor: pageParam }) },
          signal,
        }),
      initialPageParam: '',
      getNextPageParam: ({ next }) => next,
    })
  const elements = useQueries({
    queries: cplcsIn(device).map(eventsOf),
  }).flatMap(({ data: page }) => page?.items ?? [])
  const own = data?.pages.flatMap(({ items }) => items) ?? []
  const left = useQueries({
    queries: formerElements(own, cplcsIn(device)).map(eventsOf),
  }).flatMap(({ data: page }) => eventsInDevice(page?.items ?? [], device.id))
  const events = mergedEvents(own, [...elements, ...left], hasNextPage)

  if (error)
    return (
      <div className="notice">
        <p role="alert">{problemText(error, i18n)}</p>
        <button type="button" className="button" onClick={() => void refetch()}>
          <Trans>Try again</Trans>
        </button>
      </div>
    )
  if (isPending) return <PanelSkeleton />
  return (
    <>
      {events.length === 0 && (
        <p className="muted">
          <Trans>Nothing is recorded. Devices of the sample fleet have no history.</Trans>
        </p>
      )}
      <ol className={styles.list} aria-label={t`History`}>
        {events.map((event) => (
          <TimelineRow key={event.id} event={event} />
        ))}
      </ol>
      {hasNextPage && (
        <button
          type="button"
          className="button"
          aria-disabled={isFetchingNextPage}
          onClick={() => !isFetchingNextPage && void fetchNextPage()}
        >
          <Trans>Show older</Trans>
        </button>
      )}
    </>
  )
}

/** The bulk change that a change of this device is part of. */
function PartOf({ id, userAgent }: { id: string; userAgent: string | null }) {
  return (
    <>
      {' · '}
      {userAgent === 'device.bulk' ? (
        <Link to="/dashboard/maple/changes" search={{ change: id }} preload={false}>
          <Trans>by a bulk change</Trans>
        </Link>
      ) : (
        <Link to="/dashboard/maple/imports" search={{ import: id }} preload={false}>
          <Trans>by an import</Trans>
        </Link>
      )}
    </>
  )
}

function TimelineRow({ event }: { event: Event }) {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  return (
    <li>
      <p>{actionOf(event.action)}</p>
      <span className="muted">
        <DateText value={event.at} />
      </span>
      <span className={`muted ${styles.wide}`}>
        <EventPerson actor={event.actor} />
        {event.partOf !== null && <PartOf id={event.partOf} userAgent={event.userAgent} />}
      </span>
      {(event.before !== null || event.after !== null) && (
        <details className={styles.wide}>
          <summary>{t`What changed`}</summary>
          <EventChanges event={event} />
        </details>
      )}
    </li>
  )
}
