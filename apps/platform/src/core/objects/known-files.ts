/** What changes when a file is written. */
interface FileMark {
  ino: number
  size: number
  mtimeMs: number
  ctimeMs: number
}

/** How long the hash of a file is believed: damage of the disk behind an unchanged file is found after that. */
const believedMs = 10 * 60_000
const maxKnown = 1000

/** Files whose bytes had the right hash a short while ago. One that was written since is another file. */
export function knownFiles(now = () => performance.now()) {
  const known = new Map<string, { mark: string; until: number }>()
  const markOf = ({ ino, size, mtimeMs, ctimeMs }: FileMark) =>
    [ino, size, mtimeMs, ctimeMs].join(' ')
  return {
    has(sha256: string, file: FileMark): boolean {
      const found = known.get(sha256)
      if (found && found.mark === markOf(file) && now() < found.until) return true
      known.delete(sha256)
      return false
    },
    add(sha256: string, file: FileMark): void {
      known.delete(sha256)
      known.set(sha256, { mark: markOf(file), until: now() + believedMs })
      if (known.size > maxKnown) known.delete(known.keys().next().value ?? '')
    },
  }
}
