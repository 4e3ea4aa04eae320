/**
 * The maximum timer delay: 32 bits of milliseconds, 24.8 days. Node fires a longer one immediately.
 */
const longestMs = 2 ** 31 - 1

/** Calls back at a point in time, by a clock. Returns a function that cancels it. */
export function onceAt(moment: number, now: () => number, work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    const left = moment - now()
    if (left > 0) timer = setTimeout(wait, Math.min(left, longestMs)).unref()
    else work()
  }
  wait()
  return () => clearTimeout(timer)
}
