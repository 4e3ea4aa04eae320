import { type ReactNode, useEffect, useState } from 'react'
import { LONGEST_BACKOFF } from '../session/machine.ts'
import { hasDashboardAccess } from '../session/roles.ts'
import { useAuthClient } from './auth-provider.tsx'
import { useSession } from './use-session.ts'

export interface RequireDashboardAccessProps {
  /** What is private: rendered once a verified token has a dashboard role, never before. */
  children: ReactNode
  /** While the token is refreshed and verified for the first time. */
  pending?: ReactNode
  signedOut: ReactNode
  /** The token verifies and has no dashboard role. */
  refused: ReactNode
  /** The token cannot be verified for now; this is tried again, after growing pauses. */
  unverified: ReactNode
}

type Access = 'granted' | 'refused' | 'unverified'

/**
 * Shows its children to a verified dashboard role. Once shown they stay for as long as the same
 * user's session lasts, so that a refresh, also one that fails for now, loses nothing typed.
 */
export function RequireDashboardAccess(props: RequireDashboardAccessProps): ReactNode {
  const client = useAuthClient()
  const state = useSession()
  const user = state.status === 'signedOut' ? null : (state.session.userId ?? '')
  const [answer, setAnswer] = useState<{ user: string; access: Access } | null>(null)

  useEffect(() => {
    if (user === null) return setAnswer(null)
    let timer: ReturnType<typeof setTimeout> | undefined
    let current = true

    const check = async (pause: number) => {
      // Refreshes a token that has ended, which is all that may be wrong with it.
      await client.getAuthorization()
      const { is_valid, roles, user_id } = await client.tokenDetails()
      if (!current) return
      if (is_valid && (user_id ?? '') !== user) return
      if (!is_valid)
        timer = setTimeout(() => void check(Math.min(2 * pause, LONGEST_BACKOFF)), pause)
      const access = accessOf(is_valid, roles)
      const hasEnded = client.getState().status !== 'signedIn'
      setAnswer((known) => {
        if (known?.user !== user) return { user, access }
        return (access === 'unverified' && hasEnded) || access === known.access
          ? known
          : { user, access }
      })
    }
    void check(1000)

    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [client, state, user])

  if (user === null) return props.signedOut
  if (answer?.user !== user) return props.pending
  return answer.access === 'granted' ? props.children : props[answer.access]
}

function accessOf(isValid: boolean, roles: readonly string[]): Access {
  if (!isValid) return 'unverified'
  return hasDashboardAccess(roles) ? 'granted' : 'refused'
}
