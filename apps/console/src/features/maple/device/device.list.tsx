import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Cpu } from 'lucide-react'
import type { ReactNode } from 'react'
import { stage } from '../../../session/stage.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { FilterMenu } from '../../../ui/table/filter-menu.tsx'
import { SearchBox } from '../../../ui/table/search-box.tsx'
import { BulkActions } from './bulk/bulk-actions.tsx'
import { useDeviceColumns } from './device-columns.tsx'
import { DeviceCount } from './device-count.tsx'
import { deviceListQuery, refreshDevices } from './device.api.ts'
import {
  defaultPageSize,
  filterOf,
  isFiltered,
  pageOf,
  pageSizes,
  type DeviceSearch,
} from './device.search.ts'
import { useDeviceWords } from './device.labels.tsx'

interface DeviceListProps {
  search: DeviceSearch
  /** Changes the address; `isTyping` takes the place of the entry before instead of adding one. */
  onSearch: (change: object, options?: { isTyping?: boolean }) => void
  createButton: ReactNode
}

export function DeviceList({ search, onSearch, createButton }: DeviceListProps) {
  const { t } = useLingui()
  const client = useQueryClient()
  const words = useDeviceWords()
  const columns = useDeviceColumns()
  const list = useQuery({ ...deviceListQuery(pageOf(search)), placeholderData: keepPreviousData })
  const { q = '', type = [], state = [] } = search
  const filter = (change: object) => onSearch({ ...change, cursor: undefined })

  const bulkActions = (ids: string[], clear: () => void) => (
    <BulkActions ids={ids} devices={list.data?.items ?? []} onDone={clear} />
  )

  return (
    <DataTable
      label={t`Devices`}
      columns={columns}
      rowId={(device) => device.id}
      rowLabel={(device) => device.name}
      list={{ ...list, refetch: () => refreshDevices(client) }}
      view={{ ...search, sort: search.sort ?? 'name' }}
      onView={onSearch}
      filterKey={JSON.stringify(filterOf(search))}
      pageSize={search.limit ?? defaultPageSize}
      pageSizes={pageSizes}
      openRow={search.device}
      onOpen={({ id }) => onSearch({ device: id, edit: undefined, create: undefined })}
      isFiltered={isFiltered(search)}
      onClearFilters={() => filter({ q: undefined, type: undefined, state: undefined })}
      selectionActions={bulkActions}
      filters={
        <>
          <SearchBox
            label={t`Search by id, name, CPLC or serial`}
            value={q}
            onChange={(text) => {
              // The first letter and the clearing are steps to go back to; letters between are not.
              const isTyping = q !== '' && text !== ''
              onSearch({ q: text || undefined, cursor: undefined }, { isTyping })
            }}
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
      summary={
        <DeviceCount filter={filterOf(search)} isTruncated={list.data?.isTruncated ?? false} />
      }
      empty={<NoDevices createButton={createButton} />}
    />
  )
}

const sampleCommand = 'npm run sample -- --devices 20000'

function NoDevices({ createButton }: { createButton: ReactNode }) {
  const { t } = useLingui()
  return (
    <EmptyState
      icon={Cpu}
      title={t`No devices yet`}
      text={
        <Trans>
          A device is a thing in the field, or a virtual one, that carries secure elements. Register
          the first one here; it shows its state and its elements from then on.
        </Trans>
      }
      action={
        <>
          {createButton}
          {stage.stage === 'local' && (
            <p>
              <Trans>
                To look around in a sample fleet, stop the platform and run{' '}
                <code>{sampleCommand}</code>
              </Trans>{' '}
              <CopyButton value={sampleCommand} />
            </p>
          )}
        </>
      }
    />
  )
}
