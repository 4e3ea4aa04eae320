import { DecodeError } from './decode-error.ts'

export type LifeCycleState =
  | 'opReady'
  | 'initialized'
  | 'secured'
  | 'cardLocked'
  | 'terminated'
  | 'installed'
  | 'selectable'
  | 'applicationSpecific'
  | 'personalized'
  | 'locked'
  | 'loaded'
  | 'logicallyDeleted'

/** What has a life cycle. The issuer security domain shares that of the card. */
export type LifeCycleOwner = 'card' | 'application' | 'securityDomain' | 'loadFile'

/**
 * The byte of each state (GlobalPlatform Card Specification 2.3.1, tables 11-3 to 11-6). An
 * application state may have further application-specific bits, and a locked one keeps the bits of
 * the previous state.
 */
const stateBytes: Record<LifeCycleOwner, Partial<Record<LifeCycleState, number>>> = {
  card: { opReady: 0x01, initialized: 0x07, secured: 0x0f, cardLocked: 0x7f, terminated: 0xff },
  application: { installed: 0x03, selectable: 0x07 },
  securityDomain: { installed: 0x03, selectable: 0x07, personalized: 0x0f },
  loadFile: { logicallyDeleted: 0x00, loaded: 0x01 },
}

/** The state that a byte encodes, or undefined if the specification does not define it. */
export function lifeCycleState(owner: LifeCycleOwner, byte: number): LifeCycleState | undefined {
  for (const [state, value] of Object.entries(stateBytes[owner]))
    if (value === byte) return state as LifeCycleState
  if (owner === 'card' || owner === 'loadFile') return undefined
  if ((byte & 0x83) === 0x83) return 'locked'
  return owner === 'application' && (byte & 0x87) === 0x07 ? 'applicationSpecific' : undefined
}

/** The state to which a locked application or security domain returns when unlocked. */
export const stateBeforeLock = (
  owner: 'application' | 'securityDomain',
  byte: number,
): LifeCycleState | undefined =>
  lifeCycleState(owner, byte) === 'locked' ? lifeCycleState(owner, byte & 0x7f) : undefined

/** The byte of a state; a locked one needs the byte of the previous state. */
export function lifeCycleByte(owner: LifeCycleOwner, state: LifeCycleState, before = 0x07): number {
  const byte = stateBytes[owner][state]
  if (byte !== undefined) return byte
  const canLock = owner === 'application' || owner === 'securityDomain'
  if (state === 'locked' && canLock) return before | 0x80
  throw new DecodeError('wrongValue', 0, { expected: owner, found: state })
}

/** The possible next states of each state (GlobalPlatform Card Specification 2.3.1, chapter 5). */
const transitions: Record<LifeCycleOwner, Partial<Record<LifeCycleState, LifeCycleState[]>>> = {
  card: {
    opReady: ['initialized', 'terminated'],
    initialized: ['secured', 'terminated'],
    secured: ['cardLocked', 'terminated'],
    cardLocked: ['secured', 'terminated'],
    terminated: [],
  },
  application: {
    installed: ['selectable', 'locked'],
    selectable: ['applicationSpecific', 'locked'],
    applicationSpecific: ['selectable', 'locked'],
    // Unlocking returns to the state before locking.
    locked: ['installed', 'selectable', 'applicationSpecific'],
  },
  securityDomain: {
    installed: ['selectable', 'locked'],
    selectable: ['personalized', 'locked'],
    personalized: ['locked'],
    locked: ['installed', 'selectable', 'personalized'],
  },
  loadFile: { loaded: ['logicallyDeleted'], logicallyDeleted: [] },
}

/** The possible next states of one, in the order of the life cycle. */
export const nextStates = (
  owner: LifeCycleOwner,
  state: LifeCycleState,
): readonly LifeCycleState[] => transitions[owner][state] ?? []

/** The states of an owner, in the order of the life cycle. */
export const statesOf = (owner: LifeCycleOwner): readonly LifeCycleState[] =>
  Object.keys(transitions[owner]) as LifeCycleState[]
