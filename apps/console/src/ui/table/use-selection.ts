import { useRef, useState } from 'react'
import { rowsBetween } from './list-keys.ts'

interface Selection {
  ids: ReadonlySet<string>
  filterKey: string | undefined
}

/** The selected rows, on all pages; another filter starts with none. */
export function useSelection(filterKey: string | undefined) {
  const [held, setHeld] = useState<Selection>({ ids: new Set(), filterKey })
  const anchor = useRef<string>(undefined)
  // Rows that the filter no longer lists must not be changed unseen.
  if (held.filterKey !== filterKey) setHeld({ ids: new Set(), filterKey })
  const set = (next: (now: ReadonlySet<string>) => Iterable<string>) =>
    setHeld((now) => ({ ...now, ids: new Set(next(now.ids)) }))

  const add = (ids: readonly string[], isSelected: boolean) =>
    set((now) => (isSelected ? [...now, ...ids] : [...now].filter((id) => !ids.includes(id))))

  return {
    ids: held.ids,
    add,
    /** With Shift: every row from the last selected one to this one. */
    select(listed: readonly string[], id: string, isSelected: boolean, isRange: boolean) {
      const from = isRange ? (anchor.current ?? id) : id
      add(rowsBetween(listed, from, id), isSelected)
      anchor.current = id
    },
    replace: (ids: readonly string[]) => set(() => ids),
    clear: () => set(() => []),
  }
}
