import { AuthError } from '@grove/auth-client'
import { useEffect, useState } from 'react'
import { auth } from '../../session/auth.ts'

/**
 * Whether the service is unreachable because the machine is offline. A service on this machine needs
 * no network, so the browser's word is checked before anything is disabled.
 */
export function useOffline() {
  const [isOffline, setOffline] = useState(false)
  useEffect(() => {
    let isCurrent = true
    const check = async () => {
      const isLost = await auth.stageAuth().then(() => false, isUnanswered)
      if (isCurrent && !navigator.onLine) setOffline(isLost)
    }
    const onOnline = () => setOffline(false)
    const onOffline = () => void check()
    if (!navigator.onLine) onOffline()
    addEventListener('online', onOnline)
    addEventListener('offline', onOffline)
    return () => {
      isCurrent = false
      removeEventListener('online', onOnline)
      removeEventListener('offline', onOffline)
    }
  }, [])
  return isOffline
}

// A TypeError means that the client's code could not be loaded.
const isUnanswered = (error: unknown) =>
  error instanceof TypeError || (error instanceof AuthError && error.status === undefined)
