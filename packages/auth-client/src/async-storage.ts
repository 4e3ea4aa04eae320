import type { SessionStorageAdapter } from './session/storage.ts'

/** An asynchronous storage, such as React Native's AsyncStorage. */
export interface AsyncStorageAdapter {
  /** Resolves to the value; null if there is none. */
  getItem(key: string): Promise<string | null>
  /** Resolves when the value is stored. */
  setItem(key: string, value: string): Promise<unknown>
  /** Resolves when the value is removed. */
  removeItem(key: string): Promise<unknown>
}

/** The storage of a client, which also says when its contents are written. */
export interface OpenedAsyncStorage extends SessionStorageAdapter {
  /** Resolves when all changes so far are written or refused. */
  written(): Promise<void>
}

/** The options of `openAsyncStorage`. */
export interface AsyncStorageOptions {
  /** The one key under which everything is stored; default: `grove.auth`. */
  key?: string
  /** Called when a write is refused; default: `console.warn`. */
  onError?: (error: unknown) => void
}

/**
 * Reads an asynchronous storage once, and returns the storage for a client. Changes take effect at
 * once and are written one after another, always the latest state. Rejects if the storage cannot be
 * read.
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

/** The entries that this wrote before; empty if something else wrote there. */
function parse(text: string | null): Map<string, string> {
  try {
    const entries = JSON.parse(text ?? '[]') as [string, string][]
    return new Map(entries.filter((entry) => entry.every((part) => typeof part === 'string')))
  } catch {
    return new Map()
  }
}
