import { isSameToken, type Session, withUnknownAge } from './session.ts'
import { REFRESH_SPACING } from './session-times.ts'

// The machine only decides: a pure function from a state and an event to the next state and the
// effects to run. SPEC.md lists the table and the invariants.

interface Held {
  /**
   * Counts sign-ins, sign-outs, adoptions and refreshes; a response from an older epoch is ignored.
   */
  readonly epoch: number
  readonly session: Session
  /** Consecutive temporary failures of the refresh. */
  readonly failures: number
  /** No automatic refresh starts before this time. */
  readonly notBefore: number
}

interface SignedOut {
  readonly status: 'signedOut'
  readonly epoch: number
  /**
   * What ended the session (the service's refusal, a token that does not verify) or the last external
   * sign-in; absent after a sign-out.
   */
  readonly error?: unknown
}

/** The state of a client. `session` is present in every state but `signedOut`. */
export type SessionState =
  | SignedOut
  | (Held & { readonly status: 'signedIn' })
  | (Held & { readonly status: 'expired' })
  | (Held & { readonly status: 'refreshing' })

export type SessionEvent =
  /** A sign-in or a sign-up succeeded. */
  | { readonly type: 'tokenReceived'; readonly session: Session; readonly at: number }
  | { readonly type: 'signOutRequested' }
  /** The token may have expired. */
  | { readonly type: 'timePassed'; readonly at: number }
  /** A call is about to be made. */
  | { readonly type: 'tokenNeeded'; readonly at: number }
  /** A call with this access token was answered with 401. */
  | { readonly type: 'tokenRefused'; readonly accessToken: string; readonly at: number }
  | { readonly type: 'refreshRequested' }
  | {
      readonly type: 'refreshSucceeded'
      readonly epoch: number
      readonly session: Session
      readonly at: number
    }
  /** The service will never accept this refresh token again. */
  | { readonly type: 'refreshRejected'; readonly epoch: number; readonly error: unknown }
  /** The refresh may succeed later. */
  | {
      readonly type: 'refreshFailed'
      readonly epoch: number
      readonly at: number
      /** Seconds, as requested by the service. */
      readonly retryAfter?: number | undefined
    }
  /** This access token is not signed by the service's key, or was issued for someone else. */
  | { readonly type: 'tokenInvalid'; readonly accessToken: string; readonly error: unknown }
  | { readonly type: 'signInFailed'; readonly error: unknown }
  /** The storage differs from this state, or might. */
  | { readonly type: 'storageChanged'; readonly session: Session | null; readonly at: number }
  | { readonly type: 'online' }
  /** The clock shows an earlier time than before. */
  | { readonly type: 'clockSetBack'; readonly at: number }

type Untimed<E> = E extends { at: number } ? Omit<E, 'at'> : E

/** An event that happens now. */
export type NewEvent = Untimed<SessionEvent>

export type SessionEffect =
  | { readonly type: 'store'; readonly session: Session }
  | { readonly type: 'clear' }
  | { readonly type: 'tellSignOut'; readonly session: Session }
  | { readonly type: 'startRefresh'; readonly epoch: number; readonly session: Session }
  | { readonly type: 'stopRefresh' }
  | { readonly type: 'wake'; readonly at: number }

export interface Transition {
  readonly state: SessionState
  readonly effects: readonly SessionEffect[]
}

type Status = SessionState['status']
type EventType = SessionEvent['type']
type StateOf<S extends Status> = Extract<SessionState, { status: S }>
type EventOf<E extends EventType> = Extract<SessionEvent, { type: E }>
type HeldState = Exclude<SessionState, { status: 'signedOut' }>

// A missing cell is a type error.
type TransitionTable = {
  readonly [S in Status]: {
    readonly [E in EventType]: (state: StateOf<S>, event: EventOf<E>) => Transition
  }
}

export const LONGEST_BACKOFF = 60_000

/** The session of a state. */
export const sessionOf = (state: SessionState): Session | null =>
  state.status === 'signedOut' ? null : state.session

const stay = (state: SessionState): Transition => ({ state, effects: [] })

function hold(
  session: Session,
  at: number,
  rest: { epoch: number; failures: number; notBefore: number },
  effects: readonly SessionEffect[] = [],
): Transition {
  return at >= session.expiresAt
    ? { state: { status: 'expired', session, ...rest }, effects }
    : {
        state: { status: 'signedIn', session, ...rest },
        effects: [...effects, { type: 'wake', at: session.expiresAt }],
      }
}

const leave = (
  state: SessionState,
  effects: readonly SessionEffect[],
  reason: { error?: unknown } = {},
): Transition => ({ state: { status: 'signedOut', epoch: state.epoch + 1, ...reason }, effects })

const stopped = (state: SessionState): readonly SessionEffect[] =>
  state.status === 'refreshing' ? [{ type: 'stopRefresh' }] : []

const receive = (state: SessionState, { session, at }: EventOf<'tokenReceived'>): Transition =>
  hold(session, at, { epoch: state.epoch + 1, failures: 0, notBefore: 0 }, [
    ...stopped(state),
    { type: 'store', session },
  ])

// Clear the tokens before calling the service, so a failed call cannot keep them.
const signOut = (state: HeldState): Transition =>
  leave(state, [
    ...stopped(state),
    { type: 'clear' },
    { type: 'tellSignOut', session: state.session },
  ])

