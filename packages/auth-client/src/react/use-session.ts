import { useSyncExternalStore } from 'react'
import type { SessionState } from '../session/machine.ts'
import { useAuthClient } from './auth-provider.tsx'

/** The session's state; renders again when it changes, in this tab or another. */
export function useSession(): SessionState {
  const client = useAuthClient()
  return useSyncExternalStore(client.subscribe, client.getState, client.getState)
}
