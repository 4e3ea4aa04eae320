/**
 * Passes on the first value immediately and then at most one per pause, always the latest: a list
 * follows every key of a slow typist without a request for every key of a fast one.
 */
export function paced<Value>(run: (value: Value) => void, pauseMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: { value: Value } | undefined
  const flush = () => {
    timer = undefined
    if (!waiting) return
    const { value } = waiting
    waiting = undefined
    timer = setTimeout(flush, pauseMs)
    run(value)
  }
  return {
    call(value: Value) {
      waiting = { value }
      if (timer === undefined) flush()
    },
    /** Passes on a pending value without waiting. */
    flush() {
      clearTimeout(timer)
      flush()
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
      waiting = undefined
    },
  }
}
