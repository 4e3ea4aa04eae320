import { defaultPageSize } from '@grove/contract/page.rules'

/** How a reader wants a list to look, remembered in this browser. */
export interface ListPreferences {
  /** IDs of hidden columns; undefined: the page's default. */
  hide?: string[]
  /** The maximum number of rows per page. */
  limit?: number
  density?: Density
}

/** The row height; `cards` if the list has them. */
export type Density = (typeof densities)[number]
const densities = ['comfortable', 'compact', 'cards'] as const

const keyOf = (name: string) => `grove.list.${name}`
const none: ListPreferences = {}
// What was loaded or chosen; where storage is denied it lasts as long as the page.
const known = new Map<string, ListPreferences>()
const listeners = new Set<() => void>()

/** The storage can contain anything: another release or a person may have written it. */
export function parsePreferences(text: string | null): ListPreferences {
  let stored: unknown
  try {
    stored = JSON.parse(text ?? '')
  } catch {
    return none
  }
  if (typeof stored !== 'object' || stored === null) return none
  const { hide, limit, ...rest } = stored as Record<string, unknown>
  const density = densities.find((each) => each === rest['density'])
  return {
    ...(Array.isArray(hide) && { hide: hide.filter((id) => typeof id === 'string') }),
    ...(typeof limit === 'number' && { limit }),
    ...(density && { density }),
  }
}

export function readPreferences(name: string): ListPreferences {
  const found = known.get(name)
  if (found) return found
  let text: string | null = null
  try {
    text = localStorage.getItem(keyOf(name))
  } catch {
    // Storage is denied.
  }
  const read = parsePreferences(text)
  known.set(name, read)
  return read
}

export const pageSizes: readonly number[] = [25, 50, 100, 200]

/** The number of rows per page, among the sizes to choose from. */
export function pageSizeOf(
  name: string,
  size = readPreferences(name).limit,
  sizes: readonly number[] = pageSizes,
): number {
  return sizes.find((each) => each === size) ?? defaultPageSize
}

export function changePreferences(name: string, change: ListPreferences) {
  const next = { ...readPreferences(name), ...change }
  known.set(name, next)
  try {
    localStorage.setItem(keyOf(name), JSON.stringify(next))
  } catch {
    // Storage is denied or full: the choice lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

export function subscribeToPreferences(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
