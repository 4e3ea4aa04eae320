import type { Account } from '@grove/contract'
import { accountStates } from '@grove/contract/auth/account.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { infoQuery } from '../../../session/session.ts'
import { DateText, LongestRelativeDates } from '../../../ui/i18n/date-text.tsx'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { MenuItem } from '../../../ui/menu/menu-item.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterBar } from '../../../ui/table/filter-bar.tsx'
import { RowLink } from '../../../ui/table/row-link.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { accounts } from './account.api.ts'
import { AccountStateBadge, useAccountWords } from './account.labels.tsx'
import { accountList } from './account.search.ts'
import { nameOf, useSwitchAccount } from './use-switch-account.tsx'

const AccountPanel = onDemand(() =>
  import('./account.panel.tsx').then((module) => module.AccountPanel),
)

/** Every account of the stage, where its own service keeps them, and one of them beside it. */
export function AccountList() {
  const { t } = useLingui()
  const { data: service, failureCount } = useQuery(infoQuery)
  const isForeign = service !== undefined && !service.methods?.includes('account')
  return (
    <>
      <PageHeader
        title={<Trans>People</Trans>}
        description={<Trans>Every account of this stage. A disabled account cannot sign in.</Trans>}
      />
      {isForeign ? (
        <EmptyState
          icon={Users}
          title={t`No accounts`}
          text={t`The authentication service of this stage manages its own accounts. Disable and enable them there.`}
        />
      ) : (
        <Accounts isAsked={service !== undefined || failureCount > 0} />
      )}
    </>
  )
}

function Accounts({ isAsked }: { isAsked: boolean }) {
  const { i18n, t } = useLingui()
  const words = useAccountWords()
  const columns = useAccountColumns()
  const { label, refusal, run } = useSwitchAccount()
  const { search, onSearch } = useAddress(accountList.read)
  const list = useList(accounts, search, onSearch, { isEnabled: isAsked })
  usePrefetch(AccountPanel)
  const rowActions = (account: Account) => (
    <MenuItem disabledReason={refusal(account)} onSelect={() => void run(account)}>
      {label(account)}
    </MenuItem>
  )
  return (
    <>
      <DataTable
        {...list.table}
        label={t`People`}
        columns={columns}
        rowLabel={nameOf}
        rowActions={rowActions}
        totalText={(count, isMore) => {
          const number = i18n.number(count)
          return isMore
            ? t`${number}+ people`
            : t`${plural(count, { one: '# person', other: '# people' })}`
        }}
        filters={
          <FilterBar
            searchLabel={t`Search by email or id`}
            {...list.filterBar([
              {
                name: 'state',
                label: t`State`,
                options: accountStates.map((value) => ({ value, label: words[value] })),
                isSingle: true,
              },
            ])}
          />
        }
        empty={
          <EmptyState icon={Users} title={t`No accounts`} text={t`Nobody has signed up yet.`} />
        }
      />
      {list.panel && <AccountPanel {...list.panel} />}
    </>
  )
}

function useAccountColumns(): DataColumn<Account>[] {
  const { t } = useLingui()
  return [
    {
      id: 'email',
      header: t`Email`,
      isPrimary: true,
      cell: (account) => (
        <RowLink open={accountList.opened(account.id)} title={nameOf(account)}>
          <bdi>{nameOf(account)}</bdi>
        </RowLink>
      ),
    },
    {
      id: 'name',
      header: t({ message: 'Name', context: 'of a person' }),
      isSecondary: true,
      cell: ({ name }) => (name === null ? <span className="muted">–</span> : <bdi>{name}</bdi>),
    },
    { id: 'roles', header: t`Roles`, cell: ({ roles }) => roles.join(', ') || '–' },
    {
      id: 'state',
      header: t`State`,
      phone: 'state',
      sample: [null, ''].map((disabledAt) => (
        <AccountStateBadge key={disabledAt} account={{ disabledAt }} />
      )),
      cell: (account) => <AccountStateBadge account={account} />,
    },
    {
      id: 'createdAt',
      header: t`Created`,
      isSecondary: true,
      phone: 'hidden',
      sample: <DateText value="2026-12-28T20:58:58Z" />,
      cell: ({ createdAt }) => <DateText value={createdAt} />,
    },
    {
      id: 'lastUsedAt',
      header: t`Last used`,
      sample: <LongestRelativeDates />,
      cell: ({ lastUsedAt }) => <DateText value={lastUsedAt} isRelative />,
    },
  ]
}
