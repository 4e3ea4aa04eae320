import { afterEach, describe, expect, test, vi } from 'vitest'
import { AuthError } from '../src/index.ts'
import { answer, drop } from './auth-server.ts'
import { credentials, setUp } from './fixtures.ts'

afterEach(() => vi.unstubAllGlobals())

describe('sign-in and sign-up', () => {
  test('send the body unchanged, with the api-version, and sign in', async () => {
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
  ])('an answer with %s is false and stores nothing', async (_, body) => {
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

  test('reject with the HTTP error if there was no body', async () => {
    const { client, server } = await setUp()
    server.fail('/api/token/password', drop, answer(502, ''))
    const lost = client.signIn(credentials)
    await expect(lost).rejects.toBeInstanceOf(AuthError)
    await expect(lost).rejects.toMatchObject({ message: 'Network Error' })
    const failed = client.signIn(credentials)
    await expect(failed).rejects.toThrow('Request failed with status code 502')
  })

  test('a failed sign-in keeps the previous session', async () => {
    const { client } = await setUp()
    await client.signIn(credentials)
    const before = client.getState()
    await client.signIn({ ...credentials, password: 'wrong' }).catch(() => {})
    expect(client.getState()).toBe(before)
  })
})

describe('sign-out', () => {
  test('sends the service the refresh token, the token’s provider and the authorization', async () => {
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

  test('when already signed out: nothing is sent', async () => {
    const { client, server } = await setUp()
    await client.signOut()
    expect(server.calls).toHaveLength(0)
  })

  test.each([
    ['the storage event', 'storage'],
    ['its page when it comes back from the back/forward cache', 'pageshow'],
  ])('in another tab is noticed here by %s', async (_, type) => {
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
