import type { DeviceHandlerFailure } from '@grove/contract/maple/program/device-handler'
import { useLingui } from '@lingui/react/macro'

/** Why a handler gave nothing, in words. */
export function useFailureText(): (failure: DeviceHandlerFailure) => string {
  const { t } = useLingui()
  const limits: Record<string, string> = {
    deadline: t`The handler took too long.`,
    fuel: t`The handler took too many steps. Is there an endless loop?`,
    memory: t`The handler used too much memory.`,
  }
  return ({ name, message, line }) => {
    const limit = limits[name]
    if (limit !== undefined) return limit
    const said = name === '' || name === 'Error' ? message : `${name}: ${message}`
    return line === null ? said : t`Line ${line}: ${said}`
  }
}
