/** The list with one of its members at another place; places beyond the ends are the ends. */
export function move<T>(list: readonly T[], from: number, to: number): T[] {
  const [moved] = list.slice(from, from + 1)
  if (moved === undefined) return [...list]
  const others = list.toSpliced(from, 1)
  return others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, moved)
}
