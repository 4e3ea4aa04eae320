/** Where tokens persist: `localStorage`, or anything that answers at once as it does. */
export interface SessionStorageAdapter {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** `localStorage` where there is a document; Node's own of that name is a file shared by processes. */
export function browserStorage(): SessionStorageAdapter | null {
  return typeof document === 'undefined' ? null : globalThis.localStorage
}

/**
 * A storage that never throws. What the real one refuses (denied, full, silently dropped) is
 * kept in memory for the life of the page.
 */
export function withMemoryFallback(
  open: () => SessionStorageAdapter | null,
): SessionStorageAdapter {
  // null: removed, though the real storage could not be told.
  const memory = new Map<string, string | null>()

  const attempt = (work: (storage: SessionStorageAdapter) => boolean): boolean => {
    try {
      // Reading the property `localStorage` itself throws where site data is blocked.
      const storage = open()
      return storage !== null && work(storage)
    } catch {
      return false
    }
  }

  const remove = (key: string) =>
    attempt((storage) => {
      storage.removeItem(key)
      return storage.getItem(key) === null
    })

  return {
    getItem(key) {
      const kept = memory.get(key)
      if (kept !== undefined) return kept
      let value: string | null = null
      attempt((storage) => {
        value = storage.getItem(key)
        return true
      })
      return value
    },
    setItem(key, value) {
      const written = attempt((storage) => {
        storage.setItem(key, value)
        return storage.getItem(key) === value
      })
      if (written) {
        memory.delete(key)
      } else {
        // An older token must not come back with the next page.
        remove(key)
        memory.set(key, value)
      }
    },
    removeItem(key) {
      if (remove(key)) memory.delete(key)
      else memory.set(key, null)
    },
  }
}
