import { describe, expect, test, vi } from 'vitest'
import { credentials, setUp, within } from '../fixtures.ts'

describe('bug 4: a listener that calls the client deadlocks it', () => {
  test('a listener may await an authorization and a refresh', async () => {
    const { client, expire } = await setUp()
    const seen: (string | null)[] = []
    client.subscribe(() => {
      void client.getAuthorization().then((value) => seen.push(value))
    })
    await client.signIn(credentials)
    expire()
    expect(await within(2000, client.getAuthorization())).toMatch(/^Bearer /)
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1))
  })

  test('a listener runs after the call that caused the change, on a separate stack', async () => {
    const { client } = await setUp()
    await client.signIn(credentials)
    const order: string[] = []
    client.subscribe((state) => order.push(state.status))
    const ended = client.signOut()
    order.push('the call is made')
    await ended
    expect(order).toEqual(['signedIn', 'the call is made', 'signedOut'])
  })

  test('a listener that throws harms neither the client nor the other listeners', async () => {
    const { client, errors } = await setUp()
    const seen = vi.fn()
    client.subscribe(() => {
      throw new Error('listener')
    })
    client.subscribe(seen)
    expect(await client.signIn(credentials)).toBe(true)
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(2))
    // Immediately, and after the change.
    expect(errors).toEqual([new Error('listener'), new Error('listener')])
  })
})
