import type { SessionStorageAdapter } from './session/storage.ts'

/** A storage that answers later, such as React Native's AsyncStorage. */
export interface AsyncStorageAdapter {
  /** Resolves to the value; null if there is none. */
  getItem(key: string): Promise<string | null>
  /** Resolves when the value is stored. */
  setItem(key: string, value: string): Promise<unknown>
  /** Resolves when the value is gone. */
  removeItem(key: string): Promise<unknown>
}

/** The storage of a client, and when what it holds is written. */
export interface OpenedAsyncStorage extends SessionStorageAdapter {
  /** Resolves when all that changed so far is written, or was refused. */
  written(): Promise<void>
}

/** How `openAsyncStorage` stores. */
export interface AsyncStorageOptions {
  /** The one key under which everything is stored; default: `grove.auth`. */
  key?: string
  /** Told of a write that was refused; default: `console.warn`. */
  onError?: (error: unknown) => void
}

/**
 * Reads what a storage that answers later holds, once, and returns the storage of a client. Changes
 * count at once and are written one after another, the last state of them. Rejects if it cannot be read.
 */
export async function openAsyncStorage(
  storage: AsyncStorageAdapter,
  { key = 'grove.auth', onError = console.warn }: AsyncStorageOptions = {},
): Promise<OpenedAsyncStorage> {
  const values = parse(await storage.getItem(key))
  let writing = Promise.resolve()
  let isWaiting = false

  async function write(): Promise<void> {
    isWaiting = false
    try {
      await (values.size > 0
        ? storage.setItem(key, JSON.stringify([...values]))
        : storage.removeItem(key))
    } catch (error) {
      onError(error)
    }
  }

  function save(): void {
    if (isWaiting) return
    isWaiting = true
    writing = writing.then(write)
  }

  return {
    getItem: (name) => values.get(name) ?? null,
    setItem(name, value) {
      values.set(name, value)
      save()
    },
    removeItem(name) {
      if (values.delete(name)) save()
    },
    written: () => writing,
  }
}

/** What this wrote before; nothing if somebody else wrote there. */
function parse(text: string | null): Map<string, string> {
  try {
    const entries = JSON.parse(text ?? '[]') as [string, string][]
    return new Map(entries.filter((entry) => entry.every((part) => typeof part === 'string')))
  } catch {
    return new Map()
  }
}
