/** Milliseconds a refresh may take. */
export const REFRESH_TIMEOUT = 10_000

// Longer than the holder's own limit: after this wait the holder is gone or stuck, so continuing
// without the lock cannot send one refresh token twice.
const LOCK_WAIT = 12_000

// A write to localStorage reaches the other tabs' processes some milliseconds later, and nothing
// orders it before the lock's next grant. Kept this long after the work, the lock does.
const PROPAGATION = 200

/**
 * Runs the work while no other tab runs its own, where the browser has locks. The wait is bounded
 * and a lock is never stolen: a stuck tab delays the others once and cannot stop them. An abort
 * ends the wait without the work. Last, when the other tabs have seen what the work wrote and this
 * tab what they wrote meanwhile, comes `settled`.
 */
export async function withRefreshLock(
  name: string,
  signal: AbortSignal,
  work: () => Promise<void>,
  { wait = LOCK_WAIT, settled = () => {} } = {},
): Promise<void> {
  const locks = globalThis.navigator?.locks
  if (!locks) return work()
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(wait)]) }
  return new Promise((resolve, reject) => {
    let started = false
    const hold = async () => {
      started = true
      await work().then(resolve, reject)
      await new Promise((release) => setTimeout(release, PROPAGATION))
      settled()
    }
    locks.request(name, options, hold).catch(() => {
      if (started) return
      if (signal.aborted) resolve()
      else work().then(resolve, reject)
    })
  })
}
