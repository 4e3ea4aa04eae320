import { onAbort } from '../http/abortable.ts'

// After waiting this many milliseconds, ask the holder whether it is still alive.
const LOCK_WAIT = 12_000

// A live holder answers a message immediately, hidden or busy; a frozen or crashed page does not.
const ANSWER_WAIT = 1500

// A write to localStorage reaches other tabs' processes milliseconds later, hundreds on a busy
// machine, and nothing orders it before the next grant of the lock. Holding the lock this much longer
// does. Nobody waits for it: a tab that sees the write stops waiting for the lock.
const PROPAGATION = 800

// In Node a pending timer keeps the process alive; a browser's timer is a number.
type Waiting = { unref?(): void } | undefined

const pause = (milliseconds: number) =>
  new Promise<void>((end) => (setTimeout(end, milliseconds) as Waiting)?.unref?.())

/**
 * Runs the work exclusively across tabs, if the browser has locks. It waits as long as the holder
 * responds, so a slow refresh is not sent twice. A holder that does not respond delays the others
 * once and cannot block them; the lock is never stolen. An abort ends the wait without running the
 * work. `settled` runs last, when the other tabs have seen what the work wrote, and this tab what
 * they wrote meanwhile.
 */
export async function withRefreshLock(
  name: string,
  signal: AbortSignal,
  work: () => Promise<void>,
  { wait = LOCK_WAIT, answerWait = ANSWER_WAIT, settled = () => {} } = {},
): Promise<void> {
  const locks = globalThis.navigator?.locks
  if (!locks) return work()
  const leave = new AbortController()
  const unlisten = onAbort(signal, () => leave.abort())
  const channel = globalThis.BroadcastChannel && new BroadcastChannel(name)
  let isRunning = false
  let isAnswered = true
  if (channel) {
    ;(channel as Waiting)?.unref?.()
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the channel has this one listener
    channel.onmessage = ({ data }) => {
      if (data === 'alive') isAnswered = true
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
      else if (isRunning) channel.postMessage('alive')
    }
  }

  /** Waits as long as the holder responds. */
  const watch = async () => {
    while (isAnswered) {
      await pause(wait)
      if (isRunning || signal.aborted) return
      isAnswered = false
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
      channel?.postMessage('alive?')
      await pause(answerWait)
    }
    leave.abort()
  }

  return new Promise((resolve, reject) => {
    const run = () => {
      isRunning = true
      return work().then(resolve, reject)
    }
    const hold = async () => {
      await run()
      await pause(PROPAGATION)
      settled()
    }
    locks
      .request(name, { signal: leave.signal }, hold)
      .catch(() => {
        if (isRunning) return
        if (signal.aborted) resolve()
        else return run()
      })
      .finally(() => {
        unlisten()
        channel?.close()
      })
    void watch()
  })
}
