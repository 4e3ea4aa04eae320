import type { Account } from '@grove/contract/auth/account-admin'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { infoQuery } from '../../../session/session.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { MenuItem } from '../../../ui/menu/menu-item.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { momentColumn, stateColumn } from '../../../ui/table/columns.tsx'
import {
  optionsOf,
  ResourceList,
  type ResourceListProps,
} from '../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useResourceList } from '../../../ui/table/use-resource-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { accounts } from './account.api.ts'
import { useRoleWords } from '../parts/role.labels.ts'
import { AccountStateBadge, useAccountWords } from './account.labels.tsx'
import { nameOf, useSwitchAccount } from './use-switch-account.tsx'

/** Every account of the stage, if Grove's own service keeps them; each opens on its own page. */
export function AccountList({ create }: Pick<ResourceListProps<Account, never>, 'create'>) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data: service, failureCount } = useQuery(infoQuery)
  const words = useAccountWords()
  const columns = useAccountColumns()
  const { label, refusal, run } = useSwitchAccount()
  const isAsked = service !== undefined || failureCount > 0
  const isForeign = service !== undefined && !service.methods?.includes('account')
  const list = useResourceList(accounts, { isEnabled: isAsked && !isForeign })
  const rowActions = (account: Account) => (
    <MenuItem disabledReason={refusal(account)} onSelect={() => void run(account)}>
      {label(account)}
    </MenuItem>
  )
  const head = {
    title: t`People`,
    description: t`Every account of this stage. A disabled account cannot sign in.`,
  }
  if (isForeign)
    return (
      <>
        <PageHeader {...head} />
        <EmptyState
          icon={Users}
          title={t`No accounts`}
          text={t`The authentication service of this stage manages its own accounts. Disable and enable them there.`}
        />
      </>
    )
  return (
    <ResourceList
      {...head}
      list={list}
      {...(create && { create })}
      icon={Users}
      columns={columns}
      rowLabel={nameOf}
      onOpen={({ id }) =>
        void navigate({ to: '/dashboard/cedar/account/people/$userId', params: { userId: id } })
      }
      rowActions={rowActions}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} person`, other: `#${more} people` })}`
      }
      searchLabel={t`Search by name, email or ID`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
      empty={{ title: t`No accounts`, text: t`Nobody has signed up yet.` }}
    />
  )
}

function useAccountColumns(): DataColumn<Account>[] {
  const { t } = useLingui()
  const words = useRoleWords()
  return [
    {
      id: 'email',
      header: t`Email`,
      isPrimary: true,
      cell: (account) => (
        <Link
          to="/dashboard/cedar/account/people/$userId"
          params={{ userId: account.id }}
          preload={false}
          prefetch="none"
          tabIndex={-1}
          title={nameOf(account)}
        >
          <bdi>{nameOf(account)}</bdi>
        </Link>
      ),
    },
    {
      id: 'name',
      header: t({ message: 'Name', context: 'of a person' }),
      isSecondary: true,
      cell: ({ name }) => (name === null ? <span className="muted">–</span> : <bdi>{name}</bdi>),
    },
    {
      id: 'roles',
      header: t`Role`,
      cell: ({ roles }) => roles.map((role) => words[role] ?? role).join(', ') || '–',
    },
    stateColumn(t`State`, AccountStateBadge, [{ disabledAt: null }, { disabledAt: '' }]),
    {
      id: 'createdAt',
      header: t`Created`,
      isSecondary: true,
      phone: 'hidden',
      sample: <DateText value="2026-12-28T20:58:58Z" />,
      cell: ({ createdAt }) => <DateText value={createdAt} />,
    },
    momentColumn('lastUsedAt', t`Last used`),
  ]
}
