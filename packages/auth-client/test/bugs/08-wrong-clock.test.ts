import { describe, expect, test } from 'vitest'
import { credentials, setUp } from '../fixtures.ts'

describe('bug 8: a wrong clock refreshes on every call', () => {
  test.each([2 * 3600, -2 * 3600])('a clock off by %i seconds refreshes nothing', async (ahead) => {
    const { client, server, refreshes, time } = await setUp()
    server.settings.ahead = ahead
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

  test('without an issue time the spacing still holds', async () => {
    const { client, server, refreshes, time } = await setUp()
    server.settings.ahead = -2 * 3600
    server.settings.withIssuedAt = false
    await client.signIn(credentials)
    for (let read = 0; read < 20; read++) {
      await client.getAuthorization()
      time.now += 1000
    }
    expect(refreshes()).toBe(1)
  })

  test('a clock that is set back does not keep a token for ever', async () => {
    const { client, connect, refreshes, time } = await setUp()
    await client.signIn(credentials)
    time.now -= 24 * 3600 * 1000
    const reloaded = connect()
    expect(await reloaded.getAuthorization()).toMatch(/^Bearer /)
    time.now += 601_000
    await reloaded.getAuthorization()
    expect(refreshes()).toBe(1)
  })
})
