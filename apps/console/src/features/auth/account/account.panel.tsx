import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { accounts } from './account.api.ts'
import { AccountStateBadge } from './account.labels.tsx'
import { nameOf, useSwitchAccount } from './use-switch-account.tsx'

/** One account: its details, and the way to disable it. */
export function AccountPanel(panel: OpenItem) {
  const { t } = useLingui()
  const { label, refusal, run } = useSwitchAccount()
  const orDash = (value: ReactNode) => value || <span className="muted">–</span>
  return (
    <ItemPanel
      {...panel}
      query={accounts.one(panel.id)}
      title={nameOf}
      missing={t`There is no account with this ID.`}
      renderActions={(account) => (
        <PanelAction
          label={label(account)}
          refusal={refusal(account)}
          onAct={() => void run(account)}
        />
      )}
    >
      {(account) => (
        <PanelFacts
          facts={[
            [t`State`, <AccountStateBadge key="state" disabledAt={account.disabledAt} />],
            [t`Roles`, orDash(account.roles.join(', '))],
            [
              t({ message: 'Name', context: 'of a person' }),
              orDash(account.name && <bdi>{account.name}</bdi>),
            ],
            [t`Email`, orDash(account.email && <bdi>{account.email}</bdi>)],
            [t`Email confirmed`, <DateText key="verified" value={account.emailVerifiedAt} />],
            [t`Created`, <DateText key="created" value={account.createdAt} />],
            [t`Last used`, <DateText key="used" value={account.lastUsedAt} />],
            ...(account.disabledAt === null
              ? []
              : [[t`Disabled`, <DateText key="disabled" value={account.disabledAt} />] as const]),
          ]}
        />
      )}
    </ItemPanel>
  )
}
