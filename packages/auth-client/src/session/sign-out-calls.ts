import type { TokenService } from '../auth-service.ts'
import type { AuthError } from '../http/auth-error.ts'
import { authorizationOf, type Session } from './session.ts'

/**
 * Notifies the service of sign-outs. A failed call is retried when the page is back online or visible
 * again. It is kept only in this page's memory: the stored tokens are gone.
 */
export function createSignOutCalls(options: {
  service: TokenService
  report: (error: unknown) => void
}) {
  const unsent: Session[] = []

  const send = (session: Session) => {
    const headers = { authorization: authorizationOf(session) }
    // The page may be unloading: keepalive lets the call outlive it.
    const call = { headers, keepalive: true }
    options.service.postRefreshToken('/api/logout', session, call).catch((error: AuthError) => {
      options.report(error)
      if (!error.status || error.status >= 500) unsent.push(session)
    })
  }

  return { send, sendAgain: () => unsent.splice(0).forEach(send) }
}
