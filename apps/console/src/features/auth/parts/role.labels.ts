import type { AccountRole } from '@grove/contract/auth/account.rules'
import { useLingui } from '@lingui/react/macro'

/** The roles as people call them; a third-party service's role stays as it is. */
export function useRoleWords(): Record<string, string> {
  const { t } = useLingui()
  return {
    CUSTOMER: t`Customer`,
    DEVELOPER: t`Developer`,
    ADMIN: t`Administrator`,
  } satisfies Record<AccountRole, string>
}
