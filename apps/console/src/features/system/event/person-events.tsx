import type { ServiceName } from '@grove/contract/call'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueries } from '@tanstack/react-query'
import { EventSubject } from '../../../people/event-subject.tsx'
import { useEventWords } from '../../../ui/event/event.labels.tsx'
import { PartFailure } from '../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { Rows } from '../../../ui/page/rows.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { isWithoutThem, services, useServiceNames } from '../parts/services.ts'
import { eventsOfPerson } from './event.api.ts'
import { eventSearch } from './event.search.ts'

const shown = 10

/** A person's latest events in every service, newest first. */
export function PersonEvents({ id }: { id: string }) {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  const names = useServiceNames()
  const answers = useQueries({
    queries: services.map((service) => eventsOfPerson(service, id, shown)),
  })
  const events = answers
    .flatMap(({ data }, index) =>
      (data?.items ?? []).map((event) => ({ service: services[index] ?? services[0], event })),
    )
    .toSorted((one, other) => (one.event.at < other.event.at ? 1 : -1))
    .slice(0, shown)
  const failed = answers.filter(({ error }) => error && !isWithoutThem(error))
  const isLoading = answers.some(({ isPending }) => isPending)
  return (
    <Section title={t`Latest activity`}>
      {events.length > 0 && (
        <Rows aria-label={t`Latest activity`}>
          {events.map(({ service, event }) => (
            <li key={`${service} ${event.id}`}>
              <div>
                {actionOf(event.action)} <EventSubject service={service} event={event} />
              </div>
              <span className="muted">
                <DateText value={event.at} isRelative />
              </span>
            </li>
          ))}
        </Rows>
      )}
      {events.length === 0 && isLoading && <div className="skeleton" />}
      {events.length === 0 && !isLoading && failed.length < services.length && (
        <p className="muted">
          <Trans>Nothing is recorded.</Trans>
        </p>
      )}
      {failed.map((answer, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they have no other key
        <PartFailure key={index} {...answer} />
      ))}
      <p>
        <Trans>More in the audit trail:</Trans>{' '}
        {services.map((service: ServiceName, index) => (
          <span key={service}>
            {index > 0 && ' · '}
            <Link
              to="/dashboard/system/events"
              search={eventSearch({ service, actor: id })}
              preload={false}
            >
              {names[service]}
            </Link>
          </span>
        ))}
      </p>
    </Section>
  )
}
