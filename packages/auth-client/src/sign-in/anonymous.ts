import type { AnonymousOptions } from '../types.ts'
import type { SignInContext } from './sign-in-calls.ts'

/** The anonymous token's authorization: stored separately, one request at a time, '' on failure. */
export function createAnonymousAuthorization(context: SignInContext) {
  const { service, store, clock, report, authorizationOf, abortable } = context
  let pending: Promise<string> | null = null

  async function obtain(): Promise<string> {
    try {
      const session = await service.receive(() => service.send('/api/token/anonymous'))
      if (session === null) throw new Error('The answer has no token')
      store.writeAt(store.anonymous, session)
      return authorizationOf(session)
    } catch (error) {
      report(error)
      return ''
    } finally {
      pending = null
    }
  }

  return async ({ refused, signal }: AnonymousOptions = {}): Promise<string> => {
    const stored = store.readAt(store.anonymous)
    const now = clock()
    // Received in the future: the clock was set back, so the token's remaining lifetime is unknown.
    if (stored && stored.receivedAt <= now && now < stored.expiresAt) {
      const authorization = authorizationOf(stored)
      if (authorization !== refused) return authorization
    }
    pending ??= obtain()
    return abortable(pending, signal)
  }
}
