import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAuthClient, type AuthClientOptions } from '../src/index.ts'
import { answer, hold } from './auth-server.ts'
import { lockManager } from './lock-manager.ts'
import { credentials, memoryStorage, openTab, setUp } from './fixtures.ts'

afterEach(() => vi.unstubAllGlobals())

describe('refresh', () => {
  test('sends the refresh token and the provider, and stores the answer', async () => {
    const { client, connect, server } = await setUp()
    await client.signIn(credentials)
    const before = await client.getAuthorization()
    expect(await client.refresh()).toBe(true)
    const [call] = server.callsTo('/api/token/refresh')
    expect(call?.body).toEqual({ refreshToken: expect.any(String) as string, provider: 'grove' })
    expect(call?.headers['api-version']).toBe('1')
    expect(call?.headers.authorization).toBeUndefined()
    const after = await client.getAuthorization()
    expect(after).not.toBe(before)
    expect(await connect().getAuthorization()).toBe(after)
  })

  test('is false when signed out and on a failure, and never rejects', async () => {
    const { client, server, errors } = await setUp()
    expect(await client.refresh()).toBe(false)
    await client.signIn(credentials)
    const before = await client.getAuthorization()
    server.fail('/api/token/refresh', answer(500, {}))
    expect(await client.refresh()).toBe(false)
    expect(errors).toEqual([expect.objectContaining({ status: 500 })])
    // The token has not expired, so it is still used.
    expect(await client.getAuthorization()).toBe(before)
  })

  test('an answer without a refresh token keeps the stored one', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    const accessToken = await server.sign({ sub: 'user-a@grove.test' })
    server.fail('/api/token/refresh', answer(200, { token: { tokenType: 'Bearer', accessToken } }))
    expect(await client.refresh()).toBe(true)
    expect(await client.getAuthorization()).toBe(`Bearer ${accessToken}`)
    expect(await client.refresh()).toBe(true)
  })
})

describe('the stored session', () => {
  test('has a key for each stage, realm and user, and a pointer to the current one', async () => {
    const { client, connect, storage } = await setUp()
    await client.signIn(credentials)
    const stage = connect({ stage: 'test/other' })
    await stage.signIn(credentials)
    expect([...storage.items.keys()].toSorted()).toEqual([
      'grove.auth/test%2Fother/grove/current',
      'grove.auth/test%2Fother/grove/user/user-a@grove.test',
      'grove.auth/test/grove/current',
      'grove.auth/test/grove/user/user-a@grove.test',
    ])
    await stage.signOut()
    expect(client.getState().status).toBe('signedIn')
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })

  test('another user replaces the last one', async () => {
    const { client, storage } = await setUp()
    await client.signIn(credentials)
    await client.signIn({ ...credentials, email: 'b@grove.test' })
    expect([...storage.items.keys()].toSorted()).toEqual([
      'grove.auth/test/grove/current',
      'grove.auth/test/grove/user/user-b@grove.test',
    ])
  })

  test('is restored after a reload, and its token expires as before', async () => {
    const { client, connect, time, refreshes } = await setUp()
    await client.signIn(credentials)
    time.now += 400_000
    const reloaded = connect()
    expect(await reloaded.getAuthorization()).toBe(await client.getAuthorization())
    time.now += 201_000
    await reloaded.getAuthorization()
    expect(refreshes()).toBe(1)
  })

  test.each([
    [undefined, 'localStorage'],
    ['local', 'localStorage'],
    ['session', 'sessionStorage'],
    ['memory', 'neither'],
  ] as const)('with the storage %s is kept only in %s', async (storage, place) => {
    const { connect } = await setUp()
    openTab()
    const client = connect({ storage })
    await client.signIn(credentials)
    await client.getAnonymousAuthorization()
    const used = ['localStorage', 'sessionStorage'].filter((name) => {
      const { items } = Reflect.get(globalThis, name) as ReturnType<typeof memoryStorage>
      return items.size > 0
    })
    expect(used).toEqual(place === 'neither' ? [] : [place])
    const isShared = place !== 'neither'
    expect(connect({ storage }).getState().status).toBe(isShared ? 'signedIn' : 'signedOut')
    await client.signOut()
    expect(connect({ storage }).getState().status).toBe('signedOut')
  })

  test('in Node lives in memory, whichever browser storage is named', async () => {
    const { connect } = await setUp()
    const [local, session] = [memoryStorage(), memoryStorage()]
    vi.stubGlobal('localStorage', local)
    vi.stubGlobal('sessionStorage', session)
    for (const storage of ['local', 'session', 'memory'] as const) {
      const client = connect({ storage })
      await client.signIn(credentials)
      expect(await client.getAuthorization()).toMatch(/^Bearer /)
    }
    expect([local.items.size, session.items.size]).toEqual([0, 0])
  })
})

