import type { Event } from '@grove/contract/core/event'
import type { ServiceName } from '@grove/contract/call'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import type { OpenItem } from '../../../ui/panel/item-panel.tsx'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { EventChanges } from '../../../ui/event/event-changes-table.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { EventPerson } from '../../../people/event-person.tsx'
import { EventSubject } from '../../../people/event-subject.tsx'
import { useEventWords } from '../../../ui/event/event.labels.tsx'
import styles from './event.module.css'
import { eventSearch } from './event.search.ts'

interface EventPanelProps extends OpenItem {
  service: ServiceName
  event: Event
}

/** One event: who did what to what, from where, and what changed. */
export function EventPanel({ service, event, onPrevious, onNext, onClose }: EventPanelProps) {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  const orDash = (value: string | null) => value || <span className="muted">–</span>
  return (
    <SidePanel
      onPrevious={onPrevious}
      onNext={onNext}
      onClose={onClose}
      title={actionOf(event.action)}
      subtitle={<code>{event.action}</code>}
      mode="details"
    >
      <div className={styles.details}>
        <PanelFacts
          facts={[
            [t`When`, <DateText key="at" value={event.at} />],
            [t`Who`, <EventPerson key="actor" actor={event.actor} isCopyable />],
            [t`Subject`, <EventSubject key="subject" service={service} event={event} />],
            [t`Subject ID`, <CopyableId key="id" value={event.subject} />],
            [t`IP address`, orDash(event.ip)],
            [
              t`Browser`,
              <span key="agent" className={styles.agent}>
                {orDash(event.userAgent)}
              </span>,
            ],
            [
              t`Request`,
              event.requestId ? <CopyableId key="request" value={event.requestId} /> : orDash(null),
            ],
          ]}
        />
        {event.partOf !== null && (
          <p>
            <Link
              to="/dashboard/system/events"
              search={eventSearch({ service, q: event.partOf })}
              preload={false}
            >
              <Trans>The change of many that this is part of</Trans>
            </Link>
          </p>
        )}
        {/^device(_bulk|\.import)/.test(event.action) && (
          <p>
            <Link
              to="/dashboard/system/events"
              search={eventSearch({ service, partOf: event.subject })}
              preload={false}
            >
              <Trans>Each change of a device in it</Trans>
            </Link>
          </p>
        )}
        <p>
          <Link
            to="/dashboard/system/events"
            search={eventSearch({ service, q: event.subject })}
            preload={false}
          >
            <Trans>All events of this subject</Trans>
          </Link>
        </p>
        <EventChanges event={event} />
      </div>
    </SidePanel>
  )
}
