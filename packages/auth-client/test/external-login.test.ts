import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AuthClient, ExternalLoginAnswer, ExternalLoginError } from '../src/index.ts'
import { isExternalLoginError } from '../src/rules.ts'
import { answer, drop, hold } from './auth-server.ts'
import { credentials, memoryStorage, setUp, tab } from './fixtures.ts'

const CALLBACK = '/broker/callback'
const MINUTE = 60_000

afterEach(() => vi.unstubAllGlobals())

const query = (address: string) => Object.fromEntries(new URL(address).searchParams)
const pkce = { pkce: 'S256', clientId: 'console' }

describe('the login address', () => {
  test('has the parameters of the specification, and no more', async () => {
    const { client, server } = await tab()
    const address = new URL(await client.startExternalLogin())
    expect(address.origin + address.pathname).toBe(`${server.url}/provider/authorize`)
    expect(query(address.href)).toEqual({
      kept: '1',
      client_id: 'grove',
      redirect_uri: 'https://console.test/login/callback',
      response_type: 'code',
      scope: 'profile offline_access openid',
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      prompt: 'select_account consent',
    })
    expect(server.calls.map((call) => call.path)).toEqual(['/api/stage/auth'])
  })

  test('has the hint, the client id and the PKCE challenge, if any', async () => {
    const { client, server } = await tab()
    const hinted = await client.startExternalLogin({ hint: 'github', clientId: 'own' })
    expect(query(hinted)).toMatchObject({ kc_idp_hint: 'github', client_id: 'own' })
    expect(query(hinted)).not.toHaveProperty('code_challenge')
    server.settings.announced = pkce
    expect(query(await client.startExternalLogin({ clientId: 'own' }))).toMatchObject({
      client_id: 'console',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
    })
  })

  test('of a broker is requested by its name', async () => {
    const { client, server } = await tab()
    await client.startExternalLogin({ broker: 'sample' })
    const [call] = server.calls
    expect(call?.path).toBe('/api/info')
    expect(Object.fromEntries(call?.query ?? [])).toEqual({ broker: 'sample', provider: 'grove' })
  })

  test('never repeats its state, nonce or verifier', async () => {
    const { client, sessionStorage } = await tab(pkce)
    const seen = new Set<string>()
    for (let login = 0; login < 10; login++) {
      const { state = '', nonce = '' } = query(await client.startExternalLogin())
      seen.add(state).add(nonce)
    }
    expect(seen.size).toBe(20)
    const verifiers = [...sessionStorage.items.values()]
      .join()
      .matchAll(/"verifier":"([\w-]{43})"/g)
    for (const [, verifier = ''] of verifiers) seen.add(verifier)
    expect(seen.size).toBe(30)
  })

  test('may be relative to the service', async () => {
    const { client, server } = await tab()
    const redirect = 'https://console.test/login/callback'
    server.settings.announced = { urls: { login: '/authorize', redirect, callback: CALLBACK } }
    const address = await client.startExternalLogin()
    expect(address).toMatch(`${server.url}/authorize?`)
    expect(await client.completeExternalLogin(server.authorize(address))).toBe(true)
  })

  test.each(['', 'javascript:alert(1)', 'data:text/html,x', 'http://'])(
    'is never %j',
    async (login) => {
      const { client, server } = await tab()
      server.settings.announced = {
        urls: { login, redirect: 'https://c.test', callback: CALLBACK },
      }
      const started = client.startExternalLogin()
      await expect(started).rejects.toSatisfy(isExternalLoginError)
      await expect(started).rejects.toMatchObject({ code: 'unavailable' })
    },
  )

  test.each([[{ urls: null }], [{ urls: {} }], [{ realm: 1 }]])(
    'is not built from an info like %j',
    async (announced) => {
      const { client } = await tab(announced)
      await expect(client.startExternalLogin()).rejects.toMatchObject({ code: 'unavailable' })
      await expect(client.stageAuth()).rejects.toMatchObject({ code: 'unavailable' })
    },
  )

  test('rejects with the server’s body', async () => {
    const { client, server } = await tab()
    const body = { code: 'broker_unavailable' }
    server.fail('/api/stage/auth', answer(503, body))
    await expect(client.startExternalLogin()).rejects.toEqual(body)
  })

  test('is refused if PKCE is announced and the page has no SHA-256', async () => {
    const { client, server } = await tab(pkce)
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    await expect(client.startExternalLogin()).rejects.toMatchObject({ code: 'insecure_origin' })
    server.settings.announced = {}
    expect(await client.startExternalLogin()).toMatch(/state=/)
  })
})