const beginRefresh = (state: HeldState): Transition => {
  if (!state.session.token.refreshToken) return stay(state)
  const epoch = state.epoch + 1
  return {
    state: { ...state, status: 'refreshing', epoch },
    effects: [{ type: 'startRefresh', epoch, session: state.session }],
  }
}

const beginRefreshWhenDue = (state: HeldState, at: number): Transition =>
  at >= state.notBefore ? beginRefresh(state) : stay(state)

const expire = (state: HeldState): StateOf<'expired'> => ({ ...state, status: 'expired' })

const refuse = (state: HeldState, event: EventOf<'tokenRefused'>): Transition =>
  state.session.token.accessToken === event.accessToken
    ? beginRefreshWhenDue(state, event.at)
    : stay(state)

const invalidate = (
  state: HeldState,
  { accessToken, error }: EventOf<'tokenInvalid'>,
): Transition =>
  state.session.token.accessToken === accessToken
    ? leave(state, [...stopped(state), { type: 'clear' }], { error })
    : stay(state)

const adopt = (state: SessionState, { session, at }: EventOf<'storageChanged'>): Transition => {
  const held = sessionOf(state)
  if (!session) return held ? leave(state, stopped(state)) : stay(state)
  if (isSameToken(held, session)) return stay(state)
  const rest = { epoch: state.epoch + 1, failures: 0, notBefore: spaced(session) }
  return hold(session, at, rest, stopped(state))
}

const retryAtOnce = (state: HeldState): Transition => stay({ ...state, failures: 0, notBefore: 0 })

// Times computed before the change now lie in the future: no pause and no token may last until then.
const end = (state: HeldState, { at }: EventOf<'clockSetBack'>): Transition => {
  const { session } = state
  const expiresAt = Math.min(session.expiresAt, at)
  return stay({ ...state, notBefore: 0, session: { ...session, expiresAt } })
}

// A short-lived token may be renewed when it expires; a longer one only after the spacing has passed.
const spaced = ({ receivedAt, expiresAt }: Session): number =>
  receivedAt + Math.min(Math.max(expiresAt - receivedAt, 1000), REFRESH_SPACING)

const backoff = (failures: number, retryAfter = 0): number =>
  Math.min(1000 * Math.max(2 ** (failures - 1), retryAfter), LONGEST_BACKOFF)

const still = {
  tokenReceived: receive,
  signOutRequested: stay,
  timePassed: stay,
  tokenNeeded: stay,
  tokenRefused: stay,
  refreshRequested: stay,
  refreshSucceeded: stay,
  refreshRejected: stay,
  refreshFailed: stay,
  tokenInvalid: stay,
  signInFailed: stay,
  storageChanged: adopt,
  online: stay,
  clockSetBack: stay,
}

const held = {
  ...still,
  signOutRequested: signOut,
  tokenInvalid: invalidate,
  online: retryAtOnce,
  clockSetBack: end,
}

const refreshable = { ...held, tokenRefused: refuse, refreshRequested: beginRefresh }

/** Events that are not listed for a state do not change it. */
export const transitions: TransitionTable = {
  signedOut: { ...still, signInFailed: (state, { error }) => stay({ ...state, error }) },
  signedIn: {
    ...refreshable,
    timePassed: (state, { at }) =>
      at >= state.session.expiresAt
        ? stay(expire(state))
        : { state, effects: [{ type: 'wake', at: state.session.expiresAt }] },
    tokenNeeded: (state, { at }) =>
      at >= state.session.expiresAt ? beginRefreshWhenDue(expire(state), at) : stay(state),
    clockSetBack: ({ session, epoch }, { at }) =>
      hold(withUnknownAge(session, at), at, { epoch, failures: 0, notBefore: 0 }),
  },
  expired: { ...refreshable, tokenNeeded: (state, { at }) => beginRefreshWhenDue(state, at) },
  refreshing: {
    ...held,
    refreshSucceeded: (state, { epoch, session, at }) =>
      epoch === state.epoch
        ? hold(session, at, { epoch, failures: 0, notBefore: spaced(session) }, [
            { type: 'store', session },
          ])
        : stay(state),
    refreshRejected: (state, { epoch, error }) =>
      epoch === state.epoch ? leave(state, [{ type: 'clear' }], { error }) : stay(state),
    refreshFailed: (state, { epoch, at, retryAfter }) => {
      if (epoch !== state.epoch) return stay(state)
      const failures = state.failures + 1
      const notBefore = at + backoff(failures, retryAfter)
      return hold(state.session, at, { epoch, failures, notBefore })
    },
  },
}

/** The next state and the effects to run; total over states and events, and pure. */
export function transition(state: SessionState, event: SessionEvent): Transition {
  // The cell at [state.status][event.type] takes exactly this state and this event; the compiler
  // cannot follow two unions at once.
  const cell = transitions[state.status][event.type] as (
    state: SessionState,
    event: SessionEvent,
  ) => Transition
  return cell(state, event)
}

/** The initial state, from the storage. */
export function initialState(session: Session | null, at: number): Transition {
  return session
    ? // However young the stored token is, a 401 for it is worth one refresh.
      hold(session, at, { epoch: 1, failures: 0, notBefore: 0 })
    : stay({ status: 'signedOut', epoch: 0 })
}
