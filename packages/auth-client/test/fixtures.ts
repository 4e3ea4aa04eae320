import { onTestFinished, vi } from 'vitest'
import {
  createAuthClient,
  type AuthClientOptions,
  type SessionStorageAdapter,
} from '../src/index.ts'
import { startAuthServer } from './auth-server.ts'

export const credentials = { email: 'a@grove.test', password: 'Grove2026!', provider: 'grove' }

/** An in-memory storage that several clients can share, as tabs do. */
export function memoryStorage(): SessionStorageAdapter & { items: Map<string, string> } {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
}

/** A server and a factory of clients for it; everything ends with the test. */
export async function setUp() {
  const server = await startAuthServer()
  onTestFinished(() => server.close())
  const storage = memoryStorage()
  const errors: unknown[] = []
  const time = { now: Date.now() }

  function connect(options: Partial<AuthClientOptions> = {}) {
    const client = createAuthClient({
      authUrl: server.url,
      realm: 'grove',
      stage: 'test',
      storage,
      clock: () => time.now,
      onError: (error) => errors.push(error),
      ...options,
    })
    onTestFinished(() => client.close())
    return client
  }

  return {
    server,
    storage,
    errors,
    connect,
    time,
    /** Lets every token of the default lifetime expire. */
    expire: () => void (time.now += 601_000),
    client: connect(),
    refreshes: () => server.callsTo('/api/token/refresh').length,
  }
}

/**
 * Turns this runtime into a page of a new tab with its own storage. `vi.unstubAllGlobals` undoes it.
 */
export function openTab() {
  const sessionStorage = memoryStorage()
  const page = { cookie: '', baseURI: 'https://console.test/login' }
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', Object.assign(new EventTarget(), page))
  vi.stubGlobal('location', new URL('https://console.test/login'))
  vi.stubGlobal('sessionStorage', sessionStorage)
  vi.stubGlobal('localStorage', memoryStorage())
  return sessionStorage
}

/** A tab, and the successive pages in it. */
export async function tab(announced: Record<string, unknown> = {}) {
  const sessionStorage = openTab()
  const house = await setUp()
  house.server.settings.announced = announced
  return { ...house, sessionStorage }
}

/** The test's time limit, for calls that must not hang. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not done in ${milliseconds} ms`)), milliseconds)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
