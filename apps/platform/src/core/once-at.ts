/** What a timer can wait for: 24.8 days, of 32 bits of milliseconds. Node fires a longer one at once. */
const longestMs = 2 ** 31 - 1

/** Calls back when a moment has come, by a clock. Answers what stops it. */
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
