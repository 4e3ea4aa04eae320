import type { Account } from '@grove/contract/auth/account-admin'
import type { AccountState } from '@grove/contract/auth/account.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge } from '../../../ui/text/state-badge.tsx'

export function useAccountWords(): Record<AccountState, string> {
  const { t } = useLingui()
  return { enabled: t`Enabled`, disabled: t`Disabled` }
}

export function AccountStateBadge({ disabledAt }: Pick<Account, 'disabledAt'>) {
  const words = useAccountWords()
  return disabledAt === null ? (
    <StateBadge kind="good" text={words.enabled} />
  ) : (
    <StateBadge kind="ended" text={words.disabled} />
  )
}
