import { afterEach, describe, expect, test, vi } from 'vitest'
import { AuthError } from '../src/index.ts'
import { answer, drop, hold } from './auth-server.ts'
import { credentials, openTab, setUp } from './fixtures.ts'

afterEach(() => vi.unstubAllGlobals())

describe('fetch', () => {
  test('adds the bearer token and the api-version', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    await client.fetch(`${server.url}/thing`)
    await client.fetch(new URL('/thing', server.url), { apiVersion: '1.7' })
    await client.fetch(`${server.url}/thing`, { headers: { 'API-Version': '3', 'x-own': 'kept' } })
    const headers = server.callsTo('/thing').map((call) => call.headers)
    expect(headers.map((one) => one['api-version'])).toEqual(['1', '1.7', '3'])
    expect(headers.every((one) => one.authorization?.startsWith('Bearer '))).toBe(true)
    expect(headers[2]?.['x-own']).toBe('kept')
  })

  test('refreshes an expired token first', async () => {
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(200)
    expect(server.calls.map((call) => call.path)).toEqual([
      '/api/token/password',
      '/api/token/refresh',
      '/thing',
    ])
  })

  test('signed out, or with the caller’s own authorization, it is a plain fetch', async () => {
    const { client, server } = await setUp()
    expect((await client.fetch(`${server.url}/thing`)).status).toBe(401)
    await client.signIn(credentials)
    const headers = { authorization: 'Bearer own' }
    expect((await client.fetch(`${server.url}/thing`, { headers })).status).toBe(401)
    const sent = server.callsTo('/thing').map((call) => call.headers.authorization)
    expect(sent).toEqual([undefined, 'Bearer own'])
  })

  test('resends the body after a 401, of an init and of a Request', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    const init = {
      method: 'PUT',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    }
    for (const again of [
      () => client.fetch(`${server.url}/thing`, init),
      () => client.fetch(new Request(`${server.url}/thing`, init)),
    ]) {
      server.fail('/thing', answer(401, {}))
      const response = await again()
      expect(await response.json()).toEqual({ path: '/thing', body: { a: 1 } })
      await client.signIn(credentials)
    }
    expect(server.callsTo('/thing').map((call) => call.method)).toEqual(Array(4).fill('PUT'))
  })

  test('a reopened page refreshes once after a 401, however young the stored token is', async () => {
    const { client, connect, server } = await setUp()
    await client.signIn(credentials)
    const reopened = connect()
    server.fail('/thing', answer(401, {}))
    expect((await reopened.fetch(`${server.url}/thing`)).status).toBe(200)
    expect(server.callsTo('/api/token/refresh')).toHaveLength(1)
  })

  test('retries after a 401 that was interrupted meanwhile', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    let breakOff = () => {}
    server.fail('/thing', (_, response) => {
      response.writeHead(401, { 'content-length': '100' }).write('{')
      breakOff = () => response.destroy()
      return new Promise((resolve) => response.once('close', resolve))
    })
    const renewal = hold()
    server.fail('/api/token/refresh', renewal.fault)
    const calling = client.fetch(`${server.url}/thing`)
    await renewal.reached
    breakOff()
    // The client has seen it once the next call on another connection is answered.
    await client.stageAuth()
    renewal.release()
    expect((await calling).status).toBe(200)
  })

  test('a streamed body is sent once: its 401 is the answer', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    server.fail('/thing', answer(401, {}))
    const body = new Blob(['{}']).stream()
    const init = { method: 'POST', body, duplex: 'half' }
    expect((await client.fetch(`${server.url}/thing`, init)).status).toBe(401)
    expect(server.callsTo('/thing')).toHaveLength(1)
  })

  test('fails like fetch', async () => {
    const { client, server } = await setUp()
    await client.signIn(credentials)
    server.fail('/thing', drop)
    await expect(client.fetch(`${server.url}/thing`)).rejects.toBeInstanceOf(TypeError)
    const signal = AbortSignal.abort()
    const aborted = client.fetch(`${server.url}/thing`, { signal })
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('request', () => {
  test('carries the session and the api-version, reads the answer and rejects other statuses', async () => {
    const { client, server, expire } = await setUp()
    await client.signIn(credentials)
    expire()
    const { status, body } = await client.request(`${server.url}/thing`, {
      method: 'POST',
      json: { a: 1 },
      apiVersion: '1.7',
    })
    expect([status, body]).toEqual([200, { path: '/thing', body: { a: 1 } }])
    expect(server.callsTo('/thing')[0]?.headers['api-version']).toBe('1.7')
    server.fail('/thing', answer(409, { code: 'taken' }, { 'retry-after': '7' }))
    const refused = client.request(`${server.url}/thing`)
    await expect(refused).rejects.toBeInstanceOf(AuthError)
    await expect(refused).rejects.toMatchObject({
      message: 'Request failed with status code 409',
      status: 409,
      body: { code: 'taken' },
      retryAfter: 7,
    })
  })

  test('renews a refused token and retries once', async () => {
    const { client, server, time } = await setUp()
    await client.signIn(credentials)
    time.now += 11_000
    server.forgetAccessTokens()
    expect((await client.request(`${server.url}/thing`)).status).toBe(200)
    expect(server.callsTo('/thing')).toHaveLength(2)
  })

  test('sends the XSRF token to the page’s own origin', async () => {
    openTab()
    const { client, server } = await setUp()
    vi.stubGlobal('document', { cookie: 'XSRF-TOKEN=t', baseURI: `${server.url}/page` })
    vi.stubGlobal('location', new URL(server.url))
    await client.signIn(credentials)
    await client.request(`${server.url}/thing`)
    await client.fetch(`${server.url}/thing`)
    const sent = server.callsTo('/thing').map(({ headers }) => headers['x-xsrf-token'])
    expect(sent).toEqual(['t', 't'])
  })
})
