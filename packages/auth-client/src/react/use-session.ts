'use client'

import { useSyncExternalStore } from 'react'
import type { SessionState } from '../session/machine.ts'
import { useAuthClient } from './auth-provider.tsx'

// A server renders for everyone: its output must not depend on who is signed in.
const ON_SERVER: SessionState = { status: 'signedOut', epoch: 0 }

/** Whether this is server-rendered state that no browser has hydrated yet. */
export const isOnServer = (state: SessionState): boolean => state === ON_SERVER

/**
 * The session's state; rerenders when it changes, in this tab or another. On a server and during
 * hydration it is signed out.
 */
export function useSession(): SessionState {
  const { subscribe, getState } = useAuthClient()
  return useSyncExternalStore(subscribe, getState, () => ON_SERVER)
}
