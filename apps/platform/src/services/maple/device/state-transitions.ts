import type { Device } from '@grove/contract'
import { ProblemError } from '../../../core/http/problem.ts'

type State = Device['state']

/** What a person may change a state to. Online and offline follow from a device's connection. */
export const stateTransitions: Record<State, readonly State[]> = {
  pending: ['accepted', 'quarantined', 'retired'],
  accepted: ['quarantined', 'retired'],
  online: ['quarantined', 'retired'],
  offline: ['quarantined', 'retired'],
  quarantined: ['accepted', 'retired'],
  retired: [],
}

/** @throws ProblemError `transition_refused` that says what is allowed. */
export function checkTransition(from: State, to: State): void {
  const allowed = stateTransitions[from]
  if (from === to || allowed.includes(to)) return
  throw new ProblemError(
    'transition_refused',
    allowed.length === 0
      ? `A ${from} device stays ${from}.`
      : `A device that is ${from} can become: ${allowed.join(', ')}; not ${to}.`,
  )
}
