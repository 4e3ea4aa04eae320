import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axios, { AxiosError } from 'axios'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { AuthError } from './auth-error.ts'
import { request } from './request.ts'

// The oracle is axios against the same server. Its two adapters for Node differ in places; we compare
// with what a browser's adapter gives, so each fault names the adapter that agrees with it.

const STATUS = /^\/status\/(\d+)$/
const bodies: Record<string, [string, string]> = {
  '/json': ['application/json', '{"code":"teapot","list":[1,null]}'],
  '/problem': ['application/problem+json', '{"title":"No"}'],
  '/text': ['text/plain', 'plain words'],
  '/html-that-is-json': ['text/html', '{"a":1}'],
  '/broken-json': ['application/json', '{"a":'],
  '/empty': ['application/json', ''],
  '/number': ['text/plain', '42'],
}

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const [, status] = STATUS.exec(path) ?? []
  if (status) {
    response.writeHead(Number(status), { 'content-type': 'application/json' })
    return response.end('{"code":"teapot"}')
  }
  if (path === '/drop') return request.socket.destroy()
  if (path === '/cut') {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    return setTimeout(() => request.socket.destroy(), 20)
  }
  if (path === '/slow') return
  if (path === '/slow-body') return response.writeHead(200).write('half')
  if (path === '/echo') {
    response.setHeader('content-type', 'application/json')
    const { headers, method } = request
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    return request.on('end', () => response.end(JSON.stringify({ method, headers, text })))
  }
  const [type, body] = bodies[path] ?? ['text/plain', '']
  return response.writeHead(200, { 'content-type': type }).end(body)
})

let base = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(() => vi.unstubAllGlobals())

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('should have failed'),
    (error: unknown) => error,
  )

async function ours(path: string, options = {}) {
  const error = await failure(request(base + path, options))
  if (!(error instanceof AuthError)) throw error
  const { message, status, body } = error
  return { message, status, body }
}

async function oracle(path: string, options = {}) {
  const error = await failure(axios.get(base + path, options))
  if (!(error instanceof AxiosError)) throw error
  const { message, response } = error
  return { message, status: response?.status, body: response?.data as unknown }
}

describe('fails as axios does', () => {
  test.each([300, 304, 400, 401, 403, 404, 409, 418, 422, 429, 499, 500, 502, 503, 599])(
    'status %i',
    async (status) => {
      const path = `/status/${status}`
      const expected = await oracle(path, { maxRedirects: 0 })
      expect(await ours(path)).toEqual(expected)
      expect(expected.message).toBe(`Request failed with status code ${status}`)
    },
  )

  test('a dropped connection', async () => {
    const expected = await oracle('/drop', { adapter: 'fetch' })
    expect(await ours('/drop')).toEqual(expected)
    expect(expected).toMatchObject({ message: 'Network Error' })
  })

  test('a service that does not listen', async () => {
    const address = 'http://127.0.0.1:1'
    const expected = await failure(axios.get(address, { adapter: 'fetch' }))
    const error = await failure(request(address))
    expect(error).toBeInstanceOf(AuthError)
    const { message } = expected as AxiosError
    expect(error).toMatchObject({ message })
    expect(message).toBe('Network Error')
  })

  test('a timeout before the answer', async () => {
    const expected = await oracle('/slow', { timeout: 60, adapter: 'http' })
    expect(await ours('/slow', { timeout: 60 })).toEqual(expected)
    expect(expected).toMatchObject({ message: 'timeout of 60ms exceeded' })
  })

  test('a timeout within the answer', async () => {
    const { message } = await oracle('/slow-body', { timeout: 60, adapter: 'fetch' })
    const error = await ours('/slow-body', { timeout: 60 })
    expect(error).toMatchObject({ message, status: undefined })
    expect(message).toBe('timeout of 60ms exceeded')
  })

  test('a connection that is lost within the answer', async () => {
    expect(await ours('/cut')).toMatchObject({ message: 'Network Error' })
  })
})

describe('answers as axios does', () => {
  test.each(Object.keys(bodies))('body of %s', async (path) => {
    const expected = await axios.get<unknown>(base + path)
    const { status, body } = await request(base + path)
    expect({ status, body }).toEqual({ status: expected.status, body: expected.data })
  })

  test.each([200, 201, 202, 204, 206, 226, 299])('status %i is a success', async (status) => {
    const expected = await axios.get(`${base}/status/${status}`)
    expect((await request(`${base}/status/${status}`)).status).toBe(expected.status)
  })

  test('a JSON body is sent with its type', async () => {
    const json = { name: 'Жук', list: [1] }
    const sent = { content: 'application/json', text: JSON.stringify(json), method: 'POST' }
    const read = (body: unknown) => {
      const echo = body as { method: string; text: string; headers: Record<string, string> }
      return { content: echo.headers['content-type'], text: echo.text, method: echo.method }
    }
    const expected = await axios.post<unknown>(`${base}/echo`, json)
    const { body } = await request(`${base}/echo`, { method: 'POST', json })
    expect(read(body)).toEqual(sent)
    expect(read(body)).toEqual(read(expected.data))
  })
})

