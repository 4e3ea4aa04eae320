import type { Approval } from '@grove/contract/maple/access/approval'
import { approvalStates, isOfElement } from '@grove/contract/maple/access/approval.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { UserCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { DataTable } from '../../../../ui/table/data-table.tsx'
import { FilterMenu } from '../../../../ui/table/filter-menu.tsx'
import { FilterRow } from '../../../../ui/table/filter-row.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { EmptyState } from '../../../../ui/text/empty-state.tsx'
import { Person } from '../../../../people/person.tsx'
import { approvals } from './approval.api.ts'
import { ApprovalStateBadge, useApprovalWords, useAskedText } from './approval.labels.tsx'
import { approvalList } from './approval.search.ts'

const ApprovalPanel = onDemand(() =>
  import('./approval.panel.tsx').then((file) => file.ApprovalPanel),
)

interface ApprovalListProps {
  /** Requests of another service, shown above its own. */
  others?: ReactNode
}

/** Requests for approval, and beside them one request. */
export function ApprovalList({ others }: ApprovalListProps) {
  const { t } = useLingui()
  const words = useApprovalWords()
  const asked = useAskedText()
  const columns = useApprovalColumns()
  const list = useResourceList(approvals)
  usePrefetch(ApprovalPanel)
  const [filter] = list.filterBar([
    { name: 'state', label: t`State`, options: words.options, isSingle: true },
  ]).filters
  return (
    <>
      <PageHeader
        title={<Trans>Approvals</Trans>}
        description={<Trans>Changes that need the approval of other people.</Trans>}
      />
      {others}
      <DataTable<Approval>
        {...list.table}
        label={t`Approvals`}
        columns={columns}
        rowLabel={asked}
        filters={
          filter && (
            <FilterRow isOn={list.table.isFiltered} onClear={list.table.onClearFilters}>
              <FilterMenu
                {...filter}
                onChange={(values) => list.filterBar([]).onFilter('state', values)}
              />
            </FilterRow>
          )
        }
        empty={
          <EmptyState
            icon={UserCheck}
            title={t`No request`}
            text={t`What nobody does alone waits here for other people’s approval: to move or export keys, sign for a card, terminate one, or start a rollout.`}
          />
        }
      />
      {list.panel && <ApprovalPanel {...list.panel} />}
    </>
  )
}

function useApprovalColumns(): DataColumn<Approval>[] {
  const { t } = useLingui()
  const asked = useAskedText()
  return [
    nameColumn<Approval>(approvalList, { id: 'action', header: t`Request`, text: asked }),
    {
      id: 'element',
      header: t`Element`,
      cell: ({ action, subject }) => (isOfElement(action) ? <code>{icSerial(subject)}</code> : '–'),
    },
    stateColumn(
      t`State`,
      ApprovalStateBadge,
      approvalStates.map((state) => ({ state })),
    ),
    {
      id: 'approvals',
      header: t`Approved by`,
      cell: ({ votes, needed }) => {
        const given = votes.filter(({ isApproved }) => isApproved).length
        return t`${given} of ${needed}`
      },
    },
    {
      id: 'requestedBy',
      header: t`Requested by`,
      isSecondary: true,
      cell: ({ requestedBy }) => <Person id={requestedBy} />,
    },
    momentColumn('createdAt', t`Requested`),
    momentColumn('expiresAt', t`Expires`, { isSecondary: true, phone: 'hidden' }),
  ]
}
