/** What is in a log, in the order of its numbers. */
export interface Numbered {
  seq: number
}

type Test<Item> = (item: Item) => boolean

/** Items that a page keeps, of about a kilobyte each; earlier ones are loaded again on request. */
const maxKept = 100_000
/** Dropped at once, so that the rest is seldom moved. */
const dropped = 10_000

/**
 * A log that grows at its end, and at its beginning when earlier items are loaded. It holds the items
 * that pass the filter as a second list, so that an item is tested once and not with every frame.
 * Listeners hear of changes about ten times a second, however many arrive: more than that nobody reads,
 * and frames between are the reader's.
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

  /** Forgets the oldest. */
  const drop = (count: number) => {
    all = all.slice(count)
    shown = shown.slice(placeOf(shown, all[0]?.seq ?? Infinity))
  }

  return {
    /** Adds what follows; an item that is known already, as after a reconnection, is left out. */
    append(items: readonly Item[]) {
      const last = all.at(-1)?.seq ?? -1
      const fresh = (items[0]?.seq ?? last) > last ? items : items.filter(({ seq }) => seq > last)
      if (fresh.length === 0) return
      for (const item of fresh) all.push(item)
      for (const item of passing(fresh)) shown.push(item)
      if (all.length > most) drop(all.length - most + Math.min(dropped, most / 10))
      changed()
    },
    /** Adds what comes before. */
    prepend(items: readonly Item[]) {
      const first = all[0]?.seq ?? Infinity
      const fresh = items.filter(({ seq }) => seq < first)
      if (fresh.length === 0) return
      all = [...fresh, ...all]
      shown = passes ? [...passing(fresh), ...shown] : [...all]
      changed()
    },
    /** Changes an item that is known, where it is. */
    change(seq: number, work: (item: Item) => Item) {
      for (const list of [all, shown]) {
        const place = list.findLastIndex((item) => item.seq === seq)
        const found = list[place]
        if (found) list[place] = work(found)
      }
      changed()
    },
    /** Shows only what passes; undefined shows everything. */
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
    /** Rises with every change that listeners hear of. */
    version: () => version,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export type LiveLog<Item extends Numbered> = ReturnType<typeof createLiveLog<Item>>

/** Where an item with this number is, or would be: items are in the order of their numbers. */
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
