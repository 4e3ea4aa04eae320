export type ListMove = 'next' | 'previous' | 'first' | 'last'
export type ListCommand = ListMove | 'open' | 'toggle' | 'edit' | 'search'

interface Key {
  key: string
  /** The position on the keyboard: J is J in every layout. */
  code: string
  altKey: boolean
  ctrlKey: boolean
  metaKey: boolean
}

/** The action of a key on a focused list; undefined for keys that are not the list's. */
export function commandOf({ key, code, ...held }: Key): ListCommand | undefined {
  if (held.altKey || held.ctrlKey || held.metaKey) return undefined
  switch (key) {
    case 'ArrowDown':
      return 'next'
    case 'ArrowUp':
      return 'previous'
    case 'Home':
      return 'first'
    case 'End':
      return 'last'
    case 'Enter':
      return 'open'
    case ' ':
      return 'toggle'
    case '/':
      return 'search'
    default:
      return letters[code]
  }
}

const letters: Record<string, ListCommand> = { KeyJ: 'next', KeyK: 'previous', KeyE: 'edit' }

/** The row that a move goes to. */
export function rowAfter(move: ListMove, current: number, count: number): number {
  switch (move) {
    case 'next':
      return Math.min(current + 1, count - 1)
    case 'previous':
      return Math.max(current - 1, 0)
    case 'first':
      return 0
    case 'last':
      return count - 1
  }
}

/** The rows from one to another, in either direction. */
export const rowsBetween = (ids: readonly string[], from: string, to: string): string[] => {
  const [first = 0, last = 0] = [ids.indexOf(from), ids.indexOf(to)].toSorted((a, b) => a - b)
  return first < 0 ? [to] : ids.slice(first, last + 1)
}
