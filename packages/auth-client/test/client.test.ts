import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type AuthClient,
  type AuthClientOptions,
  AuthError,
  type CallOptions,
  createAuthClient,
} from '../src/index.ts'
import { answer, drop, hold } from './auth-server.ts'
import { lockManager } from './lock-manager.ts'
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
    await expect(lost).rejects.toBeInstanceOf(AuthError)
    await expect(lost).rejects.toMatchObject({ message: 'Network Error' })
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

  test('is replaced once, for everyone, when an API has refused it', async () => {
    const { client, connect, server } = await setUp()
    const refused = await client.getAnonymousAuthorization()
    const values = await Promise.all([
      client.getAnonymousAuthorization({ refused }),
      client.getAnonymousAuthorization({ refused }),
    ])
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[0]).not.toBe(refused)
    expect(values[1]).toBe(values[0])
    // Whoever comes later with the refused value gets what has replaced it.
    expect(await connect().getAnonymousAuthorization({ refused })).toBe(values[0])
    expect(await client.getAnonymousAuthorization()).toBe(values[0])
    expect(server.callsTo('/api/token/anonymous')).toHaveLength(2)
    server.fail('/api/token/anonymous', answer(503, {}))
    expect(await client.getAnonymousAuthorization({ refused: values[0] ?? '' })).toBe('')
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
    await expect(client[name]('a')).rejects.toMatchObject({ name: 'AuthError', status: 500 })
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

/** Makes timers of this delay fire when they are told to. */
function heldTimers(delay: number) {
  const held: (() => void)[] = []
  const real = globalThis.setTimeout
  const timers = vi.spyOn(globalThis, 'setTimeout')
  timers.mockImplementation((work: () => void, after?: number) => {
    if (after === delay) held.push(work)
    // A tab is asked in vain for 1,500 ms; here the answer comes at once.
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

  test('is not sent again by another tab while its answer may still come', async () => {
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

  test('ends with its signal for one caller alone', async () => {
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

describe('request', () => {
  test('carries the session and the api-version, reads the answer and rejects other statuses', async () => {
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    const { status, body } = await client.request(`${server.url}/thing`, {
      method: 'POST',
      json: { a: 1 },
      apiVersion: '1.7',
    })
    expect([status, body]).toEqual([200, { path: '/thing', body: { a: 1 } }])
    expect(server.callsTo('/thing')[0]?.headers['api-version']).toBe('1.7')
    server.fail('/thing', answer(409, { code: 'taken' }, { 'retry-after': '7' }))
    const refused = client.request(`${server.url}/thing`)
    await expect(refused).rejects.toBeInstanceOf(AuthError)
    await expect(refused).rejects.toMatchObject({
      message: 'Request failed with status code 409',
      status: 409,
      body: { code: 'taken' },
      retryAfter: 7,
    })
  })

  test('renews a refused token and tries once more', async () => {
    const { client, server, time } = await setUp()
    await client.signIn(credentials)
    time.now += 11_000
    server.forgetAccessTokens()
    expect((await client.request(`${server.url}/thing`)).status).toBe(200)
    expect(server.callsTo('/thing')).toHaveLength(2)
  })

  test('sends the XSRF token to the page’s own origin', async () => {
    openTab()
    const { client, server } = await setUp()
    vi.stubGlobal('document', { cookie: 'XSRF-TOKEN=t', baseURI: `${server.url}/page` })
    vi.stubGlobal('location', new URL(server.url))
    await client.signIn(credentials)
    await client.request(`${server.url}/thing`)
    await client.fetch(`${server.url}/thing`)
    const sent = server.callsTo('/thing').map(({ headers }) => headers['x-xsrf-token'])
    expect(sent).toEqual(['t', undefined])
  })
})

describe('what a refused call rejects with', () => {
  test('is an AuthError where the options say so', async () => {
    const { connect, server } = await setUp()
    const client = connect({ rejectWith: 'error' })
    server.fail('/api/token/password', answer(429, { code: 'slow_down' }, { 'retry-after': '9' }))
    const refused = client.signIn(credentials)
    await expect(refused).rejects.toBeInstanceOf(AuthError)
    await expect(refused).rejects.toMatchObject({
      status: 429,
      body: { code: 'slow_down' },
      retryAfter: 9,
    })
    server.fail('/api/user/exists/email', answer(403, 'no'))
    await expect(client.emailExists('a')).rejects.toMatchObject({ status: 403, body: 'no' })
  })
})

describe('every call to the service', () => {
  test.each<[string, string, (client: AuthClient, options: CallOptions) => Promise<unknown>]>([
    ['signIn', '/api/token/password', (client, options) => client.signIn({}, options)],
    ['signUp', '/api/signup', (client, options) => client.signUp({}, options)],
    [
      'emailExists',
      '/api/user/exists/email',
      (client, options) => client.emailExists('a', options),
    ],
    [
      'sendEmailValidation',
      '/api/send/validateEmail',
      (client, options) => client.sendEmailValidation('a', options),
    ],
    ['stageAuth', '/api/stage/auth', (client, options) => client.stageAuth(options)],
    ['info', '/api/info', (client, options) => client.info('b', options)],
    ['globalInfo', '/api/info/global', (client, options) => client.globalInfo('b', options)],
  ])('%s ends with its signal or its limit', async (_, path, call) => {
    const { client, server } = await setUp()
    const never = [hold(), hold()] as const
    server.fail(path, never[0].fault, never[1].fault)
    const controller = new AbortController()
    const aborted = call(client, { signal: controller.signal })
    await never[0].reached
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ message: 'Request aborted' })
    const limited = call(client, { timeout: 50 })
    await expect(limited).rejects.toMatchObject({ message: 'timeout of 50ms exceeded' })
    for (const { release } of never) release()
  })
})

describe('the options', () => {
  test.each(['authUrl', 'realm'])('without %s are refused, naming it', (name) => {
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

  test('may give calls other paths', async () => {
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

  test('may take the body of an interface', async () => {
    interface SignIn {
      email: string
      password: string
    }
    const { client } = await setUp()
    const body: SignIn = credentials
    expect(await client.signIn(body)).toBe(true)
  })
})

describe('who a token is of', () => {
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

  test('has its roles in the claim of the options', async () => {
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
