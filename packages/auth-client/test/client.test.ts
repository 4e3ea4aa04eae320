import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { HttpError } from '../src/index.ts'
import { answer, drop, hold } from './auth-server.ts'
import { credentials, memoryStorage, openTab, setUp } from './fixtures.ts'

afterEach(() => vi.unstubAllGlobals())

describe('sign-in and sign-up', () => {
  test('send the body as it is, with the api-version, and sign in', async () => {
    const { client, server } = await setUp()
    expect(await client.signIn({ ...credentials, extra: [1] })).toBe(true)
    const [call] = server.callsTo('/api/token/password')
    expect(call?.method).toBe('POST')
    expect(call?.body).toEqual({ ...credentials, extra: [1] })
    expect(call?.headers['api-version']).toBe('1')
    expect(client.getState()).toMatchObject({
      status: 'signedIn',
      session: { userId: 'user-a@grove.test', provider: 'grove', roles: ['DEVELOPER'] },
    })
  })

  test('sign-up signs in as well', async () => {
    const { client, server } = await setUp()
    expect(await client.signUp({ email: 'new@grove.test' })).toBe(true)
    expect(server.callsTo('/api/signup')[0]?.body).toEqual({ email: 'new@grove.test' })
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })

  test.each([
    ['no token type', { token: { accessToken: 'a', refreshToken: 'r' } }],
    ['an empty token type', { token: { accessToken: 'a', tokenType: '' } }],
    ['no token', {}],
    ['no object', 'welcome'],
  ])('an answer with %s is false and keeps nothing', async (_, body) => {
    const { client, server, storage } = await setUp()
    server.fail('/api/token/password', answer(200, body))
    expect(await client.signIn(credentials)).toBe(false)
    expect(client.getState().status).toBe('signedOut')
    expect(storage.items.size).toBe(0)
  })

  test('reject with the server’s body', async () => {
    const { client, server } = await setUp()
    const wrong = client.signIn({ ...credentials, password: 'wrong' })
    await expect(wrong).rejects.toMatchObject({ code: 'wrong_credentials', status: 401 })
    server.fail('/api/signup', answer(409, 'plain words'))
    await expect(client.signUp({})).rejects.toBe('plain words')
  })

  test('reject with the HTTP error when there was no body', async () => {
    const { client, server } = await setUp()
    server.fail('/api/token/password', drop, answer(502, ''))
    const lost = client.signIn(credentials)
    await expect(lost).rejects.toBeInstanceOf(HttpError)
    await expect(lost).rejects.toMatchObject({ message: 'Network Error', code: 'ERR_NETWORK' })
    const failed = client.signIn(credentials)
    await expect(failed).rejects.toThrow('Request failed with status code 502')
  })

  test('a failed sign-in leaves the session of before', async () => {
    const { client } = await setUp()
    await client.signIn(credentials)
    const before = client.getState()
    await client.signIn({ ...credentials, password: 'wrong' }).catch(() => {})
    expect(client.getState()).toBe(before)
  })
})

