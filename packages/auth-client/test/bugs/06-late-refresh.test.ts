import { afterEach, describe, expect, test, vi } from 'vitest'
import { hold } from '../auth-server.ts'
import { credentials, setUp, within } from '../fixtures.ts'
import { lockManager } from '../lock-manager.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('bug 6: a late refresh resurrects a session or reaches the next user', () => {
  test('a refresh that ends after the sign-out changes nothing', async () => {
    const { client, storage, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const waiting = client.getAuthorization()
    await late.reached
    await client.signOut()
    late.release()
    expect(await within(2000, waiting)).toBeNull()
    expect(client.getState().status).toBe('signedOut')
    expect(storage.items.size).toBe(0)
  })

  test('a refresh of the last user does not affect the next one', async () => {
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const waiting = client.getAuthorization()
    await late.reached
    await client.signOut()
    await client.signIn({ ...credentials, email: 'next@grove.test' })
    late.release()
    await waiting
    expect(client.getState()).toMatchObject({
      status: 'signedIn',
      session: { userId: 'user-next@grove.test' },
    })
  })

  test('a sign-out in another tab counts even if this tab was not told about it', async () => {
    const { client, connect, storage, server, expire } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const waiting = client.getAuthorization()
    await late.reached
    await other.signOut()
    late.release()
    expect(await waiting).toBeNull()
    expect(storage.items.size).toBe(0)
  })

  test('a refresh whose write coincides with a sign-out in another tab leaves no token behind', async () => {
    vi.stubGlobal('navigator', { locks: lockManager() })
    const { client, connect, storage, server, expire } = await setUp()
    await client.signIn(credentials)
    // Writes of another tab arrive late, as between browser processes.
    let view: Map<string, string> | null = null
    const behind = {
      ...storage,
      getItem: (key: string) => (view ?? storage.items).get(key) ?? null,
      setItem(key: string, value: string) {
        view?.set(key, value)
        storage.setItem(key, value)
      },
    }
    const other = connect({ storage: behind })
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const waiting = other.getAuthorization()
    await late.reached
    view = new Map(storage.items)
    await client.signOut()
    expect(storage.items.size).toBe(0)
    late.release()
    await waiting
    expect(storage.items.size).toBe(1)
    view = null
    await vi.waitFor(() => expect(storage.items.size).toBe(0))
    expect(await other.getAuthorization()).toBeNull()
    expect(await connect().getAuthorization()).toBeNull()
  })

  test('a call refused as one user is not resent as the next', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    const late = hold()
    server.fail('/thing', late.fault)
    const calling = client.fetch(`${server.url}/thing`, { method: 'PUT', body: 'mine' })
    await late.reached
    await client.signOut()
    await client.signIn({ ...credentials, email: 'next@grove.test' })
    late.release()
    expect((await within(2000, calling)).status).toBe(401)
    expect(server.callsTo('/thing')).toHaveLength(1)
  })

  test('a call that waits for a refresh is not sent as the next user', async () => {
    const { client, connect, server, expire } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const late = hold()
    server.fail('/api/token/refresh', late.fault)
    const calling = client.fetch(`${server.url}/thing`, { method: 'PUT', body: 'mine' })
    await late.reached
    await other.signIn({ ...credentials, email: 'next@grove.test' })
    late.release()
    expect((await within(2000, calling)).status).toBe(401)
    const sent = server.callsTo('/thing').map((call) => call.headers.authorization)
    expect(sent).toEqual([undefined])
    expect(await client.getAuthorization()).toBe(await other.getAuthorization())
    expect(client.getState()).toMatchObject({ session: { userId: 'user-next@grove.test' } })
  })

  test('a sign-in that ends after a sign-out does not sign in', async () => {
    const { client, server } = await setUp()
    const late = hold()
    server.fail('/api/token/password', late.fault)
    const signingIn = client.signIn(credentials)
    await late.reached
    await client.signOut()
    late.release()
    expect(await signingIn).toBe(false)
    expect(client.getState().status).toBe('signedOut')
  })
})
