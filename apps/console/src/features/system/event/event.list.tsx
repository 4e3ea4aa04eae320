import type { Event, ServiceName } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { ScrollText } from 'lucide-react'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { DateRange } from '../../../ui/kit/date-range.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterMenu } from '../../../ui/table/filter-menu.tsx'
import { SearchBox } from '../../../ui/table/search-box.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { ServiceTabs } from '../parts/service-tabs.tsx'
import { isWithoutThem, useServiceNames } from '../parts/services.ts'
import { eventListQuery } from './event.api.ts'
import { EventActor, EventSubject, useEventWords } from './event.labels.tsx'
import { EventPanel } from './event.panel.tsx'
import {
  daysOf,
  eventList,
  eventPage,
  eventSearch,
  isFiltered,
  type EventSearch,
} from './event.search.ts'

interface EventListProps {
  search: EventSearch
  onSearch: (change: object, options?: { isTyping?: boolean }) => void
}

const noFilters = { q: undefined, action: undefined, from: undefined, to: undefined }

/** The audit trail of one service, and one event beside it. */
export function EventList({ search, onSearch }: EventListProps) {
  return (
    <>
      <PageHeader
        title={<Trans>Audit trail</Trans>}
        description={<Trans>Who changed what and when. Nobody can change an entry.</Trans>}
      />
      <ServiceTabs
        selected={search.service}
        onSelect={(service) =>
          onSearch({ service, action: undefined, cursor: undefined, event: undefined })
        }
      >
        <Events key={search.service} search={search} onSearch={onSearch} />
      </ServiceTabs>
    </>
  )
}

function Events({ search, onSearch }: EventListProps) {
  const { t } = useLingui()
  const { service, q = '', action } = search
  const words = useEventWords()
  const serviceName = useServiceNames()[service]
  const columns = useEventColumns(service)
  const list = useList(
    { list: eventList, query: () => eventListQuery(service, eventPage(search)) },
    search,
    onSearch,
  )
  const filter = (change: object) => onSearch({ ...change, cursor: undefined, event: undefined })
  if (isWithoutThem(list.result.error))
    return (
      <EmptyState
        icon={ScrollText}
        title={t`No audit trail`}
        text={t`The service ${serviceName} of this stage does not show its audit trail.`}
      />
    )
  const rows = list.result.data?.items ?? []
  const actions = list.result.data?.actions ?? []
  const place = rows.findIndex(({ id }) => String(id) === search.event)
  const open = rows[place]
  const openAt = (index: number) => {
    const row = place < 0 ? undefined : rows[index]
    return row && (() => onSearch({ event: String(row.id) }))
  }
  return (
    <>
      <DataTable
        {...list.table}
        filterKey={JSON.stringify({ q, action, from: search.from, to: search.to })}
        isFiltered={isFiltered(search)}
        onClearFilters={() => filter(noFilters)}
        label={t`Audit trail`}
        columns={columns}
        rowId={({ id }) => String(id)}
        rowLabel={(event) => words.actionOf(event.action)}
        list={list.result}
        openRow={search.event}
        onOpen={({ id }) => onSearch({ event: String(id) })}
        filters={
          <>
            <SearchBox
              label={t`Search by the id of a person or a subject`}
              value={q}
              onChange={(text) =>
                onSearch(
                  { q: text || undefined, cursor: undefined, event: undefined },
                  { isTyping: q !== '' && text !== '' },
                )
              }
            />
            <FilterMenu
              label={t`Action`}
              options={actions.map((value) => ({ value, label: words.actionOf(value) }))}
              selected={action === undefined ? [] : [action]}
              isSingle
              onChange={([chosen]) => filter({ action: chosen })}
            />
            <DateRange
              label={t`When`}
              value={daysOf(search)}
              onChange={(days) => filter({ from: days?.from, to: days?.to })}
            />
          </>
        }
        empty={
          <EmptyState
            icon={ScrollText}
            title={t`Nothing has happened yet`}
            text={t`Every change of this service is written here, with who made it, when and from where.`}
          />
        }
      />
      {open && (
        <EventPanel
          service={service}
          event={open}
          onPrevious={openAt(place - 1)}
          onNext={openAt(place + 1)}
          onClose={() => onSearch({ event: undefined })}
        />
      )}
    </>
  )
}

function useEventColumns(service: ServiceName): DataColumn<Event>[] {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  return [
    {
      id: 'action',
      header: t`Action`,
      isPrimary: true,
      cell: ({ id, action }) => (
        <Link
          to="/dashboard/system/events"
          search={(now) => eventSearch({ ...now, event: String(id) })}
          resetScroll={false}
          preload={false}
          prefetch="hover"
          tabIndex={-1}
          title={action}
        >
          {actionOf(action)}
        </Link>
      ),
    },
    { id: 'actor', header: t`Who`, cell: ({ actor }) => <EventActor actor={actor} /> },
    {
      id: 'subject',
      header: t`Subject`,
      cell: (event) => <EventSubject service={service} event={event} />,
    },
    {
      id: 'ip',
      header: t`Address`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ ip }) => ip || <span className="muted">–</span>,
    },
    {
      id: 'at',
      header: t`When`,
      sample: <DateText value="2026-12-28T20:58:58Z" />,
      cell: ({ at }) => <DateText value={at} />,
    },
  ]
}