describe('sign-out', () => {
  test('tells the service the refresh token, the token’s provider and the authorization', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    const state = client.getState()
    if (state.status !== 'signedIn') throw new Error(state.status)
    await client.signOut()
    await vi.waitFor(() => expect(server.callsTo('/api/logout')).toHaveLength(1))
    const [call] = server.callsTo('/api/logout')
    const { refreshToken, accessToken } = state.session.token
    expect(call?.body).toEqual({ refreshToken, provider: 'grove' })
    expect(call?.headers.authorization).toBe(`Bearer ${accessToken}`)
    expect(call?.headers['api-version']).toBe('1')
  })

  test('outlives the page: the call is kept alive', async () => {
    const { connect } = await setUp()
    const send = vi.fn<typeof fetch>((input, init) => fetch(input, init))
    const client = connect({ fetch: send })
    await client.signIn(credentials)
    await client.signOut()
    await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(2))
    const kept = send.mock.calls.map(([address, init]) => [address, init?.keepalive])
    expect(kept[0]).toEqual([expect.stringMatching(/token.password$/), undefined])
    expect(kept[1]).toEqual([expect.stringMatching(/api.logout$/), true])
  })

  test('signed out already: nothing is sent', async () => {
    const { client, server } = await setUp()
    await client.signOut()
    expect(server.calls).toHaveLength(0)
  })

  test.each([
    ['the storage event', 'storage'],
    ['its page when it comes back from the back/forward cache', 'pageshow'],
  ])('in another tab is seen here by %s', async (_, type) => {
    const target = new EventTarget()
    vi.stubGlobal('window', target)
    vi.stubGlobal('document', Object.assign(new EventTarget(), { cookie: '', baseURI: 'http://x' }))
    vi.stubGlobal('location', { origin: 'http://x' })
    const { client, connect } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    const seen = vi.fn()
    client.subscribe(seen)
    await other.signOut()
    expect(client.getState().status).toBe('signedIn')
    target.dispatchEvent(new Event(type))
    expect(client.getState().status).toBe('signedOut')
    await vi.waitFor(() => expect(seen).toHaveBeenCalledWith(client.getState()))
  })
})

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

  test('is false signed out, on a failure, and never rejects', async () => {
    const { client, server, errors } = await setUp()
    expect(await client.refresh()).toBe(false)
    await client.signIn(credentials)
    const before = await client.getAuthorization()
    server.fail('/api/token/refresh', answer(500, {}))
    expect(await client.refresh()).toBe(false)
    expect(errors).toEqual([expect.objectContaining({ status: 500 })])
    // The token has not ended, so it still serves.
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

  test('another user takes the place of the last', async () => {
    const { client, storage } = await setUp()
    await client.signIn(credentials)
    await client.signIn({ ...credentials, email: 'b@grove.test' })
    expect([...storage.items.keys()].toSorted()).toEqual([
      'grove.auth/test/grove/current',
      'grove.auth/test/grove/user/user-b@grove.test',
    ])
  })

  test('is there after a reload, and its token ends when it would have', async () => {
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
  ] as const)('with the storage %s is kept in %s alone', async (storage, place) => {
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

  test('in Node lives in memory, whichever of the browser’s storages is named', async () => {
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

describe('fetch', () => {
  test('adds the bearer token and the api-version', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    await client.fetch(`${server.url}/thing`)
    await client.fetch(new URL('/thing', server.url), { apiVersion: '1.7' })
    await client.fetch(`${server.url}/thing`, { headers: { 'API-Version': '3', 'x-own': 'kept' } })
    const headers = server.callsTo('/thing').map((call) => call.headers)
    expect(headers.map((one) => one['api-version'])).toEqual(['1', '1.7', '3'])
    expect(headers.every((one) => one.authorization?.startsWith('Bearer '))).toBe(true)
    expect(headers[2]?.['x-own']).toBe('kept')
  })

  test('refreshes an expired token first', async () => {
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(200)
    expect(server.calls.map((call) => call.path)).toEqual([
      '/api/token/password',
      '/api/token/refresh',
      '/thing',
    ])
  })

  test('signed out, or with the caller’s own authorization, it is a plain fetch', async () => {
    const { client, server } = await setUp()
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(401)
    await client.signIn(credentials)
    const headers = { authorization: 'Bearer own' }
    expect((await client.fetch(`${server.url}/thing`, { headers })).status).toBe(401)
    const sent = server.callsTo('/thing').map((call) => call.headers.authorization)
    expect(sent).toEqual([undefined, 'Bearer own'])
  })

  test('sends the body again after a 401, of an init and of a Request', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    const init = {
      method: 'PUT',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    }
    for (const again of [
      () => client.fetch(`${server.url}/thing`, init),
      () => client.fetch(new Request(`${server.url}/thing`, init)),
    ]) {
      server.fail('/thing', answer(401, {}))
      const response = await again()
      expect(await response.json()).toEqual({ path: '/thing', body: { a: 1 } })
      await client.signIn(credentials)
    }
    expect(server.callsTo('/thing').map((call) => call.method)).toEqual(Array(4).fill('PUT'))
  })

  test('a page opened again refreshes once after a 401, however young the stored token is', async () => {
    const { client, connect, server } = await setUp()
    await client.signIn(credentials)
    const reopened = connect()
    server.fail('/thing', answer(401, {}))
    expect((await reopened.fetch(`${server.url}/thing`)).status).toBe(200)
    expect(server.callsTo('/api/token/refresh')).toHaveLength(1)
  })

  test('tries again after a 401 that broke off meanwhile', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    let breakOff = () => {}
    server.fail('/thing', (_, response) => {
      response.writeHead(401, { 'content-length': '100' }).write('{')
      breakOff = () => response.destroy()
      return new Promise((resolve) => response.once('close', resolve))
    })
    const renewal = hold()
    server.fail('/api/token/refresh', renewal.fault)
    const calling = client.fetch(`${server.url}/thing`)
    await renewal.reached
    breakOff()
    // The client has seen it when the next call on another connection is answered.
    await client.stageAuth()
    renewal.release()
    expect((await calling).status).toBe(200)
  })

  test('a streamed body is sent once: its 401 is the answer', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    server.fail('/thing', answer(401, {}))
    const body = new Blob(['{}']).stream()
    const init = { method: 'POST', body, duplex: 'half' }
    expect((await client.fetch(`${server.url}/thing`, init)).status).toBe(401)
    expect(server.callsTo('/thing')).toHaveLength(1)
  })

  test('fails as fetch does', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    server.fail('/thing', drop)
    await expect(client.fetch(`${server.url}/thing`)).rejects.toBeInstanceOf(TypeError)
    const signal = AbortSignal.abort()
    const aborted = client.fetch(`${server.url}/thing`, { signal })
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('the anonymous authorization', () => {
  test('is asked for once, kept apart, and renewed when it has ended', async () => {
    const { client, connect, server, storage, expire } = await setUp()
    await client.signIn(credentials)
    const signedIn = await client.getAuthorization()
    const values = await Promise.all([
      client.getAnonymousAuthorization(),
      client.getAnonymousAuthorization(),
    ])
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[1]).toBe(values[0])
    expect(await connect().getAnonymousAuthorization()).toBe(values[0])
    expect(server.callsTo('/api/token/anonymous')).toHaveLength(1)
    expect(await client.getAuthorization()).toBe(signedIn)
    expect(storage.items.has('grove.auth/test/grove/anonymous')).toBe(true)
    expire()
    expect(await client.getAnonymousAuthorization()).not.toBe(values[0])
  })

  test('I20: never serves as a user’s: not signed out, and not when the refresh fails', async () => {
    const { client, server, expire } = await setUp()
    await client.getAnonymousAuthorization()
    expect(await client.getAuthorization()).toBeNull()
    await client.fetch(`${server.url}/thing`)
    await client.signIn(credentials)
    await client.getAnonymousAuthorization()
    expire()
    server.fail('/api/token/refresh', answer(503, {}))
    await client.fetch(`${server.url}/thing`)
    const sent = server.callsTo('/thing').map((call) => call.headers.authorization)
    expect(sent).toEqual([undefined, undefined])
    expect(client.getState()).toMatchObject({ session: { userId: 'user-a@grove.test' } })
  })

  test.each(['signIn', 'signUp'] as const)('I21: is forgotten by %s', async (name) => {
    const { client, server, storage } = await setUp()
    const before = await client.getAnonymousAuthorization()
    await client[name]({ ...credentials, password: 'wrong' }).catch(() => {})
    if (name === 'signIn') expect(await client.getAnonymousAuthorization()).toBe(before)
    await client[name](credentials)
    expect(storage.items.has('grove.auth/test/grove/anonymous')).toBe(false)
    await client.signOut()
    expect(await client.getAnonymousAuthorization()).not.toBe(before)
    expect(server.callsTo('/api/token/anonymous')).toHaveLength(2)
  })

  test.each([
    ['a failing service', answer(500, {})],
    ['a lost connection', drop],
    ['an answer without a token', answer(200, {})],
  ])('is empty with %s, which is logged', async (_, fault) => {
    const { client, server, errors } = await setUp()
    server.fail('/api/token/anonymous', fault)
    expect(await client.getAnonymousAuthorization()).toBe('')
    expect(errors).toHaveLength(1)
    expect(client.getState().status).toBe('signedOut')
    expect(await client.getAnonymousAuthorization()).toMatch(/^Bearer /)
  })
})

describe('every call of the specification', () => {
  const provider = 'grove'
  const email = 'a+b&c@grove.test'
  const token = { refreshToken: 'refresh', provider: 'other-realm' }
  const form = { Provider: 'grove', RedirectUrl: 'https://console.test/login/callback', Code: 'c' }

  /** Method, path, query and body, each whole; `isOpen`: without the authorization header. */
  const specified = [
    { call: 'GET /api/stage/auth', query: {}, body: '', isOpen: true },
    { call: 'GET /api/info', query: { broker: 'sample', provider }, body: '', isOpen: true },
    { call: 'GET /api/info/global', query: { broker: 'sample' }, body: '', isOpen: true },
    { call: 'GET /api/user/exists/email', query: { email, provider }, body: '', isOpen: true },
    { call: 'POST /api/send/validateEmail', query: {}, body: { email, provider }, isOpen: true },
    { call: 'GET /api/token/anonymous', query: {}, body: '', isOpen: true },
    { call: 'POST /api/signup', query: {}, body: { any: ['thing'] }, isOpen: true },
    { call: 'POST /api/token/password', query: {}, body: credentials, isOpen: true },
    { call: 'POST /api/token/refresh', query: {}, body: token, isOpen: true },
    { call: 'POST /api/logout', query: {}, body: token, isOpen: false },
    { call: 'POST /broker/callback', query: {}, body: form, isOpen: true },
  ]

  test('has its method, path, query, body and headers', async () => {
    const { client, server } = await setUp()
    // The provider that a token names goes before the client's own realm.
    const accessToken = await server.sign({ sub: 'u', provider: 'other-realm' })
    const received = { tokenType: 'Bearer', accessToken, refreshToken: 'refresh' }
    server.fail('/api/token/password', answer(200, { token: received }))
    server.fail('/api/token/refresh', answer(200, { token: received }))

    await client.stageAuth()
    await client.info('sample')
    await client.globalInfo('sample')
    await client.emailExists(email)
    await client.sendEmailValidation(email)
    await client.getAnonymousAuthorization()
    await client.signUp({ any: ['thing'] })
    await client.signIn(credentials)
    await client.refresh()
    await client.signOut()
    await vi.waitFor(() => expect(server.callsTo('/api/logout')).toHaveLength(1))
    const login = await client.startExternalLogin()
    await client.completeExternalLogin(server.authorize(login, { code: 'c' }))

    const seen = server.calls.map(({ method, path, query, body, headers }) => {
      expect(headers['api-version']).toBe('1')
      if (headers.authorization) expect(headers.authorization).toBe(`Bearer ${accessToken}`)
      const isOpen = headers.authorization === undefined
      return { call: `${method} ${path}`, query: Object.fromEntries(query), body, isOpen }
    })
    // The external login asks for its configuration once more.
    expect(seen.splice(-2, 1)).toEqual([specified[0]])
    expect(seen).toEqual(specified)
  })

  test.each([
    ['stageAuth', '/api/stage/auth'],
    ['info', '/api/info'],
    ['globalInfo', '/api/info/global'],
    ['emailExists', '/api/user/exists/email'],
    ['sendEmailValidation', '/api/send/validateEmail'],
  ] as const)('%s rejects with the server’s body, or the HTTP error', async (name, path) => {
    const { client, server } = await setUp()
    server.fail(path, answer(429, { code: 'too_many_attempts' }), answer(500, ''), drop)
    await expect(client[name]('a')).rejects.toEqual({ code: 'too_many_attempts' })
    await expect(client[name]('a')).rejects.toMatchObject({ name: 'HttpError', status: 500 })
    await expect(client[name]('a')).rejects.toMatchObject({ message: 'Network Error' })
  })

  test('the external-login info is the service’s own, with its additions', async () => {
    const { client, server } = await setUp()
    const brokers = [{ id: 'sample', name: 'Sample' }]
    server.settings.announced = { pkce: 'S256', brokers, methods: ['password'] }
    expect(await client.stageAuth()).toMatchObject({
      realm: 'grove',
      urls: { redirect: 'https://console.test/login/callback' },
      ...server.settings.announced,
    })
  })

  test('whether an email is known may also be a bare true or false', async () => {
    const { client, server } = await setUp()
    server.fail('/api/user/exists/email', answer(200, true), answer(200, false), answer(200, null))
    const asked = [true, false, false]
    for (const isKnown of asked) expect(await client.emailExists('x@y.zz')).toBe(isKnown)
  })
})

test('emailExists asks for the address in the realm, and rejects with the server’s body', async () => {
  const { client, server } = await setUp()
  expect(await client.emailExists('known@grove.test')).toBe(true)
  expect(await client.emailExists('a+b&c@grove.test')).toBe(false)
  const [, call] = server.callsTo('/api/user/exists/email')
  expect(Object.fromEntries(call?.query ?? [])).toEqual({
    email: 'a+b&c@grove.test',
    provider: 'grove',
  })
  server.fail('/api/user/exists/email', answer(429, { code: 'too_many_attempts' }))
  await expect(client.emailExists('x@y.zz')).rejects.toEqual({ code: 'too_many_attempts' })
})

describe('subscribe', () => {
  test('tells every change once, after it happened, until it is ended', async () => {
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
    expect(seen).toEqual(['signedIn', 'refreshing', 'signedIn', 'signedOut'])
    stop()
    await client.signIn(credentials)
    expect(seen).toHaveLength(4)
  })

  test('one listener that is given twice is told twice, and each is ended by itself', async () => {
    const { client } = await setUp()
    const seen = vi.fn()
    const [stop] = [client.subscribe(seen), client.subscribe(seen)]
    await client.signIn(credentials)
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(2))
    stop?.()
    await client.signOut()
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(3))
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

test('a client has one timer; a closed one keeps its session, and has none any more', async () => {
  const { client, connect } = await setUp()
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  // The shorter ones are those of the runtime's own fetch.
  const pending = () =>
    set.mock.results
      .filter((_, call) => (set.mock.calls[call]?.[1] ?? 0) > 60_000)
      .map(({ value }) => value as NodeJS.Timeout)
      .filter((timer) => !cleared.mock.calls.some(([one]) => one === timer))
  await client.signIn(credentials)
  // It does not keep Node from ending.
  expect(pending().map((timer) => timer.hasRef())).toEqual([false])
  expect(await client.refresh()).toBe(true)
  expect(pending()).toHaveLength(1)
  const seen = vi.fn()
  client.subscribe(seen)
  client.close()
  expect(pending()).toEqual([])
  expect(await client.refresh()).toBe(true)
  expect(await client.getAuthorization()).toMatch(/^Bearer /)
  expect(pending()).toEqual([])
  expect(seen).not.toHaveBeenCalled()
  expect(connect().getState().status).toBe('signedIn')
})

test('the base address may end with a slash, and the api-version may be another', async () => {
  const { connect, server } = await setUp()
  const client = connect({ authUrl: `${server.url}/`, apiVersion: '2', storage: memoryStorage() })
  await client.signIn(credentials)
  expect(server.calls[0]?.path).toBe('/api/token/password')
  expect(server.calls[0]?.headers['api-version']).toBe('2')
})

test('a refresh that never ends is given up after ten seconds', async () => {
  const { client, server, expire } = await setUp()
  await client.signIn(credentials)
  expire()
  const never = hold()
  server.fail('/api/token/refresh', never.fault)
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  // Newer Nodes have locks, whose own limit goes through here too.
  const shortened = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((limit) => timeout(limit === 10_000 ? 50 : limit))
  expect(await client.getAuthorization()).toBeNull()
  expect(shortened.mock.calls).toContainEqual([10_000])
  expect(client.getState().status).toBe('expired')
  shortened.mockRestore()
  never.release()
})
