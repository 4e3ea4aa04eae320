import { requireToken, type AuthService } from '../auth-service.ts'
import { classifyRefreshFailure } from './refresh-failure.ts'
import { REFRESH_TIMEOUT, withRefreshLock } from './refresh-lock.ts'
import type { SessionEvent } from './machine.ts'
import { createSession, isSameToken, type Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

export interface RefreshOptions {
  service: AuthService
  store: SessionStore
  realm: string
  clock: () => number
  report: (error: unknown) => void
  dispatch: (event: SessionEvent) => void
}

/**
 * One refresh. Other tabs share the storage, so it is read again inside the lock (another tab may
 * have refreshed while this one waited) and again before the result counts (it may have signed
 * out, or signed in someone else, while the service answered).
 */
export function runRefresh(
  options: RefreshOptions,
  epoch: number,
  session: Session,
  signal: AbortSignal,
): Promise<void> {
  const { service, store, clock, dispatch } = options

  const adopt = (found: Session | null) =>
    dispatch({ type: 'storageChanged', session: found, at: clock() })

  const attempt = async (used: Session): Promise<SessionEvent> => {
    const sentAt = clock()
    try {
      const json = {
        refreshToken: used.token.refreshToken,
        provider: used.provider ?? options.realm,
      }
      const body = await service.post('/api/token/refresh', json, {
        signal,
        timeout: REFRESH_TIMEOUT,
      })
      // A service that does not rotate answers without a refresh token: the old one stays.
      const kept = { ...used.token, ...requireToken(body) }
      // Counted from the sending: the token was made after it, so it never lives longer than this.
      return {
        type: 'refreshSucceeded',
        epoch,
        session: createSession(kept, Math.min(sentAt, clock())),
        at: clock(),
      }
    } catch (error) {
      if (!signal.aborted) options.report(error)
      const { isRejected, retryAfter } = classifyRefreshFailure(error)
      return isRejected
        ? { type: 'refreshRejected', epoch }
        : { type: 'refreshFailed', epoch, at: clock(), retryAfter }
    }
  }

  let renewed: Session | null = null
  const refresh = async () => {
    if (signal.aborted) return
    const found = store.read(clock())
    // Another tab's newer token that has ended as well is exchanged in place of this tab's.
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
