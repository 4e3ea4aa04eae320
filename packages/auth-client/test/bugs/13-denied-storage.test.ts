import { afterEach, describe, expect, test, vi } from 'vitest'
import { credentials, memoryStorage, setUp } from '../fixtures.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('bug 13: a storage that is denied or full loses the session', () => {
  const full = () => ({
    ...memoryStorage(),
    setItem() {
      throw new DOMException('full', 'QuotaExceededError')
    },
  })
  const denied = () => ({
    getItem: (): string | null => {
      throw new DOMException('denied', 'SecurityError')
    },
    setItem() {
      throw new DOMException('denied', 'SecurityError')
    },
    removeItem() {
      throw new DOMException('denied', 'SecurityError')
    },
  })
  const forgetful = () => ({ getItem: () => null, setItem() {}, removeItem() {} })

  test.each([
    ['full', full],
    ['denied', denied],
    ['forgetful', forgetful],
  ])('a %s storage: the session lives in memory', async (_, storage) => {
    const { connect, expire, refreshes } = await setUp()
    const client = connect({ storage: storage() })
    expect(await client.signIn(credentials)).toBe(true)
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expire()
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expect(refreshes()).toBe(1)
    await client.signOut()
    expect(await client.getAuthorization()).toBeNull()
  })

  test('reading the property localStorage may throw', async () => {
    vi.stubGlobal('document', Object.assign(new EventTarget(), { cookie: '', baseURI: 'http://x' }))
    vi.stubGlobal('location', { origin: 'http://x' })
    Object.defineProperty(globalThis, 'localStorage', {
      configurable: true,
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    })
    const { connect } = await setUp()
    const client = connect({ storage: undefined })
    expect(await client.signIn(credentials)).toBe(true)
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    Reflect.deleteProperty(globalThis, 'localStorage')
  })

  test('a storage that becomes denied later ends nothing', async () => {
    const { connect, expire, refreshes } = await setUp()
    const allowed = memoryStorage()
    let isDenied = false
    const storage = new Proxy(allowed, {
      get(target, name) {
        if (isDenied) throw new DOMException('denied', 'SecurityError')
        return Reflect.get(target, name) as unknown
      },
    })
    const client = connect({ storage })
    await client.signIn(credentials)
    isDenied = true
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expire()
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expect(refreshes()).toBe(1)
    await client.signOut()
    expect(await client.getAuthorization()).toBeNull()
  })

  test('a storage that fills up does not bring an older token back', async () => {
    const { connect, expire, errors } = await setUp()
    const storage = memoryStorage()
    const client = connect({ storage })
    await client.signIn(credentials)
    storage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    expire()
    const renewed = await client.getAuthorization()
    expect(renewed).toMatch(/^Bearer /)
    expect(storage.items.size).toBe(0)
    expect(await client.getAuthorization()).toBe(renewed)
    // It is reported once, not by every write.
    expect(errors).toEqual([new Error('The storage refused a write')])
  })
})
