import type { AnyRouter } from '@tanstack/react-router'
import { ApiProblem } from '../../api/problem.ts'
import { auth } from '../../session/auth.ts'
import { finishLink } from '../../session/pending-link.ts'
import { homePage } from '../../session/session.ts'
import { stage } from '../../session/stage.ts'
import { readTab, writeTab } from '../../api/tab-storage.ts'

/**
 * After a sign-in: links the pending identity, then returns to the remembered visit. Settles when
 * that page has loaded: until then the form must not be submitted again. Rejects with a problem if
 * the token can never be verified: the dashboard would only send its reader back here.
 */
export async function completeSignIn(router: AnyRouter, from: string | null | undefined) {
  await auth.tokenDetails()
  const state = auth.getState()
  if (state.status === 'signedOut' && state.error) {
    const { rejectedToken } = await import('../../session/foreign/rejected-token.tsx')
    throw await rejectedToken(state.error)
  }
  await finishLink()
  await router.navigate({ href: from ?? homePage(), replace: true })
}

/** False: the service responded without a token. */
export function requireToken(isSignedIn: boolean) {
  if (!isSignedIn) throw new ApiProblem({ code: 'no_token' }, 200)
}

const brokerKey = 'grove.broker'
/** Which provider this tab's last external login went to. */
export const lastBroker = () => readTab(brokerKey)

// Long enough for a slow provider to answer; anyone who stopped the navigation may then choose again.
const leavingTime = 10_000

/**
 * Redirects to an identity provider; settles if this page is back, through Back or because it never
 * left.
 */
export async function leaveForBroker(broker: string, returnTo: string | undefined) {
  const clientId = stage.default.auth_client_id
  writeTab(brokerKey, broker)
  const options = { broker: broker || undefined, returnTo, clientId }
  location.assign(await auth.startExternalLogin(options))
  await new Promise<void>((resolve) => {
    addEventListener('pageshow', () => resolve(), { once: true })
    setTimeout(resolve, leavingTime)
  })
}
