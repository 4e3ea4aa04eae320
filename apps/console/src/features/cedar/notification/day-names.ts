import type { DayRange } from '../../../ui/kit/day-range.ts'

/** Every day of a range, as `2026-11-22`. */
export function dayNames({ from, to }: DayRange): string[] {
  const day = 86_400_000
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const count = Math.max(0, Math.round((last - first) / day) + 1)
  return Array.from({ length: Math.min(count, 400) }, (_, index) =>
    new Date(first + index * day).toISOString().slice(0, 10),
  )
}
