import type { MapleAccount } from '@grove/contract'
import { accountValidities } from '@grove/contract/maple/account.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { KeyRound, Plus } from 'lucide-react'
import { DateText, LongestRelativeDates } from '../../../ui/i18n/date-text.tsx'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterBar } from '../../../ui/table/filter-bar.tsx'
import { RowLink } from '../../../ui/table/row-link.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { accounts } from './account.api.ts'
import { useValidityWords, ValidityBadge } from './account.labels.tsx'
import { accountList } from './account.search.ts'

const AccountPanel = onDemand(() =>
  import('./account.panel.tsx').then((module) => module.AccountPanel),
)
const CreateAccount = onDemand(() =>
  import('./account.form.tsx').then((module) => module.CreateAccount),
)

/** The accounts, and beside them one account or the form of a new one. */
export function AccountList() {
  const { i18n, t } = useLingui()
  const words = useValidityWords()
  const columns = useAccountColumns()
  const { search, onSearch } = useAddress(accountList.read)
  const list = useList(accounts, search, onSearch)
  usePrefetch(AccountPanel, CreateAccount)
  const createButton = (className: string) => (
    <button type="button" className={className} onClick={list.create}>
      <Plus size={16} aria-hidden />
      <Trans>Register an account</Trans>
    </button>
  )
  return (
    <>
      <PageHeader
        title={<Trans>Accounts</Trans>}
        description={<Trans>Users of Maple with their roles.</Trans>}
        action={createButton('button primary')}
      />
      <DataTable
        {...list.table}
        label={t`Accounts`}
        columns={columns}
        rowLabel={({ id }) => id}
        onEdit={({ id }) => list.open(id, true)}
        totalText={(count, isMore) => {
          const number = i18n.number(count)
          return isMore
            ? t`${number}+ accounts`
            : t`${plural(count, { one: '# account', other: '# accounts' })}`
        }}
        filters={
          <FilterBar
            searchLabel={t`Search by id`}
            {...list.filterBar([
              {
                name: 'validity',
                label: t`State`,
                options: accountValidities.map((value) => ({ value, label: words[value] })),
                isSingle: true,
              },
            ])}
          />
        }
        empty={
          <EmptyState
            icon={KeyRound}
            title={t`No accounts yet`}
            text={t`An account gives a user roles in Maple, for good or until a date.`}
            action={createButton('button')}
          />
        }
      />
      {list.isCreating ? (
        <CreateAccount onClose={list.close} onCreated={list.open} />
      ) : (
        list.panel && <AccountPanel {...list.panel} />
      )}
    </>
  )
}

function useAccountColumns(): DataColumn<MapleAccount>[] {
  const { t } = useLingui()
  return [
    {
      id: 'id',
      header: t`User id`,
      sort: 'id',
      isPrimary: true,
      cell: ({ id }) => (
        <RowLink open={accountList.opened(id)} title={id}>
          <code>{id}</code>
        </RowLink>
      ),
    },
    { id: 'roles', header: t`Roles`, cell: ({ roles }) => roles.join(', ') || '–' },
    {
      id: 'validity',
      header: t`State`,
      phone: 'state',
      sample: [null, '2000-01-01T00:00:00Z'].map((expiresAt) => (
        <ValidityBadge key={expiresAt} expiresAt={expiresAt} />
      )),
      cell: ({ expiresAt }) => <ValidityBadge expiresAt={expiresAt} />,
    },
    {
      id: 'expiresAt',
      header: t`Expires`,
      sort: 'expiresAt',
      sample: <LongestRelativeDates />,
      cell: ({ expiresAt }) => <DateText value={expiresAt} isRelative />,
    },
    {
      id: 'createdAt',
      header: t`Created`,
      sort: 'createdAt',
      firstOrder: 'desc',
      isSecondary: true,
      phone: 'hidden',
      sample: <LongestRelativeDates />,
      cell: ({ createdAt }) => <DateText value={createdAt} isRelative />,
    },
  ]
}
