import { afterEach, describe, expect, test, vi } from 'vitest'
import { answer, drop, hold } from '../auth-server.ts'
import { credentials, openTab, setUp, within } from '../fixtures.ts'

afterEach(() => vi.unstubAllGlobals())

describe('bug 5: signing out offline keeps the tokens', () => {
  test('the tokens are gone even if the service is unreachable', async () => {
    const { client, connect, storage, server } = await setUp()
    await client.signIn(credentials)
    server.fail('/api/logout', drop)
    await client.signOut()
    expect(client.getState().status).toBe('signedOut')
    expect(storage.items.size).toBe(0)
    expect(await connect().getAuthorization()).toBeNull()
  })

  test('sign-out does not wait for the service', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    const never = hold()
    server.fail('/api/logout', never.fault)
    await within(500, client.signOut())
    await never.reached
    never.release()
  })

  test('an expired token is not refreshed for the sign-out', async () => {
    const { client, server, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    expire()
    await client.signOut()
    await vi.waitFor(() => expect(server.callsTo('/api/logout')).toHaveLength(1))
    expect(refreshes()).toBe(0)
  })

  test('the service is told when the page is online again, once', async () => {
    openTab()
    const { client, server, storage } = await setUp()
    await client.signIn(credentials)
    server.fail('/api/logout', drop, answer(503, {}))
    await client.signOut()
    const calls = () => server.callsTo('/api/logout').length
    await vi.waitFor(() => expect(calls()).toBe(1))
    await vi.waitFor(() => {
      window.dispatchEvent(new Event('online'))
      expect(calls()).toBe(2)
    })
    await vi.waitFor(() => {
      window.dispatchEvent(new Event('online'))
      expect(calls()).toBe(3)
    })
    expect(storage.items.size).toBe(0)
    await new Promise((resolve) => setImmediate(resolve))
    window.dispatchEvent(new Event('online'))
    await client.signIn(credentials)
    expect(calls()).toBe(3)
  })
})
