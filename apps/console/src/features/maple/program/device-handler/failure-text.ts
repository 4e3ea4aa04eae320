import type { DeviceHandlerFailure } from '@grove/contract/maple/program/device-handler'
import { useLingui } from '@lingui/react/macro'
import { useProblemText } from '../code/use-code-problem.ts'

/** Why a handler gave no result, in words. */
export function useFailureText(): (failure: DeviceHandlerFailure) => string {
  const { t } = useLingui()
  const problemText = useProblemText()
  const limits: Record<string, string> = {
    deadline: t`The handler took too long.`,
    fuel: t`The handler took too many steps. Is there an endless loop?`,
    memory: t`The handler used too much memory.`,
  }
  return (failure) => limits[failure.name] ?? problemText(failure)
}
