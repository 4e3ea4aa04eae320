/** Where tokens are stored: any synchronous storage, such as `localStorage`. */
export interface SessionStorageAdapter {
  /** The value; null if there is none. If it throws, memory is used. */
  getItem(key: string): string | null
  /** Stores the value. If it throws, memory is used. */
  setItem(key: string, value: string): void
  /** Removes the value. */
  removeItem(key: string): void
}

/** One of the browser's by name, or a custom one. */
export type StorageChoice = 'local' | 'session' | 'memory' | SessionStorageAdapter

/** A storage that never throws. */
export interface SafeStorage extends SessionStorageAdapter {
  /** False if the storage refused and the value is only in memory. */
  setItem(key: string, value: string): boolean
}

function open(choice: StorageChoice): SessionStorageAdapter | null {
  if (typeof choice !== 'string') return choice
  // Only if there is a document: Node's own `localStorage` is a file shared by processes.
  if (choice === 'memory' || !globalThis.document) return null
  return globalThis[`${choice}Storage`]
}

/**
 * A storage that never throws. What the real one refuses (denied, full, silently dropped) is kept in
 * memory for the life of the page.
 */
export function openStorage(
  choice: StorageChoice,
  report: (error: unknown) => void = () => {},
): SafeStorage {
  let isReported = false
  const refused = (cause?: unknown) => {
    if (!isReported) report(new Error('The storage refused a write', { cause }))
    isReported = true
    return false
  }

  // null: removed here, although the real storage could not be changed.
  const memory = new Map<string, string | null>()
  // The last value read, in case the storage becomes denied while the page lives.
  const seen = new Map<string, string | null>()

  const attempt = (work: (storage: SessionStorageAdapter) => unknown): unknown => {
    try {
      // Reading the property `localStorage` itself throws if site data is blocked.
      const storage = open(choice)
      return storage && work(storage)
    } catch (error) {
      return refused(error)
    }
  }

  const read = (storage: SessionStorageAdapter, key: string) => {
    const value = storage.getItem(key)
    seen.set(key, value)
    return value
  }

  const remove = (key: string) =>
    attempt((storage) => {
      storage.removeItem(key)
      return read(storage, key) === null
    })

  return {
    getItem(key) {
      const kept = memory.get(key)
      if (kept !== undefined) return kept
      attempt((storage) => read(storage, key))
      return seen.get(key) ?? null
    },
    setItem(key, value) {
      const written = attempt((storage) => {
        storage.setItem(key, value)
        return read(storage, key) === value || refused()
      })
      if (written) {
        memory.delete(key)
      } else {
        // An outdated token must not come back on the next page load.
        remove(key)
        memory.set(key, value)
      }
      return written !== false
    },
    removeItem(key) {
      if (remove(key)) memory.delete(key)
      else memory.set(key, null)
    },
  }
}
