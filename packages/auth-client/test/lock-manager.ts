// Node 20 has no Web Locks. This implements the two rules that matter here: one holder at a time, and
// a waiting request ends when its signal aborts.
export function lockManager() {
  let tail: Promise<unknown> = Promise.resolve()
  return {
    async request(_: string, options: { signal: AbortSignal }, work: () => Promise<void>) {
      const { signal } = options
      const before = tail
      let release = () => {}
      tail = new Promise<void>((resolve) => (release = resolve))
      try {
        await Promise.race([before, aborted(signal)])
        await work()
      } finally {
        void before.then(release)
      }
    },
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
