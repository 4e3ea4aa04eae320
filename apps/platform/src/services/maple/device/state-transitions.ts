import { canBecome, deviceTransitions, type DeviceState } from '@grove/contract/maple/device.rules'
import { ProblemError } from '../../../core/http/problem.ts'

/** @throws ProblemError `transition_refused`, which names the allowed states. */
export function checkTransition(from: DeviceState, to: DeviceState): void {
  if (canBecome(from, to)) return
  const allowed = deviceTransitions[from]
  throw new ProblemError(
    'transition_refused',
    allowed.length === 0
      ? `A ${from} device stays ${from}.`
      : `A device that is ${from} can become: ${allowed.join(', ')}; not ${to}.`,
  )
}