test('creating a client reads neither the clock nor the storage, and generates nothing', () => {
  const clock = vi.fn(() => 0)
  const getItem = vi.fn(() => null)
  const chance = vi.spyOn(crypto, 'getRandomValues')
  const storage = { getItem, setItem: () => {}, removeItem: () => {} }
  const now = vi.spyOn(Date, 'now')
  const client = createAuthClient({ authUrl: 'https://auth.test', realm: 'r', storage, clock })
  for (const read of [clock, getItem, chance, now]) expect(read).not.toHaveBeenCalled()
  expect(client.getState().status).toBe('signedOut')
  expect(clock).toHaveBeenCalled()
  expect(getItem).toHaveBeenCalled()
  client.close()
})

test('missing options are named with the given value', () => {
  const options = { authUrl: undefined, realm: 'r' }
  expect(() => createAuthClient(options as never)).toThrow(
    new TypeError('Give authUrl and realm: undefined, r'),
  )
})

describe('subscribe', () => {
  test('reports the state at once and every later change once, until it is ended', async () => {
    const { client, expire } = await setUp()
    const seen: string[] = []
    const stop = client.subscribe((state) => {
      expect(state).toBe(client.getState())
      seen.push(state.status)
    })
    await client.signIn(credentials)
    expire()
    await client.getAuthorization()
    await client.signOut()
    await Promise.resolve()
    expect(seen).toEqual(['signedOut', 'signedIn', 'refreshing', 'signedIn', 'signedOut'])
    stop()
    await client.signIn(credentials)
    expect(seen).toHaveLength(5)
  })

  test('a listener given twice is called twice, and each is ended separately', async () => {
    const { client } = await setUp()
    const seen = vi.fn()
    const [stop] = [client.subscribe(seen), client.subscribe(seen)]
    await client.signIn(credentials)
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(4))
    stop?.()
    await client.signOut()
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(5))
  })

  test('the state is the same object until it changes', async () => {
    const { client } = await setUp()
    await client.signIn(credentials)
    const state = client.getState()
    await client.getAuthorization()
    await client.tokenDetails()
    expect(client.getState()).toBe(state)
  })
})

test('a client has one timer; a closed one keeps its session, but has no timer', async () => {
  const { client, connect } = await setUp()
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  // The shorter ones belong to the runtime's own fetch.
  const pending = () =>
    set.mock.results
      .filter((_, call) => (set.mock.calls[call]?.[1] ?? 0) > 60_000)
      .map(({ value }) => value as NodeJS.Timeout)
      .filter((timer) => !cleared.mock.calls.some(([one]) => one === timer))
  await client.signIn(credentials)
  // It does not keep the Node process alive.
  expect(pending().map((timer) => timer.hasRef())).toEqual([false])
  expect(await client.refresh()).toBe(true)
  expect(pending()).toHaveLength(1)
  const seen = vi.fn()
  client.subscribe(seen)
  seen.mockClear()
  client.close()
  expect(pending()).toEqual([])
  expect(await client.refresh()).toBe(true)
  expect(await client.getAuthorization()).toMatch(/^Bearer /)
  expect(pending()).toEqual([])
  expect(seen).not.toHaveBeenCalled()
  expect(connect().getState().status).toBe('signedIn')
})

