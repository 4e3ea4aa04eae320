import { describe, expect, test } from 'vitest'
import { drop, dropAnswer } from './auth-server.ts'
import { authorization, describeInBrowser, signIn, status } from './browser-fixtures.ts'
import { credentials, setUp } from './fixtures.ts'

const REFRESH = '/api/token/refresh'

// The service dies while it refreshes. Only it knows whether the token was exchanged: the client can
// only send the same token again.
describe('a refresh whose answer is lost', () => {
  test.each([
    ['before the exchange: any service lets it recover', drop, 0],
    ['after the exchange: a service with ten seconds’ grace lets it recover', dropAnswer, 10],
  ])('%s', async (_, fault, grace) => {
    const { client, server, expire, time, refreshes } = await setUp()
    server.settings.grace = grace
    await client.signIn(credentials)
    expire()
    server.fail(REFRESH, fault)
    expect(await client.getAuthorization()).toBeNull()
    expect(client.getState().status).toBe('expired')
    time.now += 1000
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expect(refreshes()).toBe(2)
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(200)
  })

  test('after the exchange, and several times: it recovers within the grace period', async () => {
    const { client, server, expire, time } = await setUp()
    server.settings.grace = 10
    await client.signIn(credentials)
    expire()
    server.fail(REFRESH, dropAnswer, dropAnswer, drop)
    for (const pause of [1000, 2000, 4000]) {
      expect(await client.getAuthorization()).toBeNull()
      time.now += pause
    }
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })

  test('after the exchange, without a grace period: the session ends, and is reported once', async () => {
    const { client, server, expire, time, refreshes } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail(REFRESH, dropAnswer)
    expect(await client.getAuthorization()).toBeNull()
    expect(client.getState().status).toBe('expired')
    time.now += 1000
    for (let call = 0; call < 5; call++) expect(await client.getAuthorization()).toBeNull()
    expect(client.getState().status).toBe('signedOut')
    expect(refreshes()).toBe(2)
  })
})

describeInBrowser('a refresh whose answer is lost, in a browser', (setUp) => {
  // On a reused connection, the browser retries the call itself.
  test('two tabs recover within the grace period', async () => {
    const { server, open, setClock, refreshes } = await setUp()
    server.settings.grace = 10
    const tabs = [await open(), await open()] as const
    await signIn(tabs[0])
    for (const tab of tabs) await status(tab, 'signedIn user-a@grove.test')
    await setClock(601_000)
    server.fail(REFRESH, dropAnswer)
    await Promise.all(tabs.map(authorization))
    await setClock(603_000)
    const values = await Promise.all(tabs.map(authorization))
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[1]).toBe(values[0])
    for (const tab of tabs) await status(tab, 'signedIn user-a@grove.test')
    expect(refreshes()).toBeLessThanOrEqual(3)
  })
})
