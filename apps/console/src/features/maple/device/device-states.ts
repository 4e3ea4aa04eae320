import type { Device } from '@grove/contract'

type State = Device['state']

/** What a person may make of a state; the server refuses the rest (`transition_refused`). */
const transitions: Record<State, readonly State[]> = {
  pending: ['accepted', 'quarantined', 'retired'],
  accepted: ['quarantined', 'retired'],
  online: ['quarantined', 'retired'],
  offline: ['quarantined', 'retired'],
  quarantined: ['accepted', 'retired'],
  retired: [],
}

/** Why a state cannot be chosen in the form. */
export type Refusal = 'retiredIsFinal' | 'retireInstead' | 'followsConnection' | 'isPast'

/** Undefined when the state can be chosen; the present state always can. */
export function refusalOf(from: State, to: State): Refusal | undefined {
  if (from === to) return undefined
  if (from === 'retired') return 'retiredIsFinal'
  // Final, so that it is asked for by name and not chosen among others.
  if (to === 'retired') return 'retireInstead'
  if (transitions[from].includes(to)) return undefined
  return to === 'online' || to === 'offline' ? 'followsConnection' : 'isPast'
}
