import { describe, expect, test } from 'vitest'
import { createAuthClient } from '../../src/index.ts'
import { credentials, setUp } from '../fixtures.ts'

describe('bug 12: a bad stored token breaks the construction', () => {
  const key = 'grove.auth/test/grove/user/user-a@grove.test'

  test.each([
    ['no JSON', '{"tokenType":'],
    ['JSON null', 'null'],
    ['an array', '[]'],
    ['a number for a token', '{"tokenType":"Bearer","accessToken":5}'],
    ['an empty text', ''],
    ['a lone surrogate', '"\\ud800"'],
  ])('%s is read as signed out', async (_, text) => {
    const { client, connect, storage } = await setUp()
    await client.signIn(credentials)
    expect(storage.items.has(key)).toBe(true)
    storage.items.set(key, text)
    const next = connect()
    expect(next.getState().status).toBe('signedOut')
    expect(await next.signIn(credentials)).toBe(true)
    expect(connect().getState().status).toBe('signedIn')
  })

  test('a token that is not a JWT is kept and used until it is refused', async () => {
    const { connect, storage } = await setUp()
    storage.items.set('grove.auth/test/grove/current', key)
    storage.items.set(key, '{"tokenType":"Bearer","accessToken":"opaque"}')
    const client = connect()
    expect(await client.getAuthorization()).toBe('Bearer opaque')
    expect(await client.tokenDetails()).toMatchObject({ is_valid: false, is_expired: true })
  })

  test('no options make it throw', () => {
    const broken = () =>
      createAuthClient({
        authUrl: 'not an address',
        realm: '\ud800',
        stage: '%/',
        verification: { jwksUrl: 'also not' },
      })
    expect(broken).not.toThrow()
  })
})
