/** Milliseconds a refresh may take. */
export const REFRESH_TIMEOUT = 10_000

// Longer than the holder's own limit: who waited this long knows that the holder is gone or stuck,
// so that going on without the lock cannot send one refresh token twice.
const LOCK_WAIT = 12_000

/**
 * Runs the work while no other tab runs its own, where the browser has locks. The wait is bounded
 * and a lock is never stolen: a stuck tab delays the others once and cannot stop them.
 */
export async function withRefreshLock(
  name: string,
  work: () => Promise<void>,
  wait = LOCK_WAIT,
): Promise<void> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  if (!locks) return work()
  let started = false
  try {
    await locks.request(name, { signal: AbortSignal.timeout(wait) }, () => {
      started = true
      return work()
    })
  } catch (error) {
    if (started) throw error
    return work()
  }
}
