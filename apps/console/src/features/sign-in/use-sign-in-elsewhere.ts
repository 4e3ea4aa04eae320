import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { auth } from '../../session/auth.ts'
import { isSessionCurrent } from '../../session/session.ts'
import { completeSignIn } from './complete-sign-in.ts'

/** Leaves the sign-in page when another tab signs in. A sign-in of this page, `isBusy`, leaves by itself. */
export function useSignInElsewhere(from: string | undefined, isBusy: boolean) {
  const router = useRouter()
  const busy = useRef(isBusy)
  useEffect(() => {
    busy.current = isBusy
  }, [isBusy])
  useEffect(
    () =>
      auth.subscribe(() => {
        if (isSessionCurrent() && !busy.current) void completeSignIn(router, from)
      }),
    [router, from],
  )
}
