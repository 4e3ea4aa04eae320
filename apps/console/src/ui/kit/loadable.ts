import { useSyncExternalStore, type ComponentType } from 'react'

type State<Props extends object> =
  | { status: 'absent' | 'loading' | 'failed' }
  | { status: 'ready'; Component: ComponentType<Props> }

/** A component whose code is loaded when somebody is about to need it. */
export interface Loadable<Props extends object> {
  /** Starts loading; after a failure, tries again. */
  prefetch: () => void
  subscribe: (listener: () => void) => () => void
  state: () => State<Props>
}

/**
 * Loads a component once for all its users. Unlike `lazy()`, it renders at once when its code is
 * there, says when the code did not arrive, and can be asked again.
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
