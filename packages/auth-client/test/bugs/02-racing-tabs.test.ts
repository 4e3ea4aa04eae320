import { afterEach, describe, expect, test, vi } from 'vitest'
import { hold } from '../auth-server.ts'
import { credentials, setUp } from '../fixtures.ts'
import { lockManager } from '../lock-manager.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('bug 2: tabs race and the user is signed out', () => {
  test('a tab whose refresh token was already exchanged adopts the newer one', async () => {
    const { client, connect, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const first = await client.getAuthorization()
    expect(await other.getAuthorization()).toBe(first)
    expect(refreshes()).toBe(1)
  })

  test('a tab that waited for another’s refresh adopts its result and sends none', async () => {
    vi.stubGlobal('navigator', { locks: lockManager() })
    const { client, connect, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    const tabs = [client, connect(), connect()]
    expire()
    const values = await Promise.all(tabs.map((tab) => tab.getAuthorization()))
    expect(refreshes()).toBe(1)
    expect(values[0]).toMatch(/^Bearer /)
    expect(new Set(values).size).toBe(1)
  })

  test('a refused refresh is not a sign-out if the storage has a newer token by then', async () => {
    // Without locks: the first tab exchanges the same token while the other waits for its response.
    vi.stubGlobal('navigator', undefined)
    const { client, connect, expire, server } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const slow = other.getAuthorization()
    await late.reached
    const first = await client.getAuthorization()
    late.release()
    expect(await slow).toBe(first)
    expect(other.getState().status).toBe('signedIn')
    expect(await client.getAuthorization()).toBe(first)
  })
})
