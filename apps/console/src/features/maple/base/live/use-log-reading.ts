import { useRef, useState } from 'react'
import { placeOf, type LiveLog, type Numbered } from './live-log.ts'
import { useLogVersion } from './log-view.tsx'

/** A reader's actions on a log: selecting an item, stepping through items, pausing and following. */
export function useLogReading<Item extends Numbered>(log: LiveLog<Item>, first?: number) {
  useLogVersion(log)
  const [selected, setSelected] = useState(first)
  const [pausedAt, setPausedAt] = useState<number>()
  const [isFollowing, setFollowing] = useState(first === undefined)
  const details = useRef<HTMLElement>(null)
  const all = log.all()
  const shown = log.shown()
  const isPaused = pausedAt !== undefined
  const found = selected === undefined ? undefined : all[placeOf(all, selected)]
  const select = (seq: number) => {
    setSelected(seq)
    if (seq !== shown.at(-1)?.seq) setFollowing(false)
  }
  return {
    all,
    shown,
    selected,
    /** The selected item, if it is loaded. */
    item: found?.seq === selected ? found : undefined,
    details,
    select,
    deselect: () => setSelected(undefined),
    step: (by: number) => {
      const place = selected === undefined ? -1 : placeOf(shown, selected)
      const next = shown[Math.min(Math.max(place + by, 0), shown.length - 1)]
      if (next) select(next.seq)
    },
    pausedAt,
    isPaused,
    togglePause: () => setPausedAt(isPaused ? undefined : (all.at(-1)?.seq ?? 0)),
    /** Items that arrived while it was paused. */
    unseen: isPaused ? all.length - placeOf(all, pausedAt + 1) : 0,
    isFollowing,
    setFollowing,
  }
}

export type LogReading = Omit<ReturnType<typeof useLogReading<Numbered>>, 'all' | 'shown' | 'item'>
