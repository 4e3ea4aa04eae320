import { describe, expect, test } from 'vitest'
import { answer, drop, hold } from '../auth-server.ts'
import { credentials, setUp } from '../fixtures.ts'

describe('bug 7: a failing server deletes the session', () => {
  test.each([
    ['500', answer(500, { code: 'internal_error' })],
    ['503 as HTML', answer(503, '<h1>Down</h1>')],
    ['429', answer(429, { code: 'too_many_attempts' })],
    ['408', answer(408, {})],
    ['425', answer(425, {})],
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
    ['400 with a message', answer(400, { message: 'no' })],
    ['401 without a body', answer(401, '')],
    ['401 as a page', answer(401, '<h1>Sign in</h1>')],
    ['403 as a page', answer(403, '<h1>Forbidden</h1>')],
    ['404', answer(404, { message: 'no' })],
    ['410', answer(410, {})],
    ['422', answer(422, { message: 'no' })],
  ])('%s ends the session', async (_, fault) => {
    const { client, server, expire, storage } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', fault)
    expect(await client.getAuthorization()).toBeNull()
    expect(client.getState()).toMatchObject({ status: 'signedOut', error: { name: 'AuthError' } })
    expect(storage.items.size).toBe(0)
  })

  test('the options can define what ends it', async () => {
    const { connect, server, expire } = await setUp()
    const isRejected = (status: number, body: unknown) => status === 499 && body === 'over'
    const client = connect({ isRejected })
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', answer(401, {}), answer(499, 'over'))
    await client.getAuthorization()
    expect(client.getState().status).toBe('expired')
    await client.refresh()
    expect(client.getState().status).toBe('signedOut')
  })

  test('a refusal does not end a session that another tab has started meanwhile', async () => {
    const { client, connect, server, expire } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const refusal = hold()
    server.fail('/api/token/refresh', async (request, response) => {
      await refusal.fault(request, response)
      await answer(401, {})(request, response)
    })
    const waiting = client.getAuthorization()
    await refusal.reached
    await other.signIn(credentials)
    refusal.release()
    expect(await waiting).toBe(await other.getAuthorization())
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

  test.each([
    ['seconds', () => '30'],
    ['a date', () => new Date(Date.now() + 30_000).toUTCString()],
  ])('Retry-After is respected, as %s', async (_, retryAfter) => {
    const { client, server, expire, time, refreshes } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', answer(503, {}, { 'retry-after': retryAfter() }))
    await client.getAuthorization()
    time.now += 28_000
    expect(await client.getAuthorization()).toBeNull()
    expect(refreshes()).toBe(1)
    time.now += 2000
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })
})
