import { useSyncExternalStore, type ComponentType } from 'react'

type State<Props extends object> =
  | { status: 'absent' | 'loading' | 'failed' }
  | { status: 'ready'; Component: ComponentType<Props> }

/** A component whose code loads shortly before it is needed. */
export interface Loadable<Props extends object> {
  /** Starts loading; after a failure, retries. */
  prefetch: () => void
  subscribe: (listener: () => void) => () => void
  state: () => State<Props>
}

/**
 * Loads a component once for all its users. Unlike `lazy()`, it renders immediately if its code is
 * there, reports that the code failed to load, and can be retried.
 */
export function loadable<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Loadable<Props> {
  let state: State<Props> = { status: 'absent' }
  const listeners = new Set<() => void>()
  const change = (next: State<Props>) => {
    state = next
    for (const listener of listeners) listener()
  }
  return {
    prefetch() {
      if (state.status === 'loading' || state.status === 'ready') return
      change({ status: 'loading' })
      load().then(
        (Component) => change({ status: 'ready', Component }),
        () => change({ status: 'failed' }),
      )
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    state: () => state,
  }
}

export const useLoadable = <Props extends object>(source: Loadable<Props>) =>
  useSyncExternalStore(source.subscribe, source.state)
