import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { useLingui } from '@lingui/react/macro'

/** Why this reader cannot send commands or change the desired state. */
export function useChangeRefusal(twin: Pick<DeviceTwin, 'rights'> | undefined): string | undefined {
  const { t } = useLingui()
  if (!twin || twin.rights.change === null) return undefined
  return twin.rights.change === 'forbidden'
    ? t`Your role can read devices but not send to them.`
    : t`The device is retired.`
}
