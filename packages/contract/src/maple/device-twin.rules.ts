/** Bytes of the desired and of the reported state as JSON, and the levels of both. */
export const longestDesired = 8192
export const longestReported = 32_768
export const deepestTwin = 8

type State = Readonly<Record<string, unknown>>

export const isState = (value: unknown): value is State =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A state with a change (RFC 7396): null removes a key, an object changes the one below it, anything
 * else replaces what was there, arrays as a whole.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isState(patch)) return patch
  const merged = new Map(isState(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  return Object.fromEntries(merged)
}

export interface Difference {
  /** The keys down to the value. */
  path: string[]
  desired: unknown
  /** Undefined where the device does not report it. */
  reported?: unknown
}

/** What the desired state wants otherwise than the device reports. */
export function differencesOf(
  desired: State,
  reported: unknown,
  path: string[] = [],
): Difference[] {
  return Object.entries(desired).flatMap(([key, wanted]) => {
    const found = isState(reported) && Object.hasOwn(reported, key) ? reported[key] : undefined
    const below = [...path, key]
    if (isState(wanted) && Object.keys(wanted).length > 0)
      return differencesOf(wanted, found, below)
    if (isSame(wanted, found)) return []
    return [{ path: below, desired: wanted, ...(found !== undefined && { reported: found }) }]
  })
}

/** The same value, in whatever order the keys of its objects come. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]))
  if (isState(one) && isState(other)) {
    const keys = Object.keys(one)
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
    )
  }
  return one === other
}

/** Levels of arrays and objects inside each other; looks no deeper than one beyond the limit. */
export function isDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  return Object.values(value).some((child) => isDeeperThan(limit - 1, child))
}