describe('an abort', () => {
  // The specification's words. For a signal, axios says "canceled".
  const aborted = { message: 'Request aborted', status: undefined }

  test('before the request', async () => {
    expect(await ours('/slow', { signal: AbortSignal.abort() })).toMatchObject(aborted)
  })

  test.each(['/slow', '/slow-body'])('during %s', async (path) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('any reason')), 30)
    const { signal } = controller
    expect(await ours(path, { signal, timeout: 5000 })).toMatchObject(aborted)
  })

  test('a caller’s own time limit is an abort, not our timeout', async () => {
    const signal = AbortSignal.timeout(30)
    expect(await ours('/slow', { signal, timeout: 5000 })).toMatchObject(aborted)
  })
})

test('an abort that came before the time limit stays an abort, however late it is seen', async () => {
  const slow = () => new Promise<never>((_, reject) => setTimeout(() => reject(new Error()), 80))
  const signal = AbortSignal.timeout(10)
  const error = await failure(request(base, { signal, timeout: 40, fetch: slow }))
  expect(error).toMatchObject({ message: 'Request aborted' })
})

test('there is no timeout by default, and 0 is none', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const ours = () => timers.mock.calls.filter(([work]) => /isLate/.test(String(work)))
  const fetch = async () => new Response('')
  await request(base, { fetch })
  await request(base, { fetch, timeout: 0 })
  expect(ours()).toHaveLength(0)
  await request(base, { fetch, timeout: 60_000 })
  expect(ours()).toHaveLength(1)
  timers.mockRestore()
})

test('a browser without AbortSignal.any and AbortSignal.timeout will do', async () => {
  vi.stubGlobal('AbortSignal', {})
  expect((await request(`${base}/text`, { timeout: 5000 })).status).toBe(200)
  expect(await ours('/slow', { timeout: 30 })).toMatchObject({
    message: 'timeout of 30ms exceeded',
  })
})

describe('Retry-After', () => {
  const after = async (headers: Record<string, string>) => {
    const fetch = async () => new Response(null, { status: 429, headers })
    const error = await failure(request(base, { fetch }))
    return (error as AuthError).retryAfter
  }

  test.each([
    ['seconds', { 'retry-after': '30' }, 30],
    [
      'a date, by the clock of the service',
      {
        'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT',
        date: 'Wed, 21 Oct 2015 07:28:00 GMT',
      },
      30,
    ],
    ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, undefined],
    ['other words', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('as %s', async (_, headers, expected) => {
    expect(await after(headers)).toBe(expected)
  })

  test('as a date, by this machine’s clock where the service hides its own', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString()
    expect(await after({ 'retry-after': date })).toBeGreaterThan(28)
  })
})

test('a timeout beyond a timer’s range is not an immediate one', async () => {
  expect((await request(`${base}/text`, { timeout: 2 ** 40 })).body).toBe('plain words')
})

describe('the XSRF token', () => {
  const page = (cookie: string, origin = base) => {
    vi.stubGlobal('document', { cookie, baseURI: `${origin}/page` })
    vi.stubGlobal('location', new URL(`${origin}/page`))
  }
  const header = async (address: string) => {
    const { body } = await request(address)
    return (body as { headers: Record<string, string> }).headers['x-xsrf-token']
  }

  test('goes from the cookie to the page’s own origin', async () => {
    page('a=b; XSRF-TOKEN=t%20=1; XSRF-TOKEN-2=no')
    expect(await header(`${base}/echo`)).toBe('t =1')
  })

  test('with a bad escape goes as it is', async () => {
    page('XSRF-TOKEN=%E0%A4%A')
    expect(await header(`${base}/echo`)).toBe('%E0%A4%A')
  })

  test('is not there in a sandboxed frame, whose cookies throw', async () => {
    vi.stubGlobal('document', {
      get cookie(): string {
        throw new DOMException('The document is sandboxed', 'SecurityError')
      },
      baseURI: `${base}/page`,
    })
    expect(await header(`${base}/echo`)).toBeUndefined()
  })

  test('does not go to another origin', async () => {
    page('XSRF-TOKEN=secret', 'http://elsewhere.test')
    expect(await header(`${base}/echo`)).toBeUndefined()
  })

  test('is not there without the cookie, or without a browser', async () => {
    page('OTHER-XSRF-TOKEN=secret')
    expect(await header(`${base}/echo`)).toBeUndefined()
    vi.unstubAllGlobals()
    expect(await header(`${base}/echo`)).toBeUndefined()
  })
})
