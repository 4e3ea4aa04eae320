import type { MapleAccount } from '@grove/contract'
import { accountValidities } from '@grove/contract/maple/account.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { KeyRound, Plus } from 'lucide-react'
import { DateText, LongestRelativeDates } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterBar } from '../../../ui/table/filter-bar.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { accounts } from './account.api.ts'
import { CreateAccount } from './account.form.tsx'
import { useValidityWords, ValidityBadge } from './account.labels.tsx'
import { AccountPanel } from './account.panel.tsx'
import { accountSearch, type AccountSearch } from './account.search.ts'

interface AccountListProps {
  search: AccountSearch
  /** Changes the address; `isTyping` replaces the entry before instead of adding one. */
  onSearch: (change: object, options?: { isTyping?: boolean }) => void
}

const closed = { account: undefined, edit: undefined, create: undefined }

/** The accounts, and beside them one account or the form of a new one. */
export function AccountList({ search, onSearch }: AccountListProps) {
  const { i18n, t } = useLingui()
  const words = useValidityWords()
  const columns = useAccountColumns()
  const list = useList(accounts, search, onSearch)
  const rows = list.result.data?.items ?? []
  const place = rows.findIndex(({ id }) => id === search.account)
  const open = (id: string, isEditing = false) =>
    onSearch({ ...closed, account: id, edit: isEditing || undefined })
  const openAt = (index: number) => {
    const row = place < 0 ? undefined : rows[index]
    return row && (() => open(row.id))
  }
  const close = () => onSearch(closed)
  const createButton = (className: string) => (
    <button
      type="button"
      className={className}
      onClick={() => onSearch({ ...closed, create: true })}
    >
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
        rowId={({ id }) => id}
        rowLabel={({ id }) => id}
        list={list.result}
        openRow={search.account}
        onOpen={({ id }) => open(id)}
        onEdit={({ id }) => open(id, true)}
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
      {search.create ? (
        <CreateAccount onClose={close} onCreated={(id) => open(id)} />
      ) : (
        search.account !== undefined && (
          <AccountPanel
            id={search.account}
            isEditing={search.edit ?? false}
            onEdit={(isEditing) => onSearch({ edit: isEditing || undefined })}
            onPrevious={openAt(place - 1)}
            onNext={openAt(place + 1)}
            onClose={close}
          />
        )
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
        <Link
          to="/dashboard/maple/accounts"
          search={(now) => accountSearch({ ...now, ...closed, account: id })}
          resetScroll={false}
          preload={false}
          prefetch="hover"
          tabIndex={-1}
          title={id}
        >
          <code>{id}</code>
        </Link>
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
