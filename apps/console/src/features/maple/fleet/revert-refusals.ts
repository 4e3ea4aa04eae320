import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { useLingui } from '@lingui/react/macro'

/** Why a change cannot be reverted at the moment. */
export function useRevertRefusals(): Record<NonNullable<DeviceBulk['rights']['revert']>, string> {
  const { t } = useLingui()
  return {
    bulk_running: t`The change is not over. Wait until it ends, or cancel it.`,
    bulk_final: t`This is final: a retired or deleted device does not come back. A file can be imported again.`,
    bulk_reverted: t`It is reverted already. A revert that stopped half-way can be continued.`,
    bulk_complete: t`It changed no device.`,
    bulk_expired: t`The former values are kept for 30 days.`,
  }
}
