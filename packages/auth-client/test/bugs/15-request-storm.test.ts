import { describe, expect, test } from 'vitest'
import { answer } from '../auth-server.ts'
import { credentials, setUp } from '../fixtures.ts'

describe('bug 15: request storms and a refresh that calls itself', () => {
  test('a 401 leads to one refresh and one retry', async () => {
    const { client, server, refreshes } = await setUp()
    await client.signIn(credentials)
    server.forgetAccessTokens()
    const response = await client.fetch(`${server.url}/thing`)
    expect(response.status).toBe(200)
    expect(server.callsTo('/thing')).toHaveLength(2)
    expect(refreshes()).toBe(1)
  })

  test('a call that is always refused is sent twice, and no more', async () => {
    const { client, server, refreshes } = await setUp()
    await client.signIn(credentials)
    server.fail('/thing', ...Array.from({ length: 9 }, () => answer(401, { code: 'no' })))
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(401)
    expect(server.callsTo('/thing')).toHaveLength(2)
    for (let call = 0; call < 5; call++) await client.fetch(`${server.url}/thing`)
    expect(refreshes()).toBe(1)
  })

  test.each([
    ['for now', answer(503, {})],
    ['for good', answer(401, { code: 'invalid_refresh_token' })],
  ])('a 401 whose refresh fails %s is the answer, and is not retried', async (_, fault) => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    server.forgetAccessTokens()
    server.fail('/api/token/refresh', fault)
    const response = await client.fetch(`${server.url}/thing`)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'unauthorized' })
    expect(server.callsTo('/thing')).toHaveLength(1)
  })

  test('twenty calls refused at once share one refresh and all succeed', async () => {
    const { client, server, refreshes } = await setUp()
    await client.signIn(credentials)
    server.forgetAccessTokens()
    const calls = Array.from({ length: 20 }, () => client.fetch(`${server.url}/thing`))
    const statuses = (await Promise.all(calls)).map((response) => response.status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(refreshes()).toBe(1)
  })

  test('a token that another tab has just renewed is left alone too', async () => {
    const { client, connect, server, refreshes } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expect(other.getState().status).toBe('signedIn')
    expect(await client.refresh()).toBe(true)
    server.fail('/thing', answer(401, { code: 'no' }))
    expect((await other.fetch(`${server.url}/thing`)).status).toBe(401)
    expect(refreshes()).toBe(1)
  })

  test('a refresh that is refused with 401 is not refreshed', async () => {
    const { client, server, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    server.endAllSessions()
    expire()
    const response = await client.fetch(`${server.url}/thing`)
    expect(response.status).toBe(401)
    expect(refreshes()).toBe(1)
    expect(server.callsTo('/thing')[0]?.headers.authorization).toBeUndefined()
    expect(client.getState().status).toBe('signedOut')
  })
})
