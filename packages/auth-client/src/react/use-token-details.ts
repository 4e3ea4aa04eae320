'use client'

import { useEffect, useState } from 'react'
import type { SessionState } from '../session/machine.ts'
import { detailsOf } from '../token-details.ts'
import type { TokenDetails } from '../types.ts'
import { useAuthClient } from './auth-provider.tsx'
import { isOnServer, useSession } from './use-session.ts'

/** The result of `useTokenDetails`. */
export interface TokenDetailsResult extends TokenDetails {
  /** Verification is pending: the other fields are those of an unverified token, not a result. */
  isPending: boolean
}

/** The verified details of the current token, kept up to date with the session. */
export function useTokenDetails(): TokenDetailsResult {
  const client = useAuthClient()
  const state = useSession()
  const [answer, setAnswer] = useState<{ state: SessionState; details: TokenDetails } | null>(null)

  useEffect(() => {
    if (state.status === 'signedOut') return
    let current = true
    const read = async () => {
      const details = await client.tokenDetails()
      if (current) setAnswer({ state, details })
    }
    void read()
    return () => {
      current = false
    }
  }, [client, state])

  if (state.status === 'signedOut') return { ...detailsOf(null), isPending: isOnServer(state) }
  return answer?.state === state
    ? { ...answer.details, isPending: false }
    : { ...detailsOf(null), isPending: true }
}
