import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueries, useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { EventChanges } from '../../../../ui/event/event-changes-table.tsx'
import { useEventWords } from '../../../../ui/event/event.labels.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { mergedEvents } from '../../base/merged-events.ts'
import { EventPerson } from '../../../../people/event-person.tsx'
import { eventsBefore } from './former-events.ts'
import styles from './element.page.module.css'

const limit = 20

const eventsOf = (subject: string) =>
  api.maple.query('/api/maple/event', { query: { subject, limit } })

/** What happened to an element, also under its former CPLCs: the latest first. */
export function ElementTimeline({ element: { cplc, history } }: { element: SecureElement }) {
  const { t } = useLingui()
  const words = useEventWords()
  const loading = useQuery(eventsOf(cplc))
  const { data } = loading
  const former = useQueries({
    queries: history.map(({ cplc: each }) => eventsOf(each)),
  }).flatMap(({ data: page }) => eventsBefore(page?.items ?? []))
  const events = mergedEvents(data?.items ?? [], former, typeof data?.next === 'string')
  return (
    <Section title={t`Timeline`} loading={loading}>
      {data && events.length === 0 ? (
        <p className="muted">
          <Trans>Nothing yet. An import is recorded as one entry.</Trans>
        </p>
      ) : (
        <ol className={styles.events}>
          {events.map((event) => (
            <li key={event.id}>
              <details>
                <summary>
                  {words.actionOf(event.action)} · <DateText value={event.at} isRelative />
                  {event.subject !== cplc && (
                    <span className="muted">
                      {' · '}
                      <Trans>under a former CPLC</Trans>
                    </span>
                  )}
                </summary>
                <p className="muted">
                  <EventPerson actor={event.actor} />
                </p>
                <EventChanges event={event} />
              </details>
            </li>
          ))}
        </ol>
      )}
      <p>
        {data && data.next !== null && <AuditTrail subject={cplc}>{t`All events`}</AuditTrail>}
        {history.map(({ cplc: former }) => (
          <span key={former}>
            {' '}
            <AuditTrail subject={former}>{t`Events under the former CPLC`}</AuditTrail>
          </span>
        ))}
      </p>
    </Section>
  )
}

const AuditTrail = ({ subject, children }: { subject: string; children: string }) => (
  <Link
    to="/dashboard/system/events"
    search={{ service: 'maple', q: subject }}
    preload={false}
    prefetch="none"
  >
    {children}
  </Link>
)
