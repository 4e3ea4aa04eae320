import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import { Tabs } from '../../../ui/kit/tabs.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { DataColumn, ListResult, ListView } from '../../../ui/table/types.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { KitSection } from './sample.tsx'

interface Row {
  id: string
  name: string
  isOnline: boolean
}

const rows: Row[] = ['Turnstile', 'Ticket machine', 'Gate'].map((name, index) => ({
  id: `device-${index + 1}`,
  name,
  isOnline: index !== 1,
}))

const columns = (i18n: I18n): DataColumn<Row>[] => [
  {
    id: 'name',
    header: i18n._(msg`Name`),
    cell: ({ name }) => name,
    isPrimary: true,
  },
  {
    id: 'state',
    header: i18n._(msg`State`),
    cell: ({ isOnline }) => (
      <StateBadge
        kind={isOnline ? 'good' : 'idle'}
        text={i18n._(isOnline ? msg`Online` : msg`Offline`)}
      />
    ),
  },
  { id: 'id', header: i18n._(msg`ID`), cell: ({ id }) => <code>{id}</code> },
]

const selectionActions = (_: string[], clear: () => void) => (
  <button type="button" className="button small" onClick={clear}>
    <Trans>Clear</Trans>
  </button>
)

const idle = { error: null, isFetching: false, isPlaceholderData: false, refetch: () => {} }
const lists = {
  rows: { ...idle, data: { items: rows, next: 'next', previous: null } },
  loading: { ...idle, data: undefined, isFetching: true },
  failed: { ...idle, data: undefined, error: new Error('failed') },
  empty: { ...idle, data: { items: [], next: null, previous: null } },
} satisfies Record<string, ListResult<Row>>

/** A table with rows, and its states without them: one at a time, as on a page. */
export function TableSection() {
  const { t } = useLingui()
  const [state, setState] = useState<keyof typeof lists>('rows')
  const titles = {
    rows: t`With rows`,
    loading: t`Loading`,
    failed: t`Failed`,
    empty: t`Empty`,
  }
  const states = ['rows', 'loading', 'failed', 'empty'] as const
  return (
    <KitSection title={t`Tables`}>
      <Tabs
        label={t`State`}
        tabs={states.map((id) => ({ id, label: titles[id] }))}
        selected={state}
        onSelect={setState}
      >
        <SampleTable key={state} list={lists[state]} />
      </Tabs>
    </KitSection>
  )
}

function SampleTable({ list }: { list: ListResult<Row> }) {
  const { t, i18n } = useLingui()
  const [view, setView] = useState<ListView>({ sort: 'name', order: 'asc' })
  return (
    <DataTable
      name="dev.kit"
      label={t`Devices`}
      columns={columns(i18n)}
      sorts={['name']}
      rowId={({ id }) => id}
      rowLabel={({ name }) => name}
      list={list}
      view={view}
      onView={(change) => setView({ ...view, ...change })}
      pageSize={3}
      isFiltered={false}
      onClearFilters={() => {}}
      selectionActions={selectionActions}
      empty={<EmptyState icon={Smartphone} title={t`No devices`} text={t`Devices appear here.`} />}
    />
  )
}
