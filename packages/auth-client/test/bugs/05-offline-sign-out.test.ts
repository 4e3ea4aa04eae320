import { describe, expect, test, vi } from 'vitest'
import { drop, hold } from '../auth-server.ts'
import { credentials, setUp, within } from '../fixtures.ts'

describe('bug 5: signing out offline keeps the tokens', () => {
  test('the tokens are gone though the service cannot be reached', async () => {
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
})
