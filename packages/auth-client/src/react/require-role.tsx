'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { endOf } from '../session/end-of-session.ts'
import { LONGEST_BACKOFF } from '../session/machine.ts'
import type { TokenDetails } from '../types.ts'
import { useAuthClient } from './auth-provider.tsx'
import { isOnServer, useSession } from './use-session.ts'

/** The props of `RequireRole`. */
export interface RequireRoleProps {
  /** Whether these verified details grant access to the children. */
  allow: (details: TokenDetails) => boolean
  /** The protected content: rendered once a verified token is allowed, never before. */
  children: ReactNode
  /** Shown while the token is refreshed and verified for the first time, and on a server. */
  pending?: ReactNode
  /** Shown when signed out. */
  signedOut: ReactNode
  /** Shown when the verified token is not allowed. */
  refused: ReactNode
  /** Shown while the token cannot be verified; retries follow with backoff. */
  unverified: ReactNode
}

type Access = 'granted' | 'pending' | 'refused' | 'unverified'

/**
 * Renders its children if `allow` accepts the verified token. They stay mounted as long as the same
 * user's session lasts, so a refresh, even a failed one, does not discard what the user typed.
 */
export function RequireRole(props: RequireRoleProps): ReactNode {
  const state = useSession()
  if (isOnServer(state)) return props.pending ?? null
  if (state.status === 'signedOut') return props.signedOut
  const { userId } = state.session
  // The key resets the state when the user changes or signs out.
  return <VerifiedAccess {...props} key={userId} userId={userId} />
}

function VerifiedAccess(props: RequireRoleProps & { userId: string }): ReactNode {
  const { userId, allow } = props
  const client = useAuthClient()
  const [access, setAccess] = useState<Access>('pending')

  const isAllowed = useRef(allow)
  useEffect(() => {
    isAllowed.current = allow
  })

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let latest = 0
    let known: Access = 'pending'
    let isRenewed = false

    /** Renews once a token that looks new but has expired by this clock. */
    const describe = async () => {
      const details = await client.tokenDetails()
      const state = client.getState()
      if (details.is_valid || isRenewed || state.status !== 'signedIn') return details
      if (Date.now() < endOf(state.session)) return details
      isRenewed = true
      await client.refresh()
      return client.tokenDetails()
    }

    const tell = (access: Access) => {
      known = access
      setAccess(access)
    }

    const check = async (pause: number) => {
      clearTimeout(timer)
      latest += 1
      const own = latest
      const isKnown = known === 'granted' || known === 'refused'
      // Keep the last result until the next call renews the token: an idle page must not keep the
      // session alive.
      if (isKnown && client.getState().status !== 'signedIn') return
      // Refresh first: the token may simply have expired.
      await client.getAuthorization()
      const details = await describe()
      const { is_valid, user_id } = details
      if (own !== latest || (is_valid && user_id !== userId)) return
      if (is_valid) isRenewed = false
      if (is_valid) return tell(isAllowed.current(details) ? 'granted' : 'refused')
      if (isKnown && client.getState().status !== 'signedIn') return
      tell('unverified')
      timer = setTimeout(() => void check(Math.min(2 * pause, LONGEST_BACKOFF)), pause)
    }
    const unsubscribe = client.subscribe(() => void check(1000))

    return () => {
      latest = 0
      clearTimeout(timer)
      unsubscribe()
    }
  }, [client, userId])

  return access === 'granted' ? props.children : (props[access] ?? null)
}
