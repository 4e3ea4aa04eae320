import { describe, expect, test } from 'vitest'
import { credentials, setUp } from '../fixtures.ts'

describe('bug 1: concurrent refreshes burn the rotating token', () => {
  test('fifty callers with an expired token cause one refresh and share its result', async () => {
    const { client, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    const before = await client.getAuthorization()
    expire()
    const values = await Promise.all(Array.from({ length: 50 }, () => client.getAuthorization()))
    expect(refreshes()).toBe(1)
    expect(new Set(values).size).toBe(1)
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[0]).not.toBe(before)
  })

  test('explicit refreshes, calls and waiting callers join the running one', async () => {
    const { client, expire, refreshes, server } = await setUp()
    await client.signIn(credentials)
    expire()
    const results = await Promise.all([
      client.refresh(),
      client.refresh(),
      client.getAuthorization(),
      client.fetch(`${server.url}/thing`).then((response) => response.status),
    ])
    expect(refreshes()).toBe(1)
    expect(results).toEqual([true, true, await client.getAuthorization(), 200])
  })
})
