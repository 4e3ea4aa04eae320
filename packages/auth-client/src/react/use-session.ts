'use client'

import { useSyncExternalStore } from 'react'
import type { SessionState } from '../session/machine.ts'
import { useAuthClient } from './auth-provider.tsx'

// A server renders for anybody: what its page shows must not depend on who is signed in.
const ON_SERVER: SessionState = { status: 'signedOut', epoch: 0 }

/** Whether this is the state of a page that a server rendered, and no browser has looked at yet. */
export const isOnServer = (state: SessionState): boolean => state === ON_SERVER

/**
 * The session's state; renders again when it changes, in this tab or another. On a server, and while
 * the browser takes over a page of a server, it is signed out.
 */
export function useSession(): SessionState {
  const { subscribe, getState } = useAuthClient()
  return useSyncExternalStore(subscribe, getState, () => ON_SERVER)
}
