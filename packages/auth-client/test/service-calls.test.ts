import { describe, expect, test, vi } from 'vitest'
import { AuthError, type AuthClient, type CallOptions } from '../src/index.ts'
import { answer, drop, hold } from './auth-server.ts'
import { credentials, setUp } from './fixtures.ts'

describe('every call of the specification', () => {
  const provider = 'grove'
  const email = 'a+b&c@grove.test'
  const token = { refreshToken: 'refresh', provider: 'other-realm' }
  const form = { Provider: 'grove', RedirectUrl: 'https://console.test/login/callback', Code: 'c' }

  /** Method, path, query and body, each in full; `isOpen`: without the authorization header. */
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
    // The provider in a token takes precedence over the client's own realm.
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
    // The external login fetches its configuration once more.
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

describe('what a refused call rejects with', () => {
  test('is an AuthError if the options say so', async () => {
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
