import type { MapleAccount } from '@grove/contract/maple/access/account'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Person } from '../../../../people/person.tsx'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { accounts, providersQuery, rolesQuery } from './account.api.ts'
import { useValidityWords, ValidityBadge } from './account.labels.tsx'
import { accountList } from './account.search.ts'

const AccountPanel = onDemand(
  () => import('./account.panel.tsx').then((file) => file.AccountPanel),
  'maple-parts',
)
const CreateAccount = onDemand(
  () => import('./account.form.tsx').then((file) => file.CreateAccount),
  'maple-parts',
)
const BulkAccounts = onDemand(
  () => import('./account.bulk.tsx').then((file) => file.BulkAccounts),
  'maple-parts',
)

const bulkActions = (ids: string[], clear: () => void) => <BulkAccounts ids={ids} onDone={clear} />

/** The accounts, and beside them one account or the form for a new one. */
export function AccountList() {
  const { t } = useLingui()
  const words = useValidityWords()
  const columns = useAccountColumns()
  const list = useResourceList(accounts)
  const { data: roles } = useQuery(rolesQuery())
  const { data: providers } = useQuery(providersQuery())
  return (
    <ResourceList
      list={list}
      title={t`Accounts`}
      description={
        <Trans>
          Users of Maple with their roles.{' '}
          <Link to="/dashboard/maple/roles">What each role may do</Link>
        </Trans>
      }
      icon={KeyRound}
      columns={columns}
      rowLabel={({ id }) => id}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} account`, other: `#${more} accounts` })}`
      }
      searchLabel={t`Search by name, email or ID`}
      filters={[
        { name: 'validity', label: t`State`, options: optionsOf(words), isSingle: true },
        {
          name: 'role',
          label: t`Role`,
          options: (roles?.items ?? []).map(({ role }) => ({ value: role, label: role })),
          isSingle: true,
        },
        {
          name: 'serviceId',
          label: t`Service provider`,
          options: (providers?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
          isSingle: true,
        },
      ]}
      empty={{
        title: t`No accounts yet`,
        text: t`An account grants a user roles in Maple, permanently or until a date.`,
      }}
      create={{ label: t`New account`, form: CreateAccount }}
      panel={AccountPanel}
      selectionActions={bulkActions}
      isEditable
    />
  )
}

function useAccountColumns(): DataColumn<MapleAccount>[] {
  const { t } = useLingui()
  return [
    nameColumn(accountList, {
      id: 'id',
      header: t`User`,
      text: ({ id }) => id,
      content: ({ id }) => <Person id={id} isByEmail />,
    }),
    { id: 'roles', header: t`Roles`, cell: ({ roles }) => roles.join(', ') || '–' },
    {
      id: 'serviceId',
      header: t`Service provider`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ serviceId }) => serviceId ?? '–',
    },
    stateColumn(t`State`, ValidityBadge, [
      { expiresAt: null },
      { expiresAt: '2000-01-01T00:00:00Z' },
    ]),
    momentColumn('expiresAt', t`Expires`, { firstOrder: 'asc' }),
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
