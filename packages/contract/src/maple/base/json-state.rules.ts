/** Levels of arrays and objects in the state of a device. */
export const deepestState = 8

export type State = Readonly<Record<string, unknown>>

export const isState = (value: unknown): value is State =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Applies a merge patch (RFC 7396): null removes a key, an object patches the nested one, anything
 * else replaces the old value, arrays as a whole.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isState(patch)) return patch
  const merged = new Map(isState(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  return Object.fromEntries(merged)
}

/** Deep equality, independent of key order. */
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

/** Nesting depth of arrays and objects; stops one level beyond the limit. */
export function isDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  return Object.values(value).some((child) => isDeeperThan(limit - 1, child))
}
