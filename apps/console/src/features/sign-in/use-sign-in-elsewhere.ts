import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { auth } from '../../session/auth.ts'
import { isSignedIn } from '../../session/session.ts'
import { completeSignIn } from './complete-sign-in.ts'

/** Leaves the sign-in page when another tab signs in. A sign-in of this page, `isBusy`, leaves by itself. */
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
