import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { infoQuery } from '../../../session/sign-in-methods.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { SearchBox } from '../../../ui/table/search-box.tsx'
import { usePeopleColumns } from './account-columns.tsx'
import { peopleQuery } from './account.api.ts'
import {
  accountStates,
  pageOf,
  peoplePageSize,
  peopleSearch,
  type PeopleSearch,
} from './account.search.ts'

interface PeopleListProps {
  search: PeopleSearch
  onSearch: (change: object) => void
}

/** Every account of the stage, where the service keeps them for us. */
export function PeopleList({ search, onSearch }: PeopleListProps) {
  const { t } = useLingui()
  const columns = usePeopleColumns()
  const { data: service, failureCount } = useQuery(infoQuery)
  const isForeign = service !== undefined && !service.methods?.includes('account')
  const list = useQuery({
    ...peopleQuery(pageOf(search)),
    placeholderData: keepPreviousData,
    enabled: !isForeign && (service !== undefined || failureCount > 0),
  })
  const { q = '', state = '' } = search
  const empty = (
    <EmptyState
      icon={Users}
      title={t`No accounts`}
      text={
        <Trans>
          The authentication service of this stage looks after its accounts itself. Its own pages
          disable and enable them.
        </Trans>
      }
    />
  )
  if (isForeign) return empty
  const stateNames = { enabled: t`Enabled`, disabled: t`Disabled` }

  return (
    <DataTable
      label={t`People`}
      columns={columns}
      rowId={({ id }) => id}
      rowLabel={({ id, email, name }) => email ?? name ?? id}
      list={list}
      view={search}
      onView={onSearch}
      pageSize={peoplePageSize}
      isFiltered={q !== '' || state !== ''}
      onClearFilters={() => onSearch({ q: undefined, state: undefined, cursor: undefined })}
      filters={
        <>
          <SearchBox
            label={t`Search by email or id`}
            value={q}
            onChange={(text) => onSearch({ q: text || undefined, cursor: undefined })}
          />
          <select
            className="select"
            aria-label={t`State`}
            value={state}
            onChange={({ target }) =>
              onSearch({ ...peopleSearch({ state: target.value }), q: search.q, hide: search.hide })
            }
          >
            <option value="">{t`Any state`}</option>
            {accountStates.map((value) => (
              <option key={value} value={value}>
                {stateNames[value]}
              </option>
            ))}
          </select>
        </>
      }
      empty={empty}
    />
  )
}
