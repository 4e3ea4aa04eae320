/** A connection of the last minutes, oldest first. */
export interface RecentConnection {
  boot: string
  ip: string
  /** Another connection of the same device took its place. */
  isReplaced: boolean
}

export interface Rivals {
  /** How often one took the place of the other. */
  times: number
  ips: string[]
}

/** A boot that returns this often is not the same device. */
const fewestReturns = 2
const fewestReplaced = 6

/**
 * Whether two devices take the connection from each other. A device that restarts has a new boot each
 * time and never an earlier one, and one on a bad line keeps its boot: only two devices alternate.
 * Copies of one disk may have the same boot; they have several addresses and replace each other again
 * and again.
 */
export function rivalsAmong(recent: readonly RecentConnection[]): Rivals | null {
  const times = recent.filter(({ isReplaced }) => isReplaced).length
  const ips = [...new Set(recent.map(({ ip }) => ip))]
  const seen = new Set<string>()
  let returns = 0
  let last = ''
  for (const { boot } of recent) {
    if (boot !== last && seen.has(boot)) returns += 1
    seen.add(boot)
    last = boot
  }
  const isAlternating = times > 0 && returns >= fewestReturns
  const areCopies = times >= fewestReplaced && ips.length > 1 && seen.size === 1
  return isAlternating || areCopies ? { times, ips } : null
}
