import type { MapleAccount } from '@grove/contract'
import type { AccountValidity } from '@grove/contract/maple/account.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge } from '../../../ui/text/state-badge.tsx'

export function useValidityWords(): Record<AccountValidity, string> {
  const { t } = useLingui()
  return { active: t`Active`, expired: t`Expired` }
}

export function ValidityBadge({ expiresAt }: Pick<MapleAccount, 'expiresAt'>) {
  const words = useValidityWords()
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <StateBadge
      kind={isExpired ? 'ended' : 'good'}
      text={words[isExpired ? 'expired' : 'active']}
    />
  )
}
