/** The content of a log, ordered by number. */
export interface Numbered {
  seq: number
}

type Test<Item> = (item: Item) => boolean

/** Items a page keeps, of about a kilobyte each; earlier ones can be reloaded. */
const maxKept = 100_000
/** Dropped together, so that the rest is seldom moved. */
const dropped = 10_000

/**
 * A log that grows at its end, and at its beginning when earlier items are loaded. It keeps the items
 * that pass the filter in a second list, so that an item is tested once and not with every frame.
 * Listeners are notified about ten times a second, however many items arrive: nobody reads faster,
 * and the frames in between are free for scrolling.
 */
export function createLiveLog<Item extends Numbered>(
  frame: (work: () => void) => void = (work) =>
    void setTimeout(() => requestAnimationFrame(work), 90),
  most = maxKept,
) {
  const listeners = new Set<() => void>()
  let all: Item[] = []
  let shown: Item[] = []
  let passes: Test<Item> | undefined
  let version = 0
  let isAwaited = false

  const changed = () => {
    if (isAwaited) return
    isAwaited = true
    frame(() => {
      isAwaited = false
      version++
      for (const listener of listeners) listener()
    })
  }
  const passing = (items: readonly Item[]) => (passes ? items.filter(passes) : items)

  /** Drops the oldest. */
  const drop = (count: number) => {
    all = all.slice(count)
    shown = shown.slice(placeOf(shown, all[0]?.seq ?? Infinity))
  }

  return {
    /** Appends items; a known item, as after a reconnection, is left out. */
    append(items: readonly Item[]) {
      const last = all.at(-1)?.seq ?? -1
      const fresh = (items[0]?.seq ?? last) > last ? items : items.filter(({ seq }) => seq > last)
      if (fresh.length === 0) return
      for (const item of fresh) all.push(item)
      for (const item of passing(fresh)) shown.push(item)
      if (all.length > most) drop(all.length - most + Math.min(dropped, most / 10))
      changed()
    },
    /** Prepends earlier items. */
    prepend(items: readonly Item[]) {
      const first = all[0]?.seq ?? Infinity
      const fresh = items.filter(({ seq }) => seq < first)
      if (fresh.length === 0) return
      all = [...fresh, ...all]
      shown = passes ? [...passing(fresh), ...shown] : [...all]
      changed()
    },
    /** Updates a known item in place. */
    change(seq: number, work: (item: Item) => Item) {
      for (const list of [all, shown]) {
        const place = list.findLastIndex((item) => item.seq === seq)
        const found = list[place]
        if (found) list[place] = work(found)
      }
      changed()
    },
    /** Shows only items that pass; undefined shows all. */
    filter(test: Test<Item> | undefined) {
      passes = test
      shown = [...passing(all)]
      changed()
    },
    clear() {
      all = []
      shown = []
      changed()
    },
    all: (): readonly Item[] => all,
    shown: (): readonly Item[] => shown,
    /** Increases with every change that listeners are notified of. */
    version: () => version,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export type LiveLog<Item extends Numbered> = ReturnType<typeof createLiveLog<Item>>

/** Where an item with this number is, or would be: items are ordered by number. */
export function placeOf(items: readonly Numbered[], seq: number): number {
  let from = 0
  let to = items.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((items[middle]?.seq ?? Infinity) < seq) from = middle + 1
    else to = middle
  }
  return from
}
