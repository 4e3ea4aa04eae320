import { describe, expect, test } from 'vitest'
import { answer, hold } from '../auth-server.ts'
import { credentials, setUp } from '../fixtures.ts'

describe('bug 8: a wrong clock refreshes on every call', () => {
  test.each([
    [2 * 3600, true],
    [-2 * 3600, true],
    [2 * 3600, false],
    [-2 * 3600, false],
  ])('a clock off by %i seconds refreshes nothing (Date known: %s)', async (ahead, withDate) => {
    const { client, server, refreshes, time } = await setUp()
    Object.assign(server.settings, { ahead, withDate })
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

  test('without an issue time the spacing still applies', async () => {
    const { client, server, refreshes, time } = await setUp()
    server.settings.ahead = -2 * 3600
    Object.assign(server.settings, { withIssuedAt: false, withDate: false })
    await client.signIn(credentials)
    for (let read = 0; read < 20; read++) {
      await client.getAuthorization()
      time.now += 1000
    }
    expect(refreshes()).toBe(1)
  })

  describe('a token that the service returned from a cache', () => {
    /** Signs in with a token that was issued five minutes ago and expires in five. */
    async function cached(ahead: number, withDate: boolean) {
      const house = await setUp()
      const { server, time, client } = house
      Object.assign(server.settings, { ahead, withDate, lifetime: 300 })
      const issued = Math.floor(time.now / 1000) + ahead - 300
      const accessToken = await server.sign({ sub: 'u', iat: issued })
      const token = { tokenType: 'Bearer', accessToken, refreshToken: 'r' }
      const date = new Date(time.now + ahead * 1000).toUTCString()
      server.settings.withIssuedAt = false
      server.fail('/api/token/password', answer(200, { token }, withDate ? { date } : {}))
      await client.signIn(credentials)
      return house
    }

    test.each([
      ['a right clock', 0, false],
      ['a right clock', 0, true],
      ['a fast clock', -2 * 3600, true],
      ['a slow clock', 2 * 3600, true],
    ])('ends when its exp has passed, with %s', async (_, ahead, withDate) => {
      const { client, time, refreshes } = await cached(ahead, withDate)
      time.now += 295_000
      expect(await client.getAuthorization()).toMatch(/^Bearer /)
      expect(refreshes()).toBe(0)
      time.now += 8000
      expect(client.getState().status).not.toBe('signedOut')
      await client.getAuthorization()
      expect(refreshes()).toBe(1)
    })
  })

  test('a token that is already expired on arrival is refreshed once, and ends no session', async () => {
    const { client, server, time, refreshes } = await setUp()
    server.settings.lifetime = -60
    await client.signIn(credentials)
    server.settings.lifetime = 600
    expect(client.getState().status).toBe('expired')
    for (let read = 0; read < 5; read++) {
      expect(await client.getAuthorization()).toMatch(/^Bearer /)
      time.now += 1000
    }
    expect(refreshes()).toBe(1)
  })

  describe('a clock that is set back', () => {
    const HOURS = 2 * 3600 * 1000

    test('renews a token whose age is unknown now, once, in every tab and after a reload', async () => {
      const { client, connect, refreshes, time } = await setUp()
      await client.signIn(credentials)
      const other = connect()
      time.now -= HOURS
      const reloaded = connect()
      const tabs = [client, other, reloaded]
      const values: (string | null)[] = []
      for (const tab of tabs) values.push(await tab.getAuthorization())
      expect(values[0]).toMatch(/^Bearer /)
      expect(new Set(values).size).toBe(1)
      expect(refreshes()).toBe(1)
      time.now += 601_000
      for (const tab of tabs) await tab.getAuthorization()
      expect(refreshes()).toBe(2)
    })

    test('renews the token of a page opened only afterwards', async () => {
      const { client, connect, refreshes, time } = await setUp()
      await client.signIn(credentials)
      client.close()
      time.now -= HOURS
      const opened = connect()
      expect(opened.getState().status).toBe('expired')
      expect(await opened.getAuthorization()).toMatch(/^Bearer /)
      expect(refreshes()).toBe(1)
    })

    test('does not extend an anonymous token', async () => {
      const { client, connect, time } = await setUp()
      const first = await client.getAnonymousAuthorization()
      time.now -= HOURS
      const second = await connect().getAnonymousAuthorization()
      expect(second).not.toBe(first)
      expect(await client.getAnonymousAuthorization()).toBe(second)
      time.now += 601_000
      expect(await client.getAnonymousAuthorization()).not.toBe(second)
    })

    test('does not keep a refused token until the old time comes again', async () => {
      const { client, server, refreshes, time } = await setUp()
      await client.signIn(credentials)
      await client.refresh()
      time.now -= HOURS
      server.forgetAccessTokens()
      expect((await client.fetch(`${server.url}/thing`)).status).toBe(200)
      expect(refreshes()).toBe(2)
    })

    test('ends the pause after a failure', async () => {
      const { client, server, time, expire } = await setUp()
      await client.signIn(credentials)
      expire()
      server.fail('/api/token/refresh', answer(503, {}))
      expect(await client.getAuthorization()).toBeNull()
      time.now -= HOURS
      expect(await client.getAuthorization()).toMatch(/^Bearer /)
    })

    test('during a refresh does not extend the new token', async () => {
      const { client, server, refreshes, time, expire } = await setUp()
      await client.signIn(credentials)
      expire()
      const slow = hold()
      server.fail('/api/token/refresh', slow.fault)
      const renewing = client.getAuthorization()
      await slow.reached
      time.now -= HOURS
      slow.release()
      expect(await renewing).toMatch(/^Bearer /)
      time.now += 601_000
      await client.getAuthorization()
      expect(refreshes()).toBe(2)
    })
  })
})
