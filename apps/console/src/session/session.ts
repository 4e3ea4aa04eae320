import type { AuthError, ExternalLoginInfo, SessionState } from '@grove/auth-client'
import { hasDashboardAccess } from '@grove/auth-client/rules'
import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { redirect, type AnyRouter } from '@tanstack/react-router'
import { auth, beganSignedIn } from './auth.ts'
import { dropLink } from './pending-link.ts'
import { dropRecent } from './drop-recent.ts'
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

/** The access token could not be verified yet: the keys or the service are unreachable. */
export class SessionUnverified extends Error {
  override readonly name = 'SessionUnverified'
}

/** A service without external login may lack the call, which is an answer too. */
function withoutCall(error: AuthError): ExternalLoginInfo {
  if (error.status !== 404) throw error
  return { urls: { login: '', redirect: '', callback: '' }, realm: '' }
}

/** What the authentication service says about itself: where and how people sign in. */
export const infoQuery = queryOptions({
  queryKey: ['auth', 'stage'],
  queryFn: () => auth.stageAuth().catch(withoutCall),
  staleTime: Infinity,
})

const userOf = (state: SessionState) =>
  state.status === 'signedOut' ? null : (state.session.userId ?? 'unnamed')

export const isSignedIn = () => auth.getState().status !== 'signedOut'

/** Signed in, with a token that is valid or that the service renews within three seconds. */
export async function isSessionCurrent() {
  if (!isSignedIn()) return false
  const signal = AbortSignal.timeout(3000)
  return (await auth.getAuthorization({ signal }).catch(() => null)) !== null
}

/** The default page: the dashboard is of no use without a role for it. */
export function homePage() {
  const state = auth.getState()
  return state.status !== 'signedOut' &&
    hasDashboardAccess(state.session.roles, auth.dashboardRoles)
    ? '/dashboard'
    : '/'
}

/** The session ended without an action in this tab. */
let hasEnded = beganSignedIn && !isSignedIn()

const hasEndedByClock = (state: SessionState) =>
  state.status === 'signedIn' &&
  Date.now() >= state.session.expiresAt + state.session.skew - (state.session.known ?? 0)

/** Admits anyone with a dashboard role; remembers the visit of everyone who is signed out. */
export async function requireDashboard(visit: string): Promise<Viewer> {
  const toLogin = () => {
    const notice = hasEnded ? 'ended' : undefined
    return redirect({ to: '/login', search: { from: visit, notice }, replace: true })
  }
  if (!isSignedIn()) throw toLogin()
  let details = await auth.tokenDetails()
  if (!details.is_valid) {
    // A token that is new, yet expired by this clock, may turn out valid once it is renewed.
    await (hasEndedByClock(auth.getState()) ? auth.refresh() : auth.getAuthorization())
    details = await auth.tokenDetails()
  }
  if (!isSignedIn()) {
    hasEnded = true
    throw toLogin()
  }
  // It expired while the service is not responding, or the keys are unreachable.
  if (!details.is_valid) throw new SessionUnverified()
  if (!hasDashboardAccess(details.roles, auth.dashboardRoles)) throw new DashboardRefused()
  return {
    userId: details.user_id,
    isAdmin: details.is_admin,
    // A service may give its dashboard roles any name; each opens at least a developer's pages.
    isDeveloper: true,
  }
}

let isLeaving = false

/** Follows the session: private pages close when it ends or changes hands, in any tab. */
export function watchSession(router: AnyRouter, queryClient: QueryClient) {
  let user = userOf(auth.getState())
  auth.subscribe((state) => {
    const before = user
    user = userOf(state)
    if (user === before) return
    hasEnded = user === null && !isLeaving
    queryClient.clear()
    if (before === null) return
    // They were for the previous person, and may contain their email.
    dismissAll()
    if (!isLeaving) void router.invalidate()
  })
  // A page from the back/forward cache is as it was left, perhaps before a sign-out in another tab.
  addEventListener('pageshow', (event) => {
    if (event.persisted) void router.invalidate()
  })
}

/** Clears the session immediately, then shows the start page: Back finds the guard, and no data. */
export async function signOut(router: AnyRouter, queryClient: QueryClient) {
  isLeaving = true
  try {
    await auth.signOut()
    // The next person on this machine sees nothing of this one.
    dropDrafts()
    dropRecent()
    keepEmail('')
    dropLink()
    queryClient.clear()
    await router.navigate({ to: '/', replace: true, ignoreBlocker: true })
  } finally {
    isLeaving = false
  }
}
