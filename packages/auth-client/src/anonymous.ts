import { tokenIn, type AuthService } from './auth-service.ts'
import { authorizationOf, createSession } from './session/session.ts'
import type { SessionStore } from './session/session-store.ts'

/** The anonymous token's authorization: stored apart, asked for once at a time, '' on failure. */
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
      const token = tokenIn(await service.get('/api/token/anonymous'))
      if (token === null) return ''
      const session = createSession(token, sentAt)
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
    const stored = store.readAnonymous(clock())
    if (stored !== null && clock() < stored.expiresAt) return authorizationOf(stored)
    pending ??= obtain()
    return pending
  }
}