test('the base address may have a trailing slash, and the api-version may differ', async () => {
  const { connect, server } = await setUp()
  const client = connect({ authUrl: `${server.url}/`, apiVersion: '2', storage: memoryStorage() })
  await client.signIn(credentials)
  expect(server.calls[0]?.path).toBe('/api/token/password')
  expect(server.calls[0]?.headers['api-version']).toBe('2')
})

/** Makes timers of this delay fire on demand. */
function heldTimers(delay: number) {
  const held: (() => void)[] = []
  const real = globalThis.setTimeout
  const timers = vi.spyOn(globalThis, 'setTimeout')
  timers.mockImplementation((work: () => void, after?: number) => {
    if (after === delay) held.push(work)
    // A tab gets 1,500 ms to answer; here the answer is immediate.
    return real(work, after === 1500 ? 100 : after)
  })
  onTestFinished(() => timers.mockRestore())
  return { held, fire: () => held.splice(0).forEach((work) => work()) }
}

describe('a refresh that takes long', () => {
  async function slow(options: Partial<AuthClientOptions> = {}) {
    const house = await setUp()
    const client = house.connect(options)
    await client.signIn(credentials)
    house.expire()
    const answering = hold()
    house.server.fail('/api/token/refresh', answering.fault)
    return { ...house, client, answering }
  }

  test('has no limit by default', async () => {
    const { client, answering, refreshes, time } = await slow()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const waiting = client.getAuthorization()
    await answering.reached
    const limits = timers.mock.calls.filter(([work]) => String(work).includes('isLate'))
    expect(limits).toEqual([])
    time.now += 20_000
    answering.release()
    expect(await waiting).toMatch(/^Bearer /)
    expect(refreshes()).toBe(1)
  })

  test('has the limit of the options, and the session stays', async () => {
    const { client, answering, errors } = await slow({ timeout: 50 })
    expect(await client.getAuthorization()).toBeNull()
    expect(client.getState().status).toBe('expired')
    expect(errors).toEqual([expect.objectContaining({ message: 'timeout of 50ms exceeded' })])
    answering.release()
  })

  test('is not resent by another tab while its answer may still arrive', async () => {
    vi.stubGlobal('navigator', { locks: lockManager() })
    const timers = heldTimers(12_000)
    const { client, connect, answering, refreshes } = await slow()
    const other = connect()
    const waiting = [client.getAuthorization(), other.getAuthorization()]
    await answering.reached
    for (let round = 0; round < 2; round++) {
      await vi.waitFor(() => expect(timers.held.length).toBeGreaterThan(0), { timeout: 5000 })
      timers.fire()
    }
    await vi.waitFor(() => expect(timers.held.length).toBeGreaterThan(0), { timeout: 5000 })
    expect(refreshes()).toBe(1)
    answering.release()
    const values = await Promise.all(waiting)
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[1]).toBe(values[0])
    expect(refreshes()).toBe(1)
  })

  test('ends with its signal for only one caller', async () => {
    const { client, answering, server, refreshes } = await slow()
    const controller = new AbortController()
    const { signal } = controller
    const other = client.getAuthorization()
    const given = [
      client.fetch(`${server.url}/thing`, { signal }),
      client.fetch(new Request(`${server.url}/thing`, { signal })),
      client.getAuthorization({ signal }),
      client.refresh({ signal }),
    ]
    const asked = client.request(`${server.url}/thing`, { signal })
    await answering.reached
    controller.abort()
    for (const one of given) await expect(one).rejects.toMatchObject({ name: 'AbortError' })
    await expect(asked).rejects.toMatchObject({ name: 'AuthError', message: 'Request aborted' })
    answering.release()
    expect(await other).toMatch(/^Bearer /)
    expect(refreshes()).toBe(1)
    expect(server.callsTo('/thing')).toHaveLength(0)
  })
})

