import type { AccountRole } from '@grove/contract/auth/account.rules'
import { useLingui } from '@lingui/react/macro'

/** What each role allows. */
export function useRoleHints(): Record<AccountRole, string> {
  const { t } = useLingui()
  return {
    CUSTOMER: t`Uses apps. Has no dashboard.`,
    DEVELOPER: t`Publishes apps, and works with devices where a provider allows it.`,
    ADMIN: t`Sees and changes everything, and manages people.`,
  }
}
