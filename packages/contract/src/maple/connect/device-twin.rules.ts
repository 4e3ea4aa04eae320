import { isSame, isState, type State } from '../base/json-state.rules.ts'

/** Bytes of the desired and of the reported state as JSON. */
export const maxDesiredLength = 8192
export const maxReportedLength = 32_768

export interface Difference {
  /** The keys down to the value. */
  path: string[]
  desired: unknown
  /** Undefined where the device does not report it. */
  reported?: unknown
}

/** The differences between the desired and the reported state. */
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
