import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { TimelineEntry } from '@grove/contract/maple/card/timeline'
import type { TimelineKind } from '@grove/contract/maple/card/timeline.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { EventPerson } from '../../../../people/event-person.tsx'
import { Person } from '../../../../people/person.tsx'
import { EventChanges } from '../../../../ui/event/event-changes-table.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { History, historyQuery } from '../../../../ui/history/history.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { useTimelineKinds, useTimelineWords } from './timeline.labels.ts'
import styles from './element.page.module.css'

const path = '/api/maple/se/timeline'
const limit = 20

/** The events of an element and its card, also under its former CPLCs, newest first. */
export function ElementTimeline({ element: { cplc, revision } }: { element: SecureElement }) {
  const { t } = useLingui()
  const kinds = useTimelineKinds()
  const [kind, setKind] = useState<TimelineKind | ''>('')
  const loading = useInfiniteQuery(
    historyQuery(['maple', path, cplc, kind, revision], (cursor, signal) =>
      api.maple.get(path, { query: { cplc, limit, ...(kind && { kind }), ...cursor }, signal }),
    ),
  )
  const entries = loading.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Section title={t`Timeline`}>
      <SelectField<TimelineKind | ''>
        label={t`Show`}
        value={kind}
        words={{ '': t({ message: 'Everything', context: 'in a timeline' }), ...kinds }}
        onChange={setKind}
      />
      <History
        loading={loading}
        isEmpty={entries.length === 0}
        empty={
          <p className="muted">
            <Trans>Nothing yet. An import is recorded as one entry.</Trans>
          </p>
        }
      >
        <ol className={styles.events} aria-label={t`Timeline`}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <Entry entry={entry} />
            </li>
          ))}
        </ol>
      </History>
    </Section>
  )
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const { titleOf, stateOf } = useTimelineWords()
  const { kind, at, by } = entry
  const state = stateOf(entry)
  const head = (
    <>
      {titleOf(entry)} · <DateText value={at} isRelative />
      {state !== undefined && <span className="muted"> · {state}</span>}
    </>
  )
  if (kind === 'event' || kind === 'device')
    return (
      <details>
        <summary>{head}</summary>
        <p className="muted">
          <EventPerson actor={by} />
        </p>
        <EventChanges event={entry} />
      </details>
    )
  return (
    <>
      {head}
      <p className={`muted ${styles.by}`}>
        {by !== null && <Person id={by} />}
        <EntryLink entry={entry} />
      </p>
    </>
  )
}

/** Links to the full details. */
function EntryLink({ entry: { kind, id, programId, sessionId } }: { entry: TimelineEntry }) {
  const { t } = useLingui()
  const [, own = ''] = id.split(' ')
  const run = t({ message: 'Run', context: 'of a program, as a link' })
  return (
    <>
      {programId !== null && kind === 'template' && (
        <Link
          to="/dashboard/maple/templates/$id"
          params={{ id: programId }}
          search={{ run: own }}
          hash="runs"
        >
          {run}
        </Link>
      )}
      {programId !== null && kind === 'script' && (
        <Link
          to="/dashboard/maple/scripts/$id"
          params={{ id: programId }}
          search={{ run: own }}
          hash="runs"
        >
          {run}
        </Link>
      )}
      {sessionId !== null && (
        <Link to="/dashboard/maple/sessions/se/$id" params={{ id: sessionId }}>
          {t`Session`}
        </Link>
      )}
      {kind === 'approval' && (
        <Link to="/dashboard/maple/approvals" search={{ request: own }}>
          {t`Approval`}
        </Link>
      )}
    </>
  )
}
