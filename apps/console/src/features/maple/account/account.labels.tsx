import type { MapleAccount } from '@grove/contract'
import type { AccountValidity } from '@grove/contract/maple/account.rules'
import { useLingui } from '@lingui/react/macro'
import { useMinute } from '../../../ui/i18n/shared-clock.ts'
import { StateBadge } from '../../../ui/text/state-badge.tsx'

export function useValidityWords(): Record<AccountValidity, string> {
  const { t } = useLingui()
  return { active: t`Active`, expired: t({ message: 'Expired', context: 'of an account' }) }
}

export function ValidityBadge({ expiresAt }: Pick<MapleAccount, 'expiresAt'>) {
  const words = useValidityWords()
  const now = useMinute()
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now
  return (
    <StateBadge
      kind={isExpired ? 'ended' : 'good'}
      text={words[isExpired ? 'expired' : 'active']}
    />
  )
}
