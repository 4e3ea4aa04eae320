import { afterEach, describe, expect, test, vi } from 'vitest'
import { credentials, setUp, within } from '../fixtures.ts'
import { lockManager } from '../lock-manager.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/**
 * A lock that its holder never releases; `endWait` ends the bounded wait without a response from the
 * holder.
 */
function orphanedLock() {
  const locks = lockManager()
  const request = vi.spyOn(locks, 'request')
  void locks.request('orphan', new AbortController(), () => new Promise(() => {}))
  request.mockClear()
  vi.stubGlobal('navigator', { locks })
  const waits: (() => void)[] = []
  let isOver = false
  const real = globalThis.setTimeout
  const timers = vi.spyOn(globalThis, 'setTimeout')
  timers.mockImplementation((work: () => void, delay = 0) => {
    if (delay === 12_000) waits.push(work)
    return real(work, isOver && delay === 1500 ? 0 : delay)
  })
  const endWait = () => {
    isOver = true
    waits.forEach((work) => work())
  }
  return { request, endWait }
}

describe('bug 3: an orphaned lock hangs everything', () => {
  test('it delays a refresh once, which then continues without it and does not steal it', async () => {
    const { request, endWait } = orphanedLock()
    const { client, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    expire()
    const waiting = Promise.all([client.getAuthorization(), client.getAuthorization()])
    endWait()
    const values = await within(2000, waiting)
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[1]).toBe(values[0])
    expect(refreshes()).toBe(1)
    expect(request).toHaveBeenCalledOnce()
    expect(Object.keys(request.mock.calls[0]?.[1] ?? {})).toEqual(['signal'])
  })

  test('a client that waited for it reads the storage again, and adopts a newer token', async () => {
    const { request, endWait } = orphanedLock()
    const { client, connect, expire, refreshes } = await setUp()
    await client.signIn(credentials)
    const other = connect()
    expire()
    const waiting = client.getAuthorization()
    expect(request).toHaveBeenCalledOnce()
    await other.signIn(credentials)
    endWait()
    expect(await within(2000, waiting)).toBe(await other.getAuthorization())
    expect(refreshes()).toBe(0)
  })

  test('locks that throw fail the refresh for now, and leave nobody waiting', async () => {
    const request = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('navigator', { locks: { request } })
    const { client, expire, errors } = await setUp()
    await client.signIn(credentials)
    expire()
    expect(await within(2000, client.getAuthorization())).toBeNull()
    expect(client.getState().status).toBe('expired')
    expect(errors).toEqual([expect.objectContaining({ name: 'SecurityError' })])
  })

  test('only a refresh requests it', async () => {
    const { request } = orphanedLock()
    const { client, server, expire } = await setUp()
    await within(2000, client.signIn(credentials))
    expect(await within(2000, client.getAuthorization())).toMatch(/^Bearer /)
    const response = await within(2000, client.fetch(`${server.url}/thing`))
    expect(response.status).toBe(200)
    await within(2000, client.tokenDetails())
    await within(2000, client.getAnonymousAuthorization())
    expect(request).not.toHaveBeenCalled()

    expire()
    const waiting = client.getAuthorization()
    expect(request).toHaveBeenCalledOnce()
    await within(2000, client.signOut())
    expect(await within(2000, waiting)).toBeNull()
    expect(await within(2000, client.signIn(credentials))).toBe(true)
    expect(await within(2000, client.getAuthorization())).toMatch(/^Bearer /)
  })
})
