import type { ElementSession } from '@grove/contract/maple/card/session'
import { storedSessionStates } from '@grove/contract/maple/card/session.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import { Plus, SquareTerminal } from 'lucide-react'
import { DateRange } from '../../../../ui/kit/date-range.tsx'
import { daysOf } from '../../../../ui/kit/day-range.ts'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { momentColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { DataTable } from '../../../../ui/table/data-table.tsx'
import { FilterMenu } from '../../../../ui/table/filter-menu.tsx'
import { FilterRow } from '../../../../ui/table/filter-row.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useAddress } from '../../../../ui/table/use-address.ts'
import { useList } from '../../../../ui/table/use-list.ts'
import { EmptyState } from '../../../../ui/text/empty-state.tsx'
import { FilterChoice } from '../../base/filter-choice.tsx'
import { Person } from '../../../../people/person.tsx'
import { usePeople } from '../../../../people/use-people.ts'
import { deviceOptions, elementOptions, sessionsQuery } from './session.api.ts'
import { SessionStateBadge, useSessionWords } from './session.labels.tsx'
import styles from './session.module.css'
import { isFiltered, noFilters } from './session.query.ts'
import { sessionList, sessionSearch } from './session.search.ts'

const OpenSession = onDemand(() => import('./session.form.tsx').then((file) => file.OpenSession))

/** The sessions of secure elements, newest first. */
export function SessionList() {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(sessionSearch)
  const navigate = useNavigate()
  const words = useSessionWords()
  const columns = useSessionColumns()
  const list = useList({ list: sessionList, query: () => sessionsQuery(search) }, search, onSearch)
  usePrefetch(OpenSession)
  const filter = (change: object) => onSearch({ ...change, cursor: undefined })
  const open = (id: string) =>
    void navigate({ to: '/dashboard/maple/sessions/se/$id', params: { id } })
  const openButton = (className: string) =>
    list.canCreate && (
      <button type="button" className={className} onClick={list.create}>
        <Plus size={16} aria-hidden />
        <Trans>Open a session</Trans>
      </button>
    )
  return (
    <>
      <PageHeader
        title={<Trans>Sessions with secure elements</Trans>}
        description={<Trans>Every command that was sent to an element, and every reply.</Trans>}
        action={openButton('button primary')}
      />
      <DataTable<ElementSession>
        {...list.table}
        label={t`Sessions`}
        columns={columns}
        rowLabel={({ cplc }) => icSerial(cplc)}
        onOpen={({ id }) => open(id)}
        isFiltered={isFiltered(search)}
        filterKey={JSON.stringify({ ...search, cursor: undefined })}
        onClearFilters={() => filter(noFilters)}
        filters={
          <FilterRow isOn={isFiltered(search)} onClear={() => filter(noFilters)}>
            <FilterMenu
              label={t`State`}
              options={storedSessionStates.map((value) => ({ value, label: words.states[value] }))}
              selected={search.state ?? []}
              isSingle
              onChange={(values) => filter({ state: values.length > 0 ? values : undefined })}
            />
            <FilterChoice
              label={t`Element`}
              any={t`any element`}
              value={search.cplc}
              name={search.cplc && icSerial(search.cplc)}
              options={elementOptions}
              onChange={(cplc) => filter({ cplc })}
            />
            <FilterChoice
              label={t`Device`}
              any={t`any device`}
              value={search.device}
              name={list.rows.find(({ deviceId }) => deviceId === search.device)?.deviceName}
              options={deviceOptions}
              onChange={(device) => filter({ device })}
            />
            <OpenedBy
              rows={list.rows}
              value={search.openedBy}
              onChange={(openedBy) => filter({ openedBy })}
            />
            <DateRange
              label={t`Opened`}
              value={daysOf(search)}
              onChange={(days) => filter({ from: days?.from, to: days?.to })}
            />
          </FilterRow>
        }
        empty={
          <EmptyState
            icon={SquareTerminal}
            title={t`No sessions yet`}
            text={t`In a session you send commands to a secure element and see every byte explained. It stays here as a log.`}
            action={openButton('button')}
          />
        }
      />
      {list.isCreating && <OpenSession cplc={search.cplc} onClose={list.close} onCreated={open} />}
    </>
  )
}

interface OpenedByProps {
  rows: readonly ElementSession[]
  value: string | undefined
  onChange: (openedBy: string | undefined) => void
}

/** The reader, and the people whose sessions are listed. */
function OpenedBy({ rows, value, onChange }: OpenedByProps) {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const all = [viewer.userId, value, ...rows.map(({ openedBy }) => openedBy)].filter(
    (id) => typeof id === 'string',
  )
  const people = [...new Set(all)]
  const { nameOf, isViewer } = usePeople(people)
  return (
    <FilterMenu
      label={t`Opened by`}
      options={people.map((id) => ({
        value: id,
        label: isViewer(id)
          ? t({ message: 'me', context: 'sessions opened by' })
          : (nameOf(id) ?? id.slice(0, 12)),
      }))}
      selected={value === undefined ? [] : [value]}
      isSingle
      onChange={([id]) => onChange(id)}
    />
  )
}

function useSessionColumns(): DataColumn<ElementSession>[] {
  const { t, i18n } = useLingui()
  const { purposes, states } = useSessionWords()
  return [
    {
      id: 'element',
      header: t`Element`,
      isPrimary: true,
      cell: ({ id, cplc }) => (
        <Link
          to="/dashboard/maple/sessions/se/$id"
          params={{ id }}
          preload={false}
          prefetch="none"
          title={cplc}
        >
          <code>{icSerial(cplc)}</code>
        </Link>
      ),
    },
    {
      id: 'device',
      header: t`Device`,
      isSecondary: true,
      cell: ({ deviceId, deviceName }) =>
        deviceId === null ? (
          <span className="muted">–</span>
        ) : (
          <Link
            to="/dashboard/maple/devices/$deviceId"
            params={{ deviceId }}
            preload={false}
            prefetch="none"
            title={deviceId}
          >
            <bdi>{deviceName}</bdi>
          </Link>
        ),
    },
    stateColumn(
      t`State`,
      SessionStateBadge,
      (Object.keys(states) as ElementSession['state'][]).map((state) => ({ state })),
    ),
    { id: 'purpose', header: t`Purpose`, cell: ({ purpose }) => purposes[purpose] },
    { id: 'openedBy', header: t`Opened by`, cell: ({ openedBy }) => <Person id={openedBy} /> },
    {
      id: 'exchanges',
      header: t`Exchanges`,
      align: 'end',
      phone: 'hidden',
      cell: ({ exchanges, failed }) => (
        <>
          {i18n.number(exchanges)}
          {failed > 0 && (
            <span className={styles.failed}>
              {' '}
              <Plural value={failed} one="# failed" other="# failed" />
            </span>
          )}
        </>
      ),
    },
    momentColumn('openedAt', t`Opened`),
    {
      id: 'duration',
      header: t`Duration`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ openedAt, endedAt }) =>
        endedAt === null ? (
          <span className="muted">{t({ message: 'open', context: 'duration of a session' })}</span>
        ) : (
          durationText(Date.parse(endedAt) - Date.parse(openedAt))
        ),
    },
  ]
}

/** Minutes and seconds, like a stopwatch. */
function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}
