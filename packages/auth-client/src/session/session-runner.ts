import { LONGEST_DELAY } from '../longest-delay.ts'
import {
  initialState,
  transition,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
} from './machine.ts'
import { CLOCK_JITTER, type Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

export interface SessionRunner {
  readonly getState: () => SessionState
  readonly subscribe: (listener: (state: SessionState) => void) => () => void
  readonly dispatch: (event: SessionEvent) => void
  /** Adopts what another tab has stored, and sees a clock that was set back. */
  readonly sync: () => void
  /** Resolves when the running refresh, if any, has ended; never rejects. */
  readonly settled: () => Promise<void>
  readonly close: () => void
}

export interface SessionRunnerOptions {
  store: SessionStore
  clock: () => number
  report: (error: unknown) => void
  /** Runs one refresh and dispatches how it ended. */
  runRefresh(epoch: number, session: Session, signal: AbortSignal): Promise<void>
  tellSignOut(session: Session): void
}

/** Holds the state and runs the effects that the machine asks for. */
export function createSessionRunner(options: SessionRunnerOptions): SessionRunner {
  const { store, clock, report } = options
  const listeners = new Set<{ notify: (state: SessionState) => void }>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: { abort: AbortController; ended: Promise<void> } | null = null
  let closed = false
  let lastSeen = clock()

  const start = initialState(store.read(lastSeen), lastSeen)
  let state = start.state

  function dispatch(event: SessionEvent): void {
    const next = transition(state, event)
    const changed = next.state !== state
    state = next.state
    next.effects.forEach(run)
    if (changed) queueMicrotask(emit)
  }

  // After the commit and on a stack of its own: a listener may call anything here and wait for it.
  function emit(): void {
    for (const listener of listeners) {
      try {
        listener.notify(state)
      } catch (error) {
        report(error)
      }
    }
  }

  function run(effect: SessionEffect): void {
    switch (effect.type) {
      case 'store':
        return store.write(effect.session)
      case 'clear':
        return store.clear()
      case 'tellSignOut':
        return options.tellSignOut(effect.session)
      case 'startRefresh':
        return startRefresh(effect.epoch, effect.session)
      case 'stopRefresh':
        return running?.abort.abort()
      case 'wake':
        return wake(effect.at)
    }
  }

  function startRefresh(epoch: number, session: Session): void {
    const abort = new AbortController()
    const ended = options
      .runRefresh(epoch, session, abort.signal)
      .catch(report)
      // Nothing may leave the machine refreshing; after any other end this is an ignored event.
      .then(() => dispatch({ type: 'refreshFailed', epoch, at: clock() }))
    running = { abort, ended }
  }

  // The timer is a hint, throttled and late on a sleeping machine: every use checks for itself.
  function wake(at: number): void {
    clearTimeout(timer)
    if (closed || at === Infinity) return
    const check = () => {
      sync()
      dispatch({ type: 'timePassed', at: clock() })
    }
    timer = setTimeout(check, Math.min(Math.max(at - clock(), 0), LONGEST_DELAY))
    letNodeEnd(timer)
  }

  function sync(): void {
    const now = clock()
    if (now < lastSeen - CLOCK_JITTER) dispatch({ type: 'clockSetBack', at: now })
    lastSeen = now
    dispatch({ type: 'storageChanged', session: store.read(now), at: now })
  }

  start.effects.forEach(run)

  return {
    getState: () => state,
    subscribe(notify) {
      const listener = { notify }
      listeners.add(listener)
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

// Node's timers are objects, and a pending one keeps the process alive; a browser's are numbers.
function letNodeEnd(timer: { unref?(): void } | number): void {
  if (typeof timer === 'object') timer.unref?.()
}