describe('the options', () => {
  test.each(['authUrl', 'realm'])('without %s are refused by name', (name) => {
    const options = { authUrl: '', realm: 'grove', [name]: undefined } as never
    expect(() => createAuthClient(options)).toThrow(new RegExp(name))
  })

  test('need no stage', async () => {
    const { server, storage } = await setUp()
    const client = createAuthClient({ authUrl: server.url, realm: 'grove', storage })
    await client.signIn(credentials)
    expect([...storage.items.keys()]).toContain('grove.auth/default/grove/current')
    client.close()
  })

  test('may change the paths of calls', async () => {
    const { connect, server } = await setUp()
    const client = connect({
      paths: { '/api/token/password': '/login', '/api/info': '/brokers' },
    })
    await client.signIn(credentials).catch(() => {})
    await client.info('a b').catch(() => {})
    expect(server.calls.map(({ path, query }) => [path, query.get('broker')])).toEqual([
      ['/login', null],
      ['/brokers', 'a b'],
    ])
  })

  test('accept the body of an interface', async () => {
    interface SignIn {
      email: string
      password: string
    }
    const { client } = await setUp()
    const body: SignIn = credentials
    expect(await client.signIn(body)).toBe(true)
  })
})

describe('whose token it is', () => {
  const signedInWith = async (claims: Record<string, unknown>) => {
    const house = await setUp()
    const accessToken = await house.server.sign(claims)
    const token = { tokenType: 'Bearer', accessToken, refreshToken: 'r' }
    house.server.fail('/api/token/password', answer(200, { token }))
    await house.client.signIn(credentials)
    const state = house.client.getState()
    return { ...house, userId: state.status === 'signedOut' ? null : state.session.userId }
  }

  test.each([
    [{ sub: 's', user_id: 'u', preferred_username: 'p', email: 'e' }, 's'],
    [{ user_id: 'u', preferred_username: 'p', email: 'e' }, 'u'],
    [{ preferred_username: 'p', email: 'e' }, 'p'],
    [{ email: 'e' }, 'e'],
  ])('%j', async (claims, userId) => {
    expect((await signedInWith(claims)).userId).toBe(userId)
  })

  test('without a name: sessions are told apart, in every tab and over a refresh', async () => {
    const { client, connect, server, userId, time } = await signedInWith({})
    expect(userId).toMatch(/^session /)
    const other = connect()
    expect(other.getState()).toMatchObject({ session: { userId } })
    const token = { tokenType: 'Bearer', accessToken: await server.sign({}) }
    server.fail('/api/token/refresh', answer(200, { token }))
    expect(await client.refresh()).toBe(true)
    expect(client.getState()).toMatchObject({ session: { userId } })
    time.now += 1
    const next = { tokenType: 'Bearer', accessToken: await server.sign({}) }
    server.fail('/api/token/password', answer(200, { token: next }))
    await client.signIn(credentials)
    expect(client.getState()).not.toMatchObject({ session: { userId } })
  })

  test('has its roles in the claim named by the options', async () => {
    const { connect, server } = await signedInWith({
      sub: 's',
      realm_access: { roles: ['grove-admin'] },
      'https://x/role': 'one',
    })
    expect(server.calls.length).toBeGreaterThan(0)
    const rolesOf = (rolesClaim: string | string[]) => {
      const state = connect({ rolesClaim }).getState()
      return state.status === 'signedOut' ? null : state.session.roles
    }
    expect(rolesOf(['realm_access', 'roles'])).toEqual(['grove-admin'])
    expect(rolesOf('https://x/role')).toEqual(['one'])
    expect(rolesOf(['none', 'here'])).toEqual([])
  })
})
