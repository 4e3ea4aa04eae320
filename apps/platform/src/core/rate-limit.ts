interface Rate {
  /** How many at once. */
  burst: number
  perMinute: number
  now: () => number
}

// Far more than use a process within the same minute.
const maxKeys = 10_000

/** Counts a use, and answers how many milliseconds its key has to wait. */
export interface RateLimit {
  (key: string): number
  /** How long a use would have to wait; counts none. */
  peek: (key: string) => number
}

/**
 * Counts uses by key, such as an account or a network, in a bucket that is refilled steadily. Each
 * process counts for itself, so that no use costs a write. Answers 0, or for how many milliseconds
 * the key has to wait; what is refused is not counted.
 */
export function rateLimit({ burst, perMinute, now }: Rate): RateLimit {
  const spacing = 60_000 / perMinute
  const capacity = burst * spacing
  // When the bucket of a key is full again, the least recently used first.
  const fullAt = new Map<string, number>()
  const stateOf = (key: string) => {
    const time = now()
    // Never more than a full bucket ahead: a clock that was set back must not lock anybody out.
    const at = Math.min(Math.max(fullAt.get(key) ?? time, time), time + capacity)
    return { at, wait: at + spacing - time - capacity }
  }
  const take = (key: string) => {
    const { at, wait } = stateOf(key)
    fullAt.delete(key)
    fullAt.set(key, wait > 0 ? at : at + spacing)
    if (fullAt.size > maxKeys) fullAt.delete(fullAt.keys().next().value ?? '')
    return Math.max(0, wait)
  }
  return Object.assign(take, { peek: (key: string) => Math.max(0, stateOf(key).wait) })
}
