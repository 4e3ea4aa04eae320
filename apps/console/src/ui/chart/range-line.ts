/** The measurements in one column of a chart; `at` is its start. */
export interface RangeColumn {
  at: string
  min: number
  max: number
  first: number
  last: number
  count: number
}

/** A gap is this many times the usual distance between columns. */
const gap = 3

/**
 * The line through the columns: the first, minimum, maximum and last value of each, in seconds since
 * 1970. A null interrupts the line where nothing was measured for long.
 */
export function lineOf(
  columns: readonly RangeColumn[],
  width: number,
): { times: number[]; values: (number | null)[] } {
  const times: number[] = []
  const values: (number | null)[] = []
  const starts = columns.map(({ at }) => Date.parse(at) / 1000)
  const step = width / 1000
  const usual = medianOf(starts.slice(1).map((start, index) => start - (starts[index] ?? start)))
  for (const [index, { min, max, first, last, count }] of columns.entries()) {
    const start = starts[index] ?? 0
    const before = starts[index - 1]
    if (before !== undefined && start - before > Math.max(usual, step) * gap) {
      times.push(before + step)
      values.push(null)
    }
    if (count === 1) {
      times.push(start)
      values.push(first)
      continue
    }
    // A line may have equal times, but a cursor finds only one of them.
    times.push(start, start + step * 0.3, start + step * 0.6, start + step * 0.9)
    values.push(first, min, max, last)
  }
  return { times, values }
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
