import { hasDashboardAccess, type SessionState } from '@grove/auth-client'
import type { QueryClient } from '@tanstack/react-query'
import { redirect, type AnyRouter } from '@tanstack/react-router'
import { auth } from './auth.ts'

export interface Viewer {
  userId: string | null
  isAdmin: boolean
  isDeveloper: boolean
}

/** Signed in, but with no dashboard role. */
export class DashboardRefused extends Error {
  override readonly name = 'DashboardRefused'
}

/** The access token could not be verified: the keys are out of reach, or it is not theirs. */
export class SessionUnverified extends Error {
  override readonly name = 'SessionUnverified'
}

const userOf = (state: SessionState) =>
  state.status === 'signedOut' ? null : (state.session.userId ?? 'unnamed')

export const isSignedIn = () => auth.getState().status !== 'signedOut'

/** Lets a dashboard role through; remembers the visit of everyone who is signed out. */
export async function requireDashboard(visit: string): Promise<Viewer> {
  const toLogin = () => redirect({ to: '/login', search: { from: visit }, replace: true })
  if (!isSignedIn()) throw toLogin()
  let details = await auth.tokenDetails()
  if (!details.is_valid) {
    await auth.getAuthorization()
    details = await auth.tokenDetails()
  }
  if (!isSignedIn()) throw toLogin()
  if (!details.is_valid) throw new SessionUnverified()
  if (!hasDashboardAccess(details.roles)) throw new DashboardRefused()
  return {
    userId: details.user_id,
    isAdmin: details.is_admin,
    isDeveloper: details.is_developer,
  }
}

let isLeaving = false

/** Follows the session: private pages close when it ends or changes hands, in whichever tab. */
export function watchSession(router: AnyRouter, queryClient: QueryClient) {
  let user = userOf(auth.getState())
  auth.subscribe((state) => {
    const before = user
    user = userOf(state)
    if (user === before) return
    queryClient.clear()
    if (!isLeaving && before !== null) void router.invalidate()
  })
  // A page from the back/forward cache is as it was left, perhaps before a sign-out elsewhere.
  addEventListener('pageshow', (event) => {
    if (event.persisted) void router.invalidate()
  })
}

/** Clears the session at once, then shows the start page: Back finds the guard, and no data. */
export async function signOut(router: AnyRouter, queryClient: QueryClient) {
  isLeaving = true
  try {
    await auth.signOut()
    queryClient.clear()
    await router.navigate({ to: '/', replace: true, ignoreBlocker: true })
  } finally {
    isLeaving = false
  }
}
