/** Changes whenever a file is written. */
interface FileMark {
  ino: number
  size: number
  mtimeMs: number
  ctimeMs: number
}

/** How long a file's hash is trusted: disk damage behind an unchanged file is found after that. */
const believedMs = 10 * 60_000
const maxKnown = 1000

/** Files whose bytes recently had the right hash. A file written since then counts as another. */
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
