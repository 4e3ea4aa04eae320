import { afterEach, describe, expect, test, vi } from 'vitest'
import { drop } from '../auth-server.ts'
import { credentials, setUp } from '../fixtures.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('bug 10: one failure after waking stops the renewal', () => {
  test('the failure is forgotten when the connection is back', async () => {
    const target = new EventTarget()
    vi.stubGlobal('window', target)
    vi.stubGlobal('document', Object.assign(new EventTarget(), { cookie: '', baseURI: 'http://x' }))
    vi.stubGlobal('location', { origin: 'http://x' })
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    server.fail('/api/token/refresh', drop)
    expect(await client.getAuthorization()).toBeNull()
    expect(await client.getAuthorization()).toBeNull()
    target.dispatchEvent(new Event('online'))
    expect(await client.getAuthorization()).toMatch(/^Bearer /)
  })
})
