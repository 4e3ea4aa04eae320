import { requireToken, type AuthService } from './auth-service.ts'
import { authorizationOf, createSession } from './session/session.ts'
import type { SessionStore } from './session/session-store.ts'

/** The anonymous token's authorization: stored apart, one request at a time, '' on failure. */
export function createAnonymousAuthorization(options: {
  service: AuthService
  store: SessionStore
  clock: () => number
  report: (error: unknown) => void
}) {
  const { service, store, clock, report } = options
  let pending: Promise<string> | null = null

  async function obtain(): Promise<string> {
    try {
      const sentAt = clock()
      const body = await service.get('/api/token/anonymous')
      const session = createSession(requireToken(body), sentAt)
      store.writeAnonymous(session)
      return authorizationOf(session)
    } catch (error) {
      report(error)
      return ''
    } finally {
      pending = null
    }
  }

  return async (): Promise<string> => {
    const stored = store.readAnonymous()
    const now = clock()
    // Received in the future: the clock was set back, so the token's remaining life is unknown.
    if (stored && stored.receivedAt <= now && now < stored.expiresAt) return authorizationOf(stored)
    pending ??= obtain()
    return pending
  }
}
