import type { MapleAccount } from '@grove/contract/maple/access/account'
import type { AccountValidity } from '@grove/contract/maple/access/account.rules'
import { useLingui } from '@lingui/react/macro'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { validityOf } from './account-validity.ts'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

export function useValidityWords(): Record<AccountValidity, string> {
  const { t } = useLingui()
  return {
    active: t`Active`,
    expiring: t`Expires soon`,
    expired: t({ message: 'Expired', context: 'of an account' }),
  }
}

const kinds: Record<AccountValidity, StateKind> = {
  active: 'good',
  expiring: 'warning',
  expired: 'ended',
}

export function ValidityBadge({ expiresAt }: Pick<MapleAccount, 'expiresAt'>) {
  const words = useValidityWords()
  const validity = validityOf(expiresAt, useMinute())
  // A third-party service may not say when it expires.
  if (expiresAt === '') return '–'
  return <StateBadge kind={kinds[validity]} text={words[validity]} />
}
