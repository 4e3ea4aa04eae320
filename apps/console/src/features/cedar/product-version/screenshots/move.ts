/** The list with one item moved; indices beyond the ends are clamped. */
export function move<T>(list: readonly T[], from: number, to: number): T[] {
  const [moved] = list.slice(from, from + 1)
  if (moved === undefined) return [...list]
  const others = list.toSpliced(from, 1)
  return others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, moved)
}
