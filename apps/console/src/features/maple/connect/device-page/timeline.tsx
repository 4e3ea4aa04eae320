import type { Device } from '@grove/contract/maple/fleet/device'
import type { Event } from '@grove/contract/core/event'
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { useEventWords } from '../../../../ui/event/event.labels.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { EventRow } from '../../../../ui/event/event-row.tsx'
import { History, historyQuery } from '../../../../ui/history/history.tsx'
import { cplcsIn } from '../../fleet/device/element/elements-of.ts'
import { mergedEvents } from '../../base/merged-events.ts'
import { EventPerson } from '../../../../people/event-person.tsx'
import { eventsInDevice, formerElements } from './former-elements.ts'

const pageSize = 50
const eventsOf = (subject: string) =>
  api.maple.query('/api/maple/event', { query: { subject, limit: pageSize } })

/** The events of a device, of its elements, and of former elements while it had them, newest first. */
export function DeviceTimeline({ device }: { device: Device }) {
  const { t } = useLingui()
  const loading = useInfiniteQuery(
    historyQuery(
      // Nested under the key of the device's own list, so that a change of the device refetches it.
      ['maple', '/api/maple/device', 'events', device.id, device.revision],
      (cursor, signal) =>
        api.maple.get('/api/maple/event', {
          query: { subject: device.id, limit: pageSize, ...cursor },
          signal,
        }),
    ),
  )
  const elements = useQueries({
    queries: cplcsIn(device).map(eventsOf),
  }).flatMap(({ data: page }) => page?.items ?? [])
  const own = loading.data?.pages.flatMap(({ items }) => items) ?? []
  const left = useQueries({
    queries: formerElements(own, cplcsIn(device)).map(eventsOf),
  }).flatMap(({ data: page }) => eventsInDevice(page?.items ?? [], device.id))
  const events = mergedEvents(own, [...elements, ...left], loading.hasNextPage)

  return (
    <History
      loading={loading}
      isEmpty={events.length === 0}
      empty={
        <p className="muted">
          <Trans>Nothing is recorded. Devices of the sample fleet have no history.</Trans>
        </p>
      }
    >
      <ol aria-label={t`History`}>
        {events.map((event) => (
          <TimelineRow key={event.id} event={event} />
        ))}
      </ol>
    </History>
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
  const { actionOf } = useEventWords()
  return (
    <EventRow
      event={event}
      title={actionOf(event.action)}
      who={
        <>
          <EventPerson actor={event.actor} />
          {event.partOf !== null && <PartOf id={event.partOf} userAgent={event.userAgent} />}
        </>
      }
    />
  )
}