describe('the callback', () => {
  test('posts Provider, RedirectUrl and Code as a form, and signs in', async () => {
    const { client, connect, server } = await tab()
    const back = server.authorize(await client.startExternalLogin(), { code: 'the code' })
    expect(await connect().completeExternalLogin(back)).toBe(true)
    const [call] = server.callsTo(CALLBACK)
    expect(call?.method).toBe('POST')
    expect(call?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
    expect(call?.headers['api-version']).toBe('1')
    expect(call?.headers.authorization).toBeUndefined()
    expect(call?.body).toEqual({
      Provider: 'grove',
      RedirectUrl: 'https://console.test/login/callback',
      Code: 'the code',
    })
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expect(client.getState()).toMatchObject({ session: { userId: 'user-external' } })
  })

  test('with PKCE announced also CodeVerifier, Nonce and Iss', async () => {
    const { client, connect, server } = await tab(pkce)
    const login = await client.startExternalLogin()
    const back = server.authorize(login, { code: 'c', iss: 'https://provider.test' })
    expect(await connect().completeExternalLogin(back)).toBe(true)
    expect(server.callsTo(CALLBACK)[0]?.body).toEqual({
      Provider: 'grove',
      RedirectUrl: 'https://console.test/login/callback',
      Code: 'c',
      CodeVerifier: expect.stringMatching(/^[\w-]{43}$/) as string,
      Nonce: query(login)['nonce'],
      Iss: 'https://provider.test',
    })
    const plain = server.authorize(await client.startExternalLogin())
    expect(await client.completeExternalLogin(plain)).toBe(true)
    expect(server.callsTo(CALLBACK)[1]?.body).not.toHaveProperty('Iss')
  })

  test('returns the answer and the page to return to, before it resolves', async () => {
    const { client, server } = await tab()
    const link = { linkToken: 't', email: 'a@grove.test', broker: 'sample', expiresIn: 900 }
    server.fail(CALLBACK, answer(200, { link }))
    const back = server.authorize(await client.startExternalLogin({ returnTo: '/dashboard?a=1' }))
    const told: unknown[] = []
    const isSignedIn = await client.completeExternalLogin(back, {
      onAnswer: (given) => told.push(given),
    })
    told.push(isSignedIn)
    expect(told).toEqual([{ returnTo: '/dashboard?a=1', body: { link } }, false])
    expect(client.getState().status).toBe('signedOut')
  })

  test.each([
    [
      'refuses',
      answer(401, { code: 'external_sign_in_failed' }),
      { code: 'external_sign_in_failed' },
    ],
    ['fails', answer(502, 'bad gateway'), 'bad gateway'],
    ['is unreachable', drop, expect.objectContaining({ message: 'Network Error' }) as unknown],
    [
      'answers without a token type',
      answer(200, { token: { accessToken: 'a' } }),
      expect.anything(),
    ],
  ])('is false when the service %s, and returns its answer', async (_, fault, body) => {
    const { client, server, storage } = await tab()
    server.fail(CALLBACK, fault)
    const back = server.authorize(await client.startExternalLogin({ returnTo: '/x' }))
    const told: ExternalLoginAnswer[] = []
    const options = { onAnswer: (given: ExternalLoginAnswer) => void told.push(given) }
    expect(await client.completeExternalLogin(back, options)).toBe(false)
    expect(told).toEqual([{ returnTo: '/x', body }])
    expect(client.getState().status).toBe('signedOut')
    expect(storage.items.size).toBe(0)
  })

  test('I19: a sign-out during the exchange of the code wins', async () => {
    const { client, server } = await tab()
    const back = server.authorize(await client.startExternalLogin())
    const held = hold()
    server.fail(CALLBACK, held.fault)
    const completing = client.completeExternalLogin(back)
    await held.reached
    await client.signOut()
    held.release()
    expect(await completing).toBe(false)
    expect(client.getState().status).toBe('signedOut')
  })

  test('called twice at once sends one POST, and both get its result', async () => {
    const { client, server } = await tab()
    const back = server.authorize(await client.startExternalLogin())
    const onAnswer = vi.fn()
    const asked = [1, 2].map(() => client.completeExternalLogin(back, { onAnswer }))
    expect(await Promise.all(asked)).toEqual([true, true])
    expect(onAnswer).toHaveBeenCalledTimes(2)
    expect(server.callsTo(CALLBACK)).toHaveLength(1)
    const refused = server.authorize(await client.startExternalLogin(), { error: 'access_denied' })
    const codes = [1, 2].map(() => codeOf(client, refused))
    expect(await Promise.all(codes)).toEqual(['provider_refused', 'provider_refused'])
  })

  test('replaces the existing session', async () => {
    const { client, server, storage } = await tab()
    await client.signIn(credentials)
    const back = server.authorize(await client.startExternalLogin())
    expect(await client.completeExternalLogin(back)).toBe(true)
    expect(client.getState()).toMatchObject({ session: { userId: 'user-external' } })
    expect([...storage.items.keys()].filter((key) => key.includes('/user/'))).toHaveLength(1)
  })
})

/**
 * The reason why a callback did not sign in: the call resolves to false; the answer and the state
 * have the reason.
 */
async function refusalOf(client: AuthClient, address: string): Promise<ExternalLoginError> {
  const wasSignedOut = client.getState().status === 'signedOut'
  const onAnswer = vi.fn<(answer: ExternalLoginAnswer) => void>()
  expect(await client.completeExternalLogin(address, { onAnswer })).toBe(false)
  const { body, returnTo } = onAnswer.mock.calls[0]?.[0] ?? {}
  if (!isExternalLoginError(body)) throw body
  expect(returnTo).toBe(body.returnTo)
  if (wasSignedOut) expect(client.getState()).toMatchObject({ status: 'signedOut', error: body })
  return body
}

const codeOf = async (client: AuthClient, address: string) =>
  (await refusalOf(client, address)).code

describe('a callback that signs nobody in', () => {
  async function begun(announced?: Record<string, unknown>) {
    const house = await tab(announced)
    const login = await house.client.startExternalLogin({ returnTo: '/kept' })
    return { ...house, login, back: house.server.authorize(login) }
  }

  test.each([
    ['https://console.test/login/callback', 'state_missing'],
    ['https://console.test/login/callback?code=c', 'state_missing'],
    ['/login/callback?code=c&state=', 'state_missing'],
    ['/login/callback?code=c&state=made-up#state', 'state_unknown'],
    ['no address', 'state_missing'],
    ['', 'state_missing'],
  ])('%j is %s', async (address, code) => {
    const { client, server } = await begun()
    expect(await codeOf(client, address)).toBe(code)
    expect(server.callsTo(CALLBACK)).toHaveLength(0)
  })

  test('a state is used once, and a replay is distinguished from an unknown one', async () => {
    const { client, connect, server, back } = await begun()
    expect(await client.completeExternalLogin(back)).toBe(true)
    await client.signOut()
    for (const page of [client, connect()]) {
      const replay = await refusalOf(page, back)
      expect(replay).toMatchObject({ code: 'state_replayed', returnTo: '/kept' })
    }
    expect(server.callsTo(CALLBACK)).toHaveLength(1)
    expect(client.getState().status).toBe('signedOut')
  })

  test('a used record keeps no secret', async () => {
    const { client, sessionStorage, back } = await begun(pkce)
    expect([...sessionStorage.items.values()].join()).toContain('verifier')
    await client.completeExternalLogin(back)
    expect([...sessionStorage.items.values()].join()).not.toMatch(/verifier|nonce/)
  })

  test('a failing service consumes the state too: the code may have arrived', async () => {
    const { client, server, back } = await begun()
    server.fail(CALLBACK, drop)
    expect(await client.completeExternalLogin(back)).toBe(false)
    expect(await codeOf(client, back)).toBe('state_replayed')
  })

  test('a state lives for ten minutes by the client’s clock', async () => {
    const { client, server, time, back, login } = await begun()
    time.now += 10 * MINUTE
    const late = server.authorize(await client.startExternalLogin())
    expect(await client.completeExternalLogin(back)).toBe(true)
    time.now += 10 * MINUTE + 1
    const expired = await refusalOf(client, late)
    expect(expired).toMatchObject({ code: 'state_expired', returnTo: null })
    // However late, a replay stays a replay.
    expect(await codeOf(client, server.authorize(login))).toBe('state_replayed')
    expect(server.callsTo(CALLBACK)).toHaveLength(1)
  })

  test.each([{ realm: 'other' }, { stage: 'other' }, { authUrl: 'http://other.test' }])(
    'a state of another client is foreign to %j, and left to its own',
    async (options) => {
      const { client, connect, back } = await begun()
      const foreign = await refusalOf(connect(options), back)
      expect(foreign).toMatchObject({ code: 'state_foreign', returnTo: null })
      expect(await client.completeExternalLogin(back)).toBe(true)
    },
  )

  test('of another tab is unknown', async () => {
    const { connect, back } = await begun()
    vi.stubGlobal('sessionStorage', memoryStorage())
    expect(await codeOf(connect(), back)).toBe('state_unknown')
  })

  test('a provider’s error is reported with its code, and consumes the state', async () => {
    const { client, server, login } = await begun()
    const back = server.authorize(login, { error: 'access_denied', code: 'c' })
    expect(await refusalOf(client, back)).toMatchObject({
      name: 'ExternalLoginError',
      message: 'External login failed: provider_refused',
      code: 'provider_refused',
      providerError: 'access_denied',
      returnTo: '/kept',
    })
    expect(await codeOf(client, back)).toBe('state_replayed')
    expect(server.callsTo(CALLBACK)).toHaveLength(0)
  })

  test('an error for an unknown login is an unknown state, not a provider’s message', async () => {
    const { client } = await begun()
    const address = '/login/callback?error=access_denied&state=made-up'
    expect(await codeOf(client, address)).toBe('state_unknown')
  })

  test('a callback without a code says so', async () => {
    const { client, server, login } = await begun()
    const back = server.authorize(login, {})
    expect(await codeOf(client, back)).toBe('code_missing')
  })

  test('I18: a token with the nonce of another login is refused; with its own it is accepted', async () => {
    const { client, server, back, login } = await begun()
    const token = async (nonce?: string) => {
      const accessToken = await server.sign({ sub: 'u', nonce })
      return answer(200, { token: { tokenType: 'Bearer', accessToken } })
    }
    server.fail(CALLBACK, await token('stolen'))
    expect(await codeOf(client, back)).toBe('nonce_mismatch')
    expect(client.getState().status).toBe('signedOut')
    const again = await client.startExternalLogin()
    expect(query(again)['nonce']).not.toBe(query(login)['nonce'])
    server.fail(CALLBACK, await token(query(again)['nonce']))
    expect(await client.completeExternalLogin(server.authorize(again))).toBe(true)
  })
})

describe('the tab’s storage', () => {
  test('denied or full, prevents the page from leaving for a login that it could not finish', async () => {
    const { connect } = await tab()
    vi.stubGlobal('sessionStorage', {
      getItem: () => null,
      setItem() {
        throw new DOMException('denied', 'QuotaExceededError')
      },
      removeItem() {},
    })
    await expect(connect().startExternalLogin()).rejects.toMatchObject({ code: 'storage_denied' })
  })

  test.each(['{', 'null', '{}', '[1, null, {}, {"state": "made-up"}]'])(
    'with %s in it is read as empty',
    async (text) => {
      const { client, server, sessionStorage } = await tab()
      sessionStorage.setItem('grove.auth/external', text)
      const address = '/login/callback?code=c&state=made-up'
      expect(await codeOf(client, address)).toBe('state_unknown')
      const back = server.authorize(await client.startExternalLogin())
      expect(await client.completeExternalLogin(back)).toBe(true)
    },
  )

  test('in Node is memory', async () => {
    const { client, server } = await setUp()
    const back = server.authorize(await client.startExternalLogin())
    expect(await client.completeExternalLogin(back)).toBe(true)
  })
})
