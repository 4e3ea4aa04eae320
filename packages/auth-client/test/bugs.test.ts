import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAuthClient } from '../src/index.ts'
import { answer, drop, hold } from './auth-server.ts'
import { credentials, memoryStorage, setUp, within } from './fixtures.ts'
import { lockManager } from './lock-manager.ts'

// Each test is named after a bug that a widely used client has had; the numbers are those of
// SPEC.md. The server rotates strictly: one refresh token sent twice ends the session.

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('bug 1: concurrent refreshes burn the rotating token', () => {
  test('fifty callers with an expired token cause one refresh and share its result', async () => {
    const { client, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    const before = await client.getAuthorization()
    expire()
    const values = await Promise.all(Array.from({ length: 50 }, () => client.getAuthorization()))
    expect(refreshes()).toBe(1)
    expect(new Set(values).size).toBe(1)
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[0]).not.toBe(before)
  })

  test('explicit refreshes, calls and waiting callers join the one that runs', async () => {
    const { client, expire, refreshes, server } = await setUp()
    await client.signIn(credentials)
    expire()
    const results = await Promise.all([
      client.refresh(),
      client.refresh(),
      client.getAuthorization(),
      client.fetch(`${server.url}/thing`).then((response) => response.status),
    ])
    expect(refreshes()).toBe(1)
    expect(results).toEqual([true, true, await client.getAuthorization(), 200])
  })
})

describe('bug 2: tabs race and the user is signed out', () => {
  test('a tab whose refresh token was already exchanged adopts the newer one', async () => {
    const { client, connect, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const first = await client.getAuthorization()
    expect(await other.getAuthorization()).toBe(first)
    expect(refreshes()).toBe(1)
  })

  test('a tab that waited for another’s refresh adopts it and sends none', async () => {
    vi.stubGlobal('navigator', { locks: lockManager() })
    const { client, connect, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    const tabs = [client, connect(), connect()]
    expire()
    const values = await Promise.all(tabs.map((tab) => tab.getAuthorization()))
    expect(refreshes()).toBe(1)
    expect(values[0]).toMatch(/^Bearer /)
    expect(new Set(values).size).toBe(1)
  })

  test('a refused refresh is no sign-out when the storage holds a newer token by then', async () => {
    // Without locks: the first tab exchanges the same token while the other waits for its answer.
    vi.stubGlobal('navigator', undefined)
    const { client, connect, expire, server } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const slow = other.getAuthorization()
    await late.reached
    const first = await client.getAuthorization()
    late.release()
    expect(await slow).toBe(first)
    expect(other.getState().status).toBe('signedIn')
    expect(await client.getAuthorization()).toBe(first)
  })
})

describe('bug 4: a listener that calls the client deadlocks it', () => {
  test('a listener may wait for an authorization and for a refresh', async () => {
    const { client, expire } = await setUp()
    const seen: (string | null)[] = []
    client.subscribe(() => {
      void client.getAuthorization().then((value) => seen.push(value))
    })
    await client.signIn(credentials)
    expire()
    expect(await within(2000, client.getAuthorization())).toMatch(/^Bearer /)
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1))
  })

  test('a listener runs after the call that caused the change, on a stack of its own', async () => {
    const { client } = await setUp()
    await client.signIn(credentials)
    const order: string[] = []
    client.subscribe((state) => order.push(state.status))
    const ended = client.signOut()
    order.push('the call is made')
    await ended
    expect(order).toEqual(['the call is made', 'signedOut'])
  })

  test('a listener that throws harms neither the client nor the other listeners', async () => {
    const { client, errors } = await setUp()
    const seen = vi.fn()
    client.subscribe(() => {
      throw new Error('listener')
    })
    client.subscribe(seen)
    expect(await client.signIn(credentials)).toBe(true)
    await vi.waitFor(() => expect(seen).toHaveBeenCalled())
    expect(errors).toEqual([new Error('listener')])
  })
})

