import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Cpu } from 'lucide-react'
import { DataTable } from '../../../../../components/data-table/data-table.tsx'
import type { ListView } from '../../../../../components/data-table/types.ts'
import { EmptyState } from '../../../../../components/empty-state.tsx'
import { FilterMenu } from '../../../../../components/filter-menu.tsx'
import { PageHeader } from '../../../../../components/page-header.tsx'
import { SearchBox } from '../../../../../components/search-box.tsx'
import { useDeviceColumns } from '../../../../../features/maple/devices/device-columns.tsx'
import { deviceListQuery, deviceSearch } from '../../../../../features/maple/devices/device-list.ts'
import { useDeviceWords } from '../../../../../features/maple/devices/device-words.ts'

export const Route = createFileRoute('/_app/dashboard/maple/devices/')({
  staticData: { title: msg`Devices` },
  validateSearch: deviceSearch,
  loaderDeps: ({ search }) => search,
  // Not awaited: the page shows its frame at once and the table its skeleton.
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(deviceListQuery(deps))
  },
  component: DevicesPage,
})

function DevicesPage() {
  const { t } = useLingui()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const list = useQuery({ ...deviceListQuery(search), placeholderData: keepPreviousData })
  const words = useDeviceWords()
  const columns = useDeviceColumns()
  const { q = '', type = [], state = [] } = search

  const onView = (change: ListView) =>
    void navigate({ search: (now) => deviceSearch({ ...now, ...change }) })
  const filter = (change: { q?: string; type?: string[]; state?: string[] }) =>
    void navigate({ search: (now) => deviceSearch({ ...now, ...change, cursor: undefined }) })

  return (
    <>
      <PageHeader
        title={<Trans>Devices</Trans>}
        description={<Trans>Every device of the fleet with its secure elements.</Trans>}
      />
      <DataTable
        label={t`Devices`}
        columns={columns}
        rowId={(device) => device.id}
        rowLabel={(device) => device.name}
        list={list}
        view={search}
        onView={onView}
        isFiltered={q !== '' || type.length > 0 || state.length > 0}
        onClearFilters={() => filter({ q: '', type: [], state: [] })}
        filters={
          <>
            <SearchBox
              label={t`Search by id, name or CPLC`}
              value={q}
              onChange={(text) => filter({ q: text })}
            />
            <FilterMenu
              label={t`Type`}
              options={words.types}
              selected={type}
              onChange={(values) => filter({ type: values })}
            />
            <FilterMenu
              label={t`State`}
              options={words.states}
              selected={state}
              onChange={(values) => filter({ state: values })}
            />
          </>
        }
        empty={
          <EmptyState
            icon={Cpu}
            title={t`No devices yet`}
            text={t`A device carries secure elements and reports its state here.`}
          />
        }
      />
    </>
  )
}
