import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ExternalLoginAnswer } from '../../src/index.ts'
import { memoryStorage, tab } from '../fixtures.ts'

// Real tabs and the real Back button are in test/multi-tab-logins.test.ts.

afterEach(() => vi.unstubAllGlobals())

const pkce = { pkce: 'S256', clientId: 'console' }

describe('bug 14: two login tabs or Back break the state', () => {
  test('two logins of one tab each come back, in any order', async () => {
    const { client, connect, server } = await tab(pkce)
    const first = await client.startExternalLogin({ returnTo: '/first' })
    // Back to the login page, which reloads.
    const second = await connect().startExternalLogin({ returnTo: '/second' })
    const returned: unknown[] = []
    for (const login of [second, first]) {
      const page = connect()
      const onAnswer = (given: ExternalLoginAnswer) => void returned.push(given.returnTo)
      expect(await page.completeExternalLogin(server.authorize(login), { onAnswer })).toBe(true)
    }
    expect(returned).toEqual(['/second', '/first'])
  })

  test('two tabs do not know each other’s records, and both come back', async () => {
    const { server, connect } = await tab(pkce)
    const stores = [memoryStorage(), memoryStorage()]
    const logins: string[] = []
    for (const store of stores) {
      vi.stubGlobal('sessionStorage', store)
      logins.push(await connect().startExternalLogin())
    }
    for (const [index, login] of logins.entries()) {
      vi.stubGlobal('sessionStorage', stores[index])
      expect(await connect().completeExternalLogin(server.authorize(login))).toBe(true)
    }
  })

  test('a tab remembers its last sixteen logins', async () => {
    const { client, server, sessionStorage } = await tab()
    const logins: string[] = []
    for (let login = 0; login < 17; login++) logins.push(await client.startExternalLogin())
    expect(sessionStorage.items.size).toBe(1)
    const [oldest = '', next = ''] = logins.map((login) => server.authorize(login))
    const onAnswer = vi.fn()
    expect(await client.completeExternalLogin(oldest, { onAnswer })).toBe(false)
    expect(onAnswer.mock.calls[0]?.[0]).toMatchObject({ body: { code: 'state_unknown' } })
    expect(await client.completeExternalLogin(next)).toBe(true)
  })
})
