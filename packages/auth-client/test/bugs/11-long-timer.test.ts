import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAuthClient } from '../../src/index.ts'
import { credentials, memoryStorage, setUp } from '../fixtures.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('bug 11: a timer beyond 24.8 days fires at once', () => {
  test('a token of a hundred days is neither renewed nor checked in a loop', async () => {
    const { client, server, refreshes } = await setUp()
    server.settings.lifetime = 100 * 24 * 3600
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await client.signIn(credentials)
    await new Promise((resolve) => setImmediate(resolve))
    const delays = timers.mock.calls.map(([, delay]) => delay ?? 0)
    expect(Math.max(...delays)).toBe(2 ** 31 - 1)
    expect(client.getState().status).toBe('signedIn')
    expect(refreshes()).toBe(0)
    timers.mockRestore()
  })

  test('the end of such a token is still noticed, on the day', async () => {
    const { server } = await setUp()
    server.settings.lifetime = 100 * 24 * 3600
    const client = createAuthClient({
      authUrl: server.url,
      realm: 'grove',
      stage: 'test',
      storage: memoryStorage(),
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    await client.signIn(credentials)
    await vi.advanceTimersByTimeAsync(99.9 * 24 * 3600 * 1000)
    expect(client.getState().status).toBe('signedIn')
    await vi.advanceTimersByTimeAsync(0.2 * 24 * 3600 * 1000)
    expect(client.getState().status).toBe('expired')
    client.close()
  })
})
