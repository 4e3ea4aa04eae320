import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import { deviceSessionStates } from '@grove/contract/maple/connect/device-session.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { RadioTower } from 'lucide-react'
import { DateRange } from '../../../../ui/kit/date-range.tsx'
import { daysOf } from '../../../../ui/kit/day-range.ts'
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
import { deviceOptions, deviceSessionsQuery } from './device-session.api.ts'
import { DeviceSessionBadge, useDeviceSessionWords } from './device-session.labels.tsx'
import {
  deviceSessionList,
  deviceSessionSearch,
  isFiltered,
  noFilters,
} from './device-session.search.ts'

/** The connections of devices, newest first. */
export function DeviceSessionList() {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(deviceSessionSearch)
  const navigate = useNavigate()
  const words = useDeviceSessionWords()
  const columns = useColumns()
  const list = useList(
    { list: deviceSessionList, query: () => deviceSessionsQuery(search) },
    search,
    onSearch,
  )
  const filter = (change: object) => onSearch({ ...change, cursor: undefined })
  const { device } = search
  const deviceName = list.rows.find(({ deviceId }) => deviceId === device)?.deviceName
  return (
    <>
      <PageHeader
        title={<Trans>Sessions of devices</Trans>}
        description={<Trans>Every connection of a device, and its messages.</Trans>}
      />
      <DataTable<DeviceSession>
        {...list.table}
        label={t`Sessions`}
        columns={columns}
        rowLabel={({ deviceName }) => deviceName}
        onOpen={({ id }) =>
          void navigate({ to: '/dashboard/maple/sessions/device/$id', params: { id } })
        }
        isFiltered={isFiltered(search)}
        filterKey={JSON.stringify({ ...search, cursor: undefined })}
        onClearFilters={() => filter(noFilters)}
        filters={
          <FilterRow isOn={isFiltered(search)} onClear={() => filter(noFilters)}>
            <FilterMenu
              label={t`State`}
              options={deviceSessionStates.map((value) => ({ value, label: words.states[value] }))}
              selected={search.state ?? []}
              isSingle
              onChange={(values) => filter({ state: values.length > 0 ? values : undefined })}
            />
            <FilterChoice
              label={t`Device`}
              any={t`any device`}
              value={device}
              name={deviceName}
              options={deviceOptions}
              onChange={(next) => filter({ device: next })}
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
            icon={RadioTower}
            title={t`No device has connected yet`}
            text={t`Create a secret on the page of a device, or a claim code, and start the device with it.`}
            action={null}
          />
        }
      />
    </>
  )
}

function useColumns(): DataColumn<DeviceSession>[] {
  const { t, i18n } = useLingui()
  const { states, ends } = useDeviceSessionWords()
  return [
    {
      id: 'device',
      header: t`Device`,
      isPrimary: true,
      cell: ({ id, deviceId, deviceName }) => (
        <Link
          to="/dashboard/maple/sessions/device/$id"
          params={{ id }}
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
      DeviceSessionBadge,
      (Object.keys(states) as DeviceSession['state'][]).map((state) => ({ state })),
    ),
    {
      id: 'from',
      header: t({ message: 'From', context: 'an address' }),
      isSecondary: true,
      phone: 'hidden',
      cell: ({ ip, protocol }) => (
        <>
          <bdi>{ip}</bdi> <span className="muted">{protocol}</span>
        </>
      ),
    },
    {
      id: 'agent',
      header: t`Program`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ agent }) => <bdi>{agent ?? '–'}</bdi>,
    },
    {
      id: 'messages',
      header: t`Messages`,
      align: 'end',
      phone: 'hidden',
      cell: ({ messages }) => i18n.number(messages),
    },
    momentColumn('openedAt', t`Opened`),
    momentColumn('endedAt', t`Ended`, { isSecondary: true, phone: 'hidden' }),
    {
      id: 'reason',
      header: t`Why it ended`,
      cell: ({ endReason }) =>
        endReason === null ? <span className="muted">–</span> : ends[endReason],
    },
  ]
}
