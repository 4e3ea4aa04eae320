import { describe, expect, test } from 'vitest'
import { answer, drop } from './auth-server.ts'
import { credentials, setUp } from './fixtures.ts'

describe('the anonymous authorization', () => {
  test('is requested once, stored separately, and renewed when it has expired', async () => {
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

  test('is replaced once, for all callers, when an API has refused it', async () => {
    const { client, connect, server } = await setUp()
    const refused = await client.getAnonymousAuthorization()
    const values = await Promise.all([
      client.getAnonymousAuthorization({ refused }),
      client.getAnonymousAuthorization({ refused }),
    ])
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[0]).not.toBe(refused)
    expect(values[1]).toBe(values[0])
    // A later caller with the refused value gets its replacement.
    expect(await connect().getAnonymousAuthorization({ refused })).toBe(values[0])
    expect(await client.getAnonymousAuthorization()).toBe(values[0])
    expect(server.callsTo('/api/token/anonymous')).toHaveLength(2)
    server.fail('/api/token/anonymous', answer(503, {}))
    expect(await client.getAnonymousAuthorization({ refused: values[0] ?? '' })).toBe('')
  })

  test('I20: never serves as a user’s: neither when signed out, nor when the refresh fails', async () => {
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
