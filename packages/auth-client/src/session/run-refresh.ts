import type { TokenService } from '../auth-service.ts'
import type { AuthError } from '../http/auth-error.ts'
import { isRejection, type IsRejected } from './refresh-failure.ts'
import { withRefreshLock } from './refresh-lock.ts'
import type { NewEvent } from './machine.ts'
import { isSameToken, type Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

export interface RefreshOptions {
  service: TokenService
  store: SessionStore
  isRejected?: IsRejected | undefined
  clock: () => number
  report: (error: unknown) => void
  dispatch: (event: NewEvent) => void
}

/**
 * Runs one refresh. Other tabs share the storage, so it is read again inside the lock (another tab
 * may have refreshed while this one waited) and again before the result counts (it may have signed
 * out, or signed in someone else, while the service responded).
 */
export function runRefresh(
  options: RefreshOptions,
  epoch: number,
  session: Session,
  signal: AbortSignal,
): Promise<void> {
  const { service, store, clock, dispatch } = options

  const adopt = (found: Session | null) => dispatch({ type: 'storageChanged', session: found })

  const attempt = async (used: Session): Promise<NewEvent> => {
    try {
      const send = () => service.postRefreshToken('/api/token/refresh', used, { signal })
      const renewed = await service.receive(send, used)
      if (!renewed) throw new Error('The answer has no token')
      return { type: 'refreshSucceeded', epoch, session: renewed }
    } catch (error) {
      if (!signal.aborted) options.report(error)
      if (isRejection(error, options.isRejected)) return { type: 'refreshRejected', epoch, error }
      const { retryAfter } = error as AuthError
      return { type: 'refreshFailed', epoch, retryAfter }
    }
  }

  let renewed: Session | null = null
  const refresh = async () => {
    if (signal.aborted) return
    const found = store.read(clock())
    // Another tab's newer token that has expired too is exchanged instead of this tab's.
    const outdated = found?.userId === session.userId && clock() >= found.expiresAt
    const used = outdated ? found : session
    if (!isSameToken(found, used)) return adopt(found)
    const result = await attempt(used)
    const current = store.read(clock())
    if (!isSameToken(current, used)) return adopt(current)
    if (result.type === 'refreshSucceeded') renewed = result.session
    dispatch(result)
  }

  return withRefreshLock(`${store.name}/refresh`, signal, refresh, {
    // A sign-out in another tab may have crossed the write: nothing of it may stay.
    settled: () => renewed && store.forget(renewed),
  })
}
