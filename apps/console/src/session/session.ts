import { hasDashboardAccess, type SessionState, type TokenDetails } from '@grove/auth-client'
import type { QueryClient } from '@tanstack/react-query'
import { redirect, type AnyRouter } from '@tanstack/react-router'
import { ApiProblem } from '../api/problem.ts'
import { auth } from './auth.ts'
import { dropLink } from './pending-link.ts'
import { dropDrafts } from '../ui/form/drop-drafts.ts'
import { dismissAll } from '../ui/toast/notify.ts'
import { keepEmail } from './typed-email.ts'

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

/** Where someone goes who asked for no page: the dashboard is of no use without a role for it. */
export function homePage() {
  const state = auth.getState()
  return state.status !== 'signedOut' && hasDashboardAccess(state.session.roles)
    ? '/dashboard'
    : '/'
}

/** The session ended without a word from the person in this tab. */
let hasEnded = false

/** Lets a dashboard role through; remembers the visit of everyone who is signed out. */
export async function requireDashboard(visit: string): Promise<Viewer> {
  const toLogin = () => {
    const notice = hasEnded ? 'ended' : undefined
    return redirect({ to: '/login', search: { from: visit, notice }, replace: true })
  }
  if (!isSignedIn()) throw toLogin()
  let details = await auth.tokenDetails()
  if (!details.is_valid) {
    await auth.getAuthorization()
    details = await auth.tokenDetails()
  }
  if (isSignedIn() && !details.is_valid) details = await askService()
  if (!isSignedIn()) {
    hasEnded = true
    throw toLogin()
  }
  if (!hasDashboardAccess(details.roles)) throw new DashboardRefused()
  return {
    userId: details.user_id,
    isAdmin: details.is_admin,
    isDeveloper: details.is_developer,
  }
}

/**
 * What the service says of a token that could not be verified here: the keys may be out of reach
 * for the browser alone. Asked once; what it refuses even after a refresh has ended.
 */
async function askService(): Promise<TokenDetails> {
  const before = await auth.getAuthorization()
  if (before === null) {
    // Ended, and no refresh was possible: for good, or because the service does not answer.
    if (isSignedIn()) throw new SessionUnverified()
    return auth.tokenDetails()
  }
  const { api } = await import('./api.ts')
  try {
    return await api.cedar.get('/api/user/info')
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw new SessionUnverified()
    const state = auth.getState()
    if (state.status !== 'signedOut') {
      const isRenewed = (await auth.getAuthorization()) !== before
      // A refresh that failed for now may still bring a good token.
      if (!isRenewed && state.session.token.refreshToken) throw new SessionUnverified()
      await auth.signOut()
    }
    return auth.tokenDetails()
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
    hasEnded = user === null && !isLeaving
    queryClient.clear()
    if (before === null) return
    // They were for the person before, perhaps with their address.
    dismissAll()
    if (!isLeaving) void router.invalidate()
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
    // The next person at this machine sees nothing of this one.
    dropDrafts()
    keepEmail('')
    dropLink()
    queryClient.clear()
    await router.navigate({ to: '/', replace: true, ignoreBlocker: true })
  } finally {
    isLeaving = false
  }
}
