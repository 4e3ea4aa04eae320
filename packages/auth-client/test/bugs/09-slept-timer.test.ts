import { afterEach, describe, expect, test, vi } from 'vitest'
import { answer } from '../auth-server.ts'
import { credentials, setUp } from '../fixtures.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/**
 * With Web Locks (browsers, Node 24), a refresh holds its lock for 800 ms. That is long over when the
 * next token expires, and does not end any token itself.
 */
const freeLock = () => vi.advanceTimersByTimeAsync(1000)

describe('bug 9: timers that are throttled or asleep miss the token’s end', () => {
  test('every use checks for itself, even if no timer ever fires', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { client, expire, refreshes, server } = await setUp()
    await client.signIn(credentials)
    const before = await client.getAuthorization()
    expire()
    expect(client.getState().status).toBe('signedIn')
    const renewed = await client.getAuthorization()
    expect(renewed).toMatch(/^Bearer /)
    expect(renewed).not.toBe(before)
    await freeLock()
    expire()
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(200)
    expect(server.callsTo('/thing')).toHaveLength(1)
    expect(refreshes()).toBe(2)
    await freeLock()
    expire()
    expect(await client.tokenDetails()).toMatchObject({ is_expired: true })
  })

  test('a timer that fires early or late checks the clock', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { client, time, refreshes } = await setUp()
    await client.signIn(credentials)
    await vi.advanceTimersByTimeAsync(3600_000)
    expect(client.getState().status).toBe('signedIn')
    time.now += 3600_000
    await vi.advanceTimersByTimeAsync(600_000)
    expect(client.getState().status).toBe('expired')
    expect(refreshes()).toBe(0)
  })

  test('a page that becomes visible again shows the current state, and sends nothing on its own', async () => {
    vi.stubGlobal('window', new EventTarget())
    vi.stubGlobal('document', { cookie: '', baseURI: 'http://x' })
    vi.stubGlobal('location', { origin: 'http://x' })
    const { client, expire, refreshes, server } = await setUp()
    await client.signIn(credentials)
    expire()
    const sent = server.calls.length
    // It bubbles to the window.
    for (let look = 0; look < 20; look++) window.dispatchEvent(new Event('visibilitychange'))
    for (let look = 0; look < 20; look++) window.dispatchEvent(new Event('online'))
    expect(client.getState().status).toBe('expired')
    expect(server.calls).toHaveLength(sent)
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expect(refreshes()).toBe(1)
  })

  test('the first call after a night works even if the network is not back at once', async () => {
    const { client, server, time, refreshes } = await setUp()
    await client.signIn(credentials)
    time.now += 8 * 3600_000
    server.fail('/api/token/refresh', answer(502, '<h1>Bad gateway</h1>'))
    expect(await client.getAuthorization()).toBeNull()
    expect(client.getState().status).toBe('expired')
    time.now += 1000
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
    expect(refreshes()).toBe(2)
  })
})
