import { describe, expect, test } from 'vitest'
import { answer, drop } from '../auth-server.ts'
import { credentials, setUp } from '../fixtures.ts'

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
