import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { auth } from '../../session/auth.ts'
import { isSignedIn } from '../../session/session.ts'
import { completeSignIn } from './complete-sign-in.ts'

/**
 * Leaves the sign-in page when another tab signs in. While this page signs in (`isBusy`), it does so
 * itself.
 */
export function useSignInElsewhere(from: string | undefined, isBusy: boolean) {
  const router = useRouter()
  const busy = useRef(isBusy)
  useEffect(() => {
    busy.current = isBusy
  }, [isBusy])
  useEffect(() => {
    let wasSignedIn = isSignedIn()
    return auth.subscribe(() => {
      const isNew = isSignedIn() && !wasSignedIn
      wasSignedIn = isSignedIn()
      if (isNew && !busy.current) void completeSignIn(router, from)
    })
  }, [router, from])
}
