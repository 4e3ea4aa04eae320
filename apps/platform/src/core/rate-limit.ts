interface Rate {
  /** Burst size. */
  burst: number
  perMinute: number
  now: () => number
}

// Far more than use a process within the same minute.
const maxKeys = 10_000

/** Counts a use, and returns how many milliseconds its key has to wait. */
export interface RateLimit {
  (key: string): number
  /** How long a use would have to wait; does not count it. */
  peek: (key: string) => number
}

/**
 * Token buckets by key, such as an account or a network. Each process counts for itself, so a use
 * costs no write. Returns 0, or how many milliseconds the key has to wait; refused uses are not
 * counted.
 */
export function rateLimit({ burst, perMinute, now }: Rate): RateLimit {
  const spacing = 60_000 / perMinute
  const capacity = burst * spacing
  // When each key's bucket is full again, least recently used first.
  const fullAt = new Map<string, number>()
  const stateOf = (key: string) => {
    const time = now()
    // At most a full bucket ahead: a clock that was set back must not lock anyone out.
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
