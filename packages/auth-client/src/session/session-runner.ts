import { LONGEST_DELAY } from '../longest-delay.ts'
import {
  initialState,
  type NewEvent,
  transition,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
} from './machine.ts'
import { type RefreshOptions, runRefresh } from './run-refresh.ts'
import type { Session } from './session.ts'
import { CLOCK_JITTER } from './session-times.ts'

type EffectOf<T> = Extract<SessionEffect, { type: T }>

type Listener = (state: SessionState) => void

export interface SessionRunner {
  readonly getState: () => SessionState
  readonly subscribe: (listener: Listener) => () => void
  readonly dispatch: (event: NewEvent) => void
  /** Adopts what another tab stored, and detects a clock that was set back. */
  readonly sync: () => void
  /** Resolves when the running refresh, if any, is done; never rejects. */
  readonly settled: () => Promise<void>
  readonly close: () => void
}

export interface SessionRunnerOptions extends Omit<RefreshOptions, 'dispatch'> {
  tellSignOut(session: Session): void
}

/** Holds the state and runs the effects that the machine requests. */
export function createSessionRunner(options: SessionRunnerOptions): SessionRunner {
  const { store, clock, report } = options
  const listeners = new Set<Listener>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: { abort: AbortController; ended: Promise<void> } | null = null
  let closed = false
  let lastSeen: number
  let state: SessionState | undefined

  // Reads the clock and the storage on first use: a server-side renderer must do neither.
  function getState(): SessionState {
    if (!state) {
      lastSeen = clock()
      const start = initialState(store.read(lastSeen), lastSeen)
      state = start.state
      start.effects.forEach(run)
    }
    return state
  }

  function dispatch(event: NewEvent): void {
    const before = getState()
    const next = transition(before, { at: clock(), ...event } as SessionEvent)
    const changed = next.state !== before
    state = next.state
    next.effects.forEach(run)
    if (changed) queueMicrotask(emit)
  }

  // After the commit and on a separate stack: a listener may call anything here and await it.
  const emit = () => listeners.forEach(tell)

  function tell(listener: Listener): void {
    try {
      listener(getState())
    } catch (error) {
      report(error)
    }
  }

  const effects: { [T in SessionEffect['type']]: (effect: EffectOf<T>) => void } = {
    store: ({ session }) => store.write(session),
    clear: () => store.clear(),
    tellSignOut: ({ session }) => options.tellSignOut(session),
    startRefresh,
    stopRefresh: () => running?.abort.abort(),
    wake,
  }
  // The compiler cannot infer the type of the effect from its name.
  const run = (effect: SessionEffect) =>
    (effects[effect.type] as (one: SessionEffect) => void)(effect)

  function startRefresh({ epoch, session }: EffectOf<'startRefresh'>): void {
    const abort = new AbortController()
    const ended = runRefresh({ ...options, dispatch }, epoch, session, abort.signal)
      .catch(report)
      // The machine must not stay in refreshing; after any other outcome this event is ignored.
      .then(() => dispatch({ type: 'refreshFailed', epoch }))
    running = { abort, ended }
  }

  // The timer is only a hint, throttled and late on a sleeping machine: every use checks again.
  function wake({ at }: EffectOf<'wake'>): void {
    clearTimeout(timer)
    if (closed || at === Infinity) return
    const check = () => {
      sync()
      dispatch({ type: 'timePassed' })
    }
    timer = setTimeout(check, Math.min(Math.max(at - clock(), 0), LONGEST_DELAY))
    // Node's timer keeps the process alive; a browser's is a number.
    ;(timer as { unref?(): void } | undefined)?.unref?.()
  }

  function sync(): void {
    getState()
    const now = clock()
    if (now < lastSeen - CLOCK_JITTER) dispatch({ type: 'clockSetBack' })
    lastSeen = now
    dispatch({ type: 'storageChanged', session: store.read(now) })
  }

  // A page that makes no calls yet still refreshes in time.
  if (globalThis.document) queueMicrotask(getState)

  return {
    getState,
    subscribe(notify) {
      // A separate function each time, since the same listener may subscribe twice.
      const listener: Listener = (state) => notify(state)
      listeners.add(listener)
      tell(listener)
      return () => void listeners.delete(listener)
    },
    dispatch,
    sync,
    settled: async () => running?.ended,
    close() {
      closed = true
      clearTimeout(timer)
      listeners.clear()
    },
  }
}