describe('bug 5: signing out offline keeps the tokens', () => {
  test('the tokens are gone though the service cannot be reached', async () => {
    const { client, connect, storage, server } = await setUp()
    await client.signIn(credentials)
    server.fail('/api/logout', drop)
    await client.signOut()
    expect(client.getState().status).toBe('signedOut')
    expect(storage.items.size).toBe(0)
    expect(await connect().getAuthorization()).toBeNull()
  })

  test('sign-out does not wait for the service', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    const never = hold()
    server.fail('/api/logout', never.fault)
    await within(500, client.signOut())
    await never.reached
    never.release()
  })

  test('an expired token is not refreshed for the sign-out', async () => {
    const { client, server, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    expire()
    await client.signOut()
    await vi.waitFor(() => expect(server.callsTo('/api/logout')).toHaveLength(1))
    expect(refreshes()).toBe(0)
  })
})

describe('bug 6: a late refresh resurrects a session or reaches the next user', () => {
  test('a refresh that ends after the sign-out changes nothing', async () => {
    const { client, storage, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const waiting = client.getAuthorization()
    await late.reached
    await client.signOut()
    late.release()
    expect(await within(2000, waiting)).toBeNull()
    expect(client.getState().status).toBe('signedOut')
    expect(storage.items.size).toBe(0)
  })

  test('a refresh of the last user does not reach the next one', async () => {
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const waiting = client.getAuthorization()
    await late.reached
    await client.signOut()
    await client.signIn({ ...credentials, email: 'next@grove.test' })
    late.release()
    await waiting
    expect(client.getState()).toMatchObject({
      status: 'signedIn',
      session: { userId: 'user-next@grove.test' },
    })
  })

  test('a sign-out in another tab counts though this tab was not told of it', async () => {
    const { client, connect, storage, server, expire } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const waiting = client.getAuthorization()
    await late.reached
    await other.signOut()
    late.release()
    expect(await waiting).toBeNull()
    expect(storage.items.size).toBe(0)
  })

  test('a sign-in that ends after a sign-out does not sign in', async () => {
    const { client, server } = await setUp()
    const late = hold()
    server.fail('/api/token/password', late.fault)
    const signingIn = client.signIn(credentials)
    await late.reached
    await client.signOut()
    late.release()
    expect(await signingIn).toBe(false)
    expect(client.getState().status).toBe('signedOut')
  })
})

describe('bug 7: a failing server deletes the session', () => {
  test.each([
    ['500', answer(500, { code: 'internal_error' })],
    ['503 as HTML', answer(503, '<h1>Down</h1>')],
    ['429', answer(429, { code: 'too_many_attempts' })],
    ['408', answer(408, {})],
    ['425', answer(425, {})],
    ['a proxy’s 403 page', answer(403, '<h1>Forbidden</h1>')],
    ['a proxy’s 401 page', answer(401, '<h1>Sign in to the network</h1>')],
    ['400 for another reason', answer(400, { code: 'unsupported_api_version' })],
    ['200 without a token', answer(200, '<h1>Welcome to this hotel</h1>')],
    ['a dropped connection', drop],
  ])('%s keeps the session, gives no authorization, and works later', async (_, fault) => {
    const { client, server, expire, time, storage } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', fault)
    expect(await client.getAuthorization()).toBeNull()
    expect(client.getState().status).toBe('expired')
    expect(storage.items.size).toBe(2)
    time.now += 60_000
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })

  test.each([
    ['401 of the service', answer(401, { code: 'invalid_refresh_token' })],
    ['401 of a service with another error shape', answer(401, { message: 'no' })],
    ['403 of a disabled account', answer(403, { code: 'account_disabled' })],
    ['400 as OAuth says it', answer(400, { error: 'invalid_grant' })],
  ])('%s ends the session', async (_, fault) => {
    const { client, server, expire, storage } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', fault)
    expect(await client.getAuthorization()).toBeNull()
    expect(client.getState().status).toBe('signedOut')
    expect(storage.items.size).toBe(0)
  })

  test('a failing server is asked again after growing pauses, not by every call', async () => {
    const { client, server, expire, time, refreshes } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', ...Array.from({ length: 4 }, () => answer(503, {})))
    const asked: number[] = []
    for (let second = 0; second < 16; second++) {
      const before = refreshes()
      for (let call = 0; call < 5; call++) await client.getAuthorization()
      if (refreshes() > before) asked.push(second)
      time.now += 1000
    }
    expect(asked).toEqual([0, 1, 3, 7, 15])
    expect(client.getState().status).toBe('signedIn')
  })

  test('Retry-After is respected', async () => {
    const { client, server, expire, time, refreshes } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', answer(503, {}, { 'retry-after': '30' }))
    await client.getAuthorization()
    time.now += 29_000
    expect(await client.getAuthorization()).toBeNull()
    expect(refreshes()).toBe(1)
    time.now += 1000
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })
})

describe('bug 8: a wrong clock refreshes on every call', () => {
  test.each([2 * 3600, -2 * 3600])('a clock off by %i seconds refreshes nothing', async (ahead) => {
    const { client, server, refreshes, time } = await setUp()
    server.settings.ahead = ahead
    await client.signIn(credentials)
    for (let read = 0; read < 20; read++) {
      expect(await client.getAuthorization()).toMatch(/^Bearer /)
      time.now += 1000
    }
    expect(refreshes()).toBe(0)
    time.now += 600_000
    await client.getAuthorization()
    expect(refreshes()).toBe(1)
  })

  test('without an issue time the spacing still holds', async () => {
    const { client, server, refreshes, time } = await setUp()
    server.settings.ahead = -2 * 3600
    server.settings.withIssuedAt = false
    await client.signIn(credentials)
    for (let read = 0; read < 20; read++) {
      await client.getAuthorization()
      time.now += 1000
    }
    expect(refreshes()).toBe(1)
  })

  test('a clock that is set back does not keep a token for ever', async () => {
    const { client, connect, refreshes, time } = await setUp()
    await client.signIn(credentials)
    time.now -= 24 * 3600 * 1000
    const reloaded = connect()
    expect(await reloaded.getAuthorization()).toMatch(/^Bearer /)
    time.now += 601_000
    await reloaded.getAuthorization()
    expect(refreshes()).toBe(1)
  })
})

describe('bug 10: one failure after waking stops the renewal', () => {
  test('the failure is forgotten when the connection is back', async () => {
    const target = new EventTarget()
    vi.stubGlobal('window', target)
    vi.stubGlobal('document', Object.assign(new EventTarget(), { cookie: '', baseURI: 'http://x' }))
    vi.stubGlobal('location', { origin: 'http://x' })
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', drop)
    expect(await client.getAuthorization()).toBeNull()
    expect(await client.getAuthorization()).toBeNull()
    target.dispatchEvent(new Event('online'))
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })
})

describe('bug 11: a timer beyond 24.8 days fires at once', () => {
  test('a token of a hundred days is neither renewed nor checked in a loop', async () => {
    const { client, server, refreshes } = await setUp()
    server.settings.lifetime = 100 * 24 * 3600
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await client.signIn(credentials)
    await new Promise((resolve) => setImmediate(resolve))
    const delays = timers.mock.calls.map(([, delay]) => delay ?? 0)
    expect(Math.max(...delays)).toBe(2 ** 31 - 1)
    expect(client.getState().status).toBe('signedIn')
    expect(refreshes()).toBe(0)
    timers.mockRestore()
  })

  test('the end of such a token is still seen, on the day', async () => {
    const { server } = await setUp()
    server.settings.lifetime = 100 * 24 * 3600
    const client = createAuthClient({
      authUrl: server.url,
      realm: 'grove',
      stage: 'test',
      storage: memoryStorage(),
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    await client.signIn(credentials)
    await vi.advanceTimersByTimeAsync(99.9 * 24 * 3600 * 1000)
    expect(client.getState().status).toBe('signedIn')
    await vi.advanceTimersByTimeAsync(0.2 * 24 * 3600 * 1000)
    expect(client.getState().status).toBe('expired')
    client.close()
  })
})

describe('bug 12: a bad stored token breaks the construction', () => {
  const key = 'grove.auth/test/grove/user/user-a@grove.test'

  test.each([
    ['no JSON', '{"tokenType":'],
    ['JSON null', 'null'],
    ['an array', '[]'],
    ['a number for a token', '{"tokenType":"Bearer","accessToken":5}'],
    ['an empty text', ''],
    ['a lone surrogate', '"\\ud800"'],
  ])('%s is read as signed out', async (_, text) => {
    const { client, connect, storage } = await setUp()
    await client.signIn(credentials)
    expect(storage.items.has(key)).toBe(true)
    storage.items.set(key, text)
    const next = connect()
    expect(next.getState().status).toBe('signedOut')
    expect(await next.signIn(credentials)).toBe(true)
    expect(connect().getState().status).toBe('signedIn')
  })

  test('a token that is no JWT is kept and used until it is refused', async () => {
    const { connect, storage } = await setUp()
    storage.items.set('grove.auth/test/grove/current', key)
    storage.items.set(key, '{"tokenType":"Bearer","accessToken":"opaque"}')
    const client = connect()
    expect(await client.getAuthorization()).toBe('Bearer opaque')
    expect(await client.tokenDetails()).toMatchObject({ is_valid: false, is_expired: true })
  })

  test('nothing that the options hold makes it throw', () => {
    const broken = () =>
      createAuthClient({
        authUrl: 'not an address',
        realm: '\ud800',
        stage: '%/',
        verification: { jwksUrl: 'also not' },
      })
    expect(broken).not.toThrow()
  })
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

  test('a storage that fills up does not bring an older token back', async () => {
    const { connect, expire } = await setUp()
    const storage = memoryStorage()
    const client = connect({ storage })
    await client.signIn(credentials)
    storage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    expire()
    const renewed = await client.getAuthorization()
    expect(renewed).toMatch(/^Bearer /)
    expect([...storage.items.keys()]).toEqual(['grove.auth/test/grove/current'])
    expect(await client.getAuthorization()).toBe(renewed)
  })
})

describe('bug 15: request storms and a refresh that calls itself', () => {
  test('a 401 is answered with one refresh and one more try', async () => {
    const { client, server, refreshes } = await setUp()
    await client.signIn(credentials)
    server.forgetAccessTokens()
    const response = await client.fetch(`${server.url}/thing`)
    expect(response.status).toBe(200)
    expect(server.callsTo('/thing')).toHaveLength(2)
    expect(refreshes()).toBe(1)
  })

  test('a call that is always refused is tried twice, and no more', async () => {
    const { client, server, refreshes } = await setUp()
    await client.signIn(credentials)
    server.fail('/thing', ...Array.from({ length: 9 }, () => answer(401, { code: 'no' })))
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(401)
    expect(server.callsTo('/thing')).toHaveLength(2)
    for (let call = 0; call < 5; call++) await client.fetch(`${server.url}/thing`)
    expect(refreshes()).toBe(1)
  })

  test.each([
    ['for now', answer(503, {})],
    ['for good', answer(401, { code: 'invalid_refresh_token' })],
  ])('a 401 whose refresh fails %s is the answer, and is not tried again', async (_, fault) => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    server.forgetAccessTokens()
    server.fail('/api/token/refresh', fault)
    const response = await client.fetch(`${server.url}/thing`)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'unauthorized' })
    expect(server.callsTo('/thing')).toHaveLength(1)
  })

  test('twenty calls refused at once share one refresh and all succeed', async () => {
    const { client, server, refreshes } = await setUp()
    await client.signIn(credentials)
    server.forgetAccessTokens()
    const calls = Array.from({ length: 20 }, () => client.fetch(`${server.url}/thing`))
    const statuses = (await Promise.all(calls)).map((response) => response.status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(refreshes()).toBe(1)
  })

  test('a refresh that is refused with 401 is not refreshed', async () => {
    const { client, server, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    server.endAllSessions()
    expire()
    const response = await client.fetch(`${server.url}/thing`)
    expect(response.status).toBe(401)
    expect(refreshes()).toBe(1)
    expect(server.callsTo('/thing')[0]?.headers.authorization).toBeUndefined()
    expect(client.getState().status).toBe('signedOut')
  })
})
