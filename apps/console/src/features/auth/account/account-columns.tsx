import type { Account } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import type { DataColumn } from '../../../ui/table/types.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { SwitchAccount } from './switch-account.tsx'

export function usePeopleColumns(): DataColumn<Account>[] {
  const { t } = useLingui()
  return [
    {
      id: 'email',
      header: t`Email`,
      isPrimary: true,
      cell: ({ id, email }) => <bdi title={email ?? id}>{email ?? id}</bdi>,
    },
    {
      id: 'name',
      header: t({ message: 'Name', context: 'of a person' }),
      width: '160px',
      isSecondary: true,
      cell: ({ name }) => name ?? <span className="muted">–</span>,
    },
    { id: 'roles', header: t`Roles`, width: '176px', cell: ({ roles }) => roles.join(', ') || '–' },
    {
      id: 'state',
      header: t`State`,
      width: '144px',
      cell: ({ disabledAt }) =>
        disabledAt === null ? (
          <StateBadge kind="good" text={t`Enabled`} />
        ) : (
          <StateBadge kind="ended" text={t`Disabled`} />
        ),
    },
    {
      id: 'createdAt',
      header: t`Opened`,
      width: '192px',
      isSecondary: true,
      cell: ({ createdAt }) => <DateText value={createdAt} />,
    },
    {
      id: 'lastUsedAt',
      header: t`Last used`,
      width: '136px',
      cell: ({ lastUsedAt }) => <DateText value={lastUsedAt} isRelative />,
    },
    {
      id: 'action',
      header: t`Action`,
      width: '128px',
      cell: (account) => <SwitchAccount account={account} />,
    },
  ]
}
