import type { Event } from '@grove/contract/core/event'
import type { ServiceName } from '@grove/contract/call'
import { Trans, useLingui } from '@lingui/react/macro'
import { ScrollText } from 'lucide-react'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { DateRange } from '../../../ui/kit/date-range.tsx'
import { daysOf } from '../../../ui/kit/day-range.ts'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { nameColumn } from '../../../ui/table/columns.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterMenu } from '../../../ui/table/filter-menu.tsx'
import { SearchBox } from '../../../ui/table/search-box.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { ServiceTabs } from '../parts/service-tabs.tsx'
import { isWithoutThem, useServiceNames } from '../parts/services.ts'
import { eventListQuery } from './event.api.ts'
import { EventPerson } from '../../../people/event-person.tsx'
import { EventSubject } from '../../../people/event-subject.tsx'
import { PersonFilter } from '../../../people/person-filter.tsx'
import { shortId, useEventWords } from '../../../ui/event/event.labels.tsx'
import { eventList, eventSearch, type EventSearch } from './event.search.ts'
import styles from './event.module.css'

const EventPanel = onDemand(() => import('./event.panel.tsx').then((module) => module.EventPanel))

const isFiltered = ({ q, actor, action, partOf, ...search }: EventSearch) =>
  q !== undefined ||
  partOf !== undefined ||
  actor !== undefined ||
  action !== undefined ||
  daysOf(search) !== null

const noFilters = {
  q: undefined,
  actor: undefined,
  action: undefined,
  partOf: undefined,
  from: undefined,
  to: undefined,
}

/** The audit trail of one service, with one event beside it. */
export function EventList() {
  const { search, onSearch } = useAddress(eventSearch)
  return (
    <>
      <PageHeader
        title={<Trans>Audit trail</Trans>}
        description={<Trans>Who changed what and when. Nobody can change an entry.</Trans>}
      />
      <ServiceTabs
        selected={search.service}
        onSelect={(service) =>
          onSearch({
            service,
            action: undefined,
            partOf: undefined,
            cursor: undefined,
            event: undefined,
          })
        }
      >
        <Events key={search.service} />
      </ServiceTabs>
    </>
  )
}

function Events() {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(eventSearch)
  const { service, q = '', actor, action, partOf } = search
  const words = useEventWords()
  const serviceName = useServiceNames()[service]
  const columns = useEventColumns(service)
  const list = useList(
    {
      list: eventList,
      query: () => eventListQuery(search),
      idOf: ({ id }) => String(id),
    },
    search,
    onSearch,
  )
  usePrefetch(EventPanel)
  const filter = (change: object) => onSearch({ ...change, cursor: undefined, event: undefined })
  if (isWithoutThem(list.result.error))
    return (
      <EmptyState
        icon={ScrollText}
        title={t`No audit trail`}
        text={t`The service ${serviceName} of this stage does not show its audit trail.`}
      />
    )
  const actions = list.result.data?.actions ?? []
  const open = list.rows.find(({ id }) => String(id) === search.event)
  return (
    <>
      <DataTable
        {...list.table}
        filterKey={JSON.stringify({ q, actor, action, partOf, from: search.from, to: search.to })}
        isFiltered={isFiltered(search)}
        onClearFilters={() => filter(noFilters)}
        label={t`Audit trail`}
        columns={columns}
        rowLabel={(event) => words.actionOf(event.action)}
        filters={
          <>
            <SearchBox
              label={t`Search by name or email, or the ID of a subject`}
              value={q}
              onChange={(text) =>
                onSearch(
                  { q: text || undefined, cursor: undefined, event: undefined },
                  { isTyping: q !== '' && text !== '' },
                )
              }
            />
            <PersonFilter value={actor} onChange={(id) => filter({ actor: id })} />
            <FilterMenu
              label={t`Action`}
              options={actions.map((value) => ({ value, label: words.actionOf(value) }))}
              selected={action === undefined ? [] : [action]}
              isSingle
              onChange={([chosen]) => filter({ action: chosen })}
            />
            {partOf !== undefined && (
              <FilterMenu
                label={t`Part of`}
                options={[{ value: partOf, label: shortId(partOf) }]}
                selected={[partOf]}
                isSingle
                onChange={([chosen]) => filter({ partOf: chosen })}
              />
            )}
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
            text={t`Every change in this service is recorded here, with who made it, when and from where.`}
          />
        }
      />
      {open && list.panel && <EventPanel service={service} event={open} {...list.panel} />}
    </>
  )
}

function useEventColumns(service: ServiceName): DataColumn<Event>[] {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  return [
    nameColumn(eventList, {
      id: 'action',
      header: t`Action`,
      text: ({ action }) => actionOf(action),
      title: ({ action }) => action,
    }),
    {
      id: 'actor',
      header: t`Who`,
      cell: ({ actor }) => (
        <span className={styles.named}>
          <EventPerson actor={actor} />
        </span>
      ),
    },
    {
      id: 'subject',
      header: t`Subject`,
      cell: (event) => (
        <span className={styles.named}>
          <EventSubject service={service} event={event} />
        </span>
      ),
    },
    {
      id: 'ip',
      header: t`IP address`,
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
