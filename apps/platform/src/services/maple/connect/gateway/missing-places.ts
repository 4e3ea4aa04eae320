/** Places from the first to the last, both included. */
export type Range = readonly [first: number, last: number]

/** Missing ranges remembered per boot; beyond it the lowest are dropped. */
const maxRanges = 16

export const isIn = (ranges: readonly Range[], place: number): boolean =>
  ranges.some(([first, last]) => place >= first && place <= last)

/**
 * The missing positions of a boot after some messages: those skipped, without those that arrived
 * late. Up to `passed` the others were refused. A library may resend what an earlier connection did
 * not confirm after newer messages.
 */
export function missingAfter(
  { before, missing, passed = 0 }: { before: number; missing: readonly Range[]; passed?: number },
  came: ReadonlySet<number>,
): Range[] {
  const places = [...came].toSorted((a, b) => a - b)
  const highest = Math.max(before, passed, places.at(-1) ?? 0)
  const all = highest > before ? withNext(missing, [before + 1, highest]) : missing
  return all.flatMap((range) => without(range, places)).slice(-maxRanges)
}

/** Refusals one after the other are one range. */
function withNext(ranges: readonly Range[], [first, last]: Range): readonly Range[] {
  const before = ranges.at(-1)
  return before?.[1] === first - 1
    ? [...ranges.slice(0, -1), [before[0], last]]
    : [...ranges, [first, last]]
}

/** The remainder of a range without some sorted positions. */
function without([first, last]: Range, places: readonly number[]): Range[] {
  const left: Range[] = []
  let from = first
  for (const place of places) {
    if (place < from || place > last) continue
    if (place > from) left.push([from, place - 1])
    from = place + 1
  }
  if (from <= last) left.push([from, last])
  return left
}
