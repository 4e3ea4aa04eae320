import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { Trans, useLingui } from '@lingui/react/macro'
import { ListChecks } from 'lucide-react'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { DataTable } from '../../../../ui/table/data-table.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { EmptyState } from '../../../../ui/text/empty-state.tsx'
import { Person } from '../../../../people/person.tsx'
import { bulkList, bulks } from './bulk.api.ts'
import { BulkStateBadge, everyState, useChangeText, useFilterText } from './bulk.labels.tsx'

const BulkPanel = onDemand(() => import('./bulk.panel.tsx').then((file) => file.BulkPanel))

/** The bulk changes of devices, newest first, and one beside them. */
export function BulkList() {
  const { t } = useLingui()
  const columns = useBulkColumns()
  const changeText = useChangeText()
  const list = useResourceList(bulks)
  usePrefetch(BulkPanel)
  return (
    <>
      <PageHeader
        title={<Trans>Bulk changes</Trans>}
        description={
          <Trans>Changes of all devices of a filter. They can be reverted for 30 days.</Trans>
        }
      />
      <DataTable
        {...list.table}
        label={t`Bulk changes`}
        columns={columns}
        rowLabel={(bulk) => changeText(bulk)}
        empty={
          <EmptyState
            icon={ListChecks}
            title={t`No bulk changes yet`}
            text={t`“Change all matching devices” in the list of devices changes all that a filter finds. Each such change is kept here.`}
          />
        }
      />
      {list.panel && <BulkPanel {...list.panel} />}
    </>
  )
}

function useBulkColumns(): DataColumn<DeviceBulk>[] {
  const { t, i18n } = useLingui()
  const changeText = useChangeText()
  const filterText = useFilterText()
  return [
    nameColumn(bulkList, { id: 'change', header: t`Change`, text: (bulk) => changeText(bulk) }),
    {
      id: 'devices',
      header: t`Devices`,
      align: 'end',
      cell: ({ total }) => (total === null ? '–' : i18n.number(total)),
    },
    stateColumn(t`State`, BulkStateBadge, everyState),
    {
      id: 'filter',
      header: t`Filter`,
      phone: 'hidden',
      cell: (bulk) => <bdi>{filterText(bulk)}</bdi>,
    },
    {
      id: 'createdBy',
      header: t`Who`,
      phone: 'hidden',
      cell: ({ createdBy }) => <Person id={createdBy} />,
    },
    momentColumn('createdAt', t`Started`),
  ]
}
