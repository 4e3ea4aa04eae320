import { CancelledError, type QueryKey } from '@tanstack/react-query'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createApi, fileNameOf } from './create-api.ts'
import { queryClient } from './query-client.ts'
import { ApiProblem, NetworkProblem } from './problem.ts'

let server: Server
let url = ''
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    response.setHeader('platform', 'grove')
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
afterEach(() => queryClient.clear())

const foreign = () => Promise.reject(new Error('Grove answers these calls.'))

const apiAt = (base: string) =>
  createApi({
    foreign,
    fetch: (input, { apiVersion = '', ...init }) => {
      const headers = new Headers(init.headers)
      headers.set('api-version', apiVersion)
      return fetch(input, { ...init, headers })
    },
    services: {
      auth: { url: base, apiVersion: '1' },
      cedar: { url: base, apiVersion: '1.7' },
      maple: { url: base, apiVersion: '3' },
    },
  })

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body))

test('sends the query and the service’s version, and returns the body', async () => {
  answer = (request, response) =>
    json(response, 200, { url: request.url, version: request.headers['api-version'] })
  const devices = await apiAt(url).maple.get('/api/maple/device', {
    query: { q: 'a&b', type: 'iot,boot' },
  })
  expect(devices).toEqual({ url: '/api/maple/device?q=a%26b&type=iot%2Cboot', version: '3' })
  const products = await apiAt(url).cedar.get('/api/developer/product')
  expect(products).toMatchObject({ version: '1.7' })
})

test('escapes path parameters and sends the body as JSON with its revision', async () => {
  answer = (request, response, body) =>
    json(response, 200, {
      url: request.url,
      match: request.headers['if-match'],
      type: request.headers['content-type'],
      body: JSON.parse(body) as unknown,
    })
  const body = { translations: [{ localeCode: 'ru-RU' as const, title: 'Ёж' }] }
  const saved = await apiAt(url).cedar.put('/api/developer/product/{id}', {
    params: { id: 'a/b' },
    body,
    ifMatch: 7,
  })
  expect(saved).toEqual({
    url: '/api/developer/product/a%2Fb',
    match: '"7"',
    type: 'application/json',
    body,
  })
})

test('returns null for an answer without content', async () => {
  answer = (_, response) => response.writeHead(204).end()
  expect(await apiAt(url).maple.delete('/api/maple/device', { query: { id: 'd' } })).toBeNull()
})

test('rejects problem details as ApiProblem with code, fields and the time to wait', async () => {
  const errors = [{ path: 'name', code: 'maxLength', message: 'must have at most 100 characters' }]
  answer = (_, response) =>
    json(
      response,
      429,
      { code: 'too_many_attempts', detail: 'Slow down.', requestId: 'r-1', errors },
      { 'retry-after': '30' },
    )
  const problem: unknown = await apiAt(url)
    .maple.get('/api/maple/device')
    .catch((e: unknown) => e)
  expect(problem).toBeInstanceOf(ApiProblem)
  expect(problem).toMatchObject({
    status: 429,
    code: 'too_many_attempts',
    detail: 'Slow down.',
    requestId: 'r-1',
    fields: errors,
    retryAfter: 30,
  })
})

test('rejects a proxy’s HTML page with its status only', async () => {
  answer = (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>')
  const problem: unknown = await apiAt(url)
    .cedar.get('/api/provider')
    .catch((e: unknown) => e)
  expect(problem).toMatchObject({ status: 502, code: 'http_502', fields: [] })
})

test('rejects with NetworkProblem if no answer comes', async () => {
  const call = apiAt('http://127.0.0.1:1').cedar.get('/api/provider')
  await expect(call).rejects.toBeInstanceOf(NetworkProblem)
})

test('rejects an abort as an abort', async () => {
  answer = () => {}
  const signal = AbortSignal.abort()
  await expect(apiAt(url).cedar.get('/api/provider', { signal })).rejects.toMatchObject({
    name: 'AbortError',
  })
})

test('reads a file’s full name, including Cyrillic', () => {
  const name = 'Прогноз погоды - v1.0.0.zip'
  const disposition = `attachment; filename="?.zip"; filename*=UTF-8''${encodeURIComponent(name)}`
  expect(fileNameOf(new Headers({ 'content-disposition': disposition }))).toBe(name)
  expect(
    fileNameOf(new Headers({ 'content-disposition': 'attachment; filename="a \\"b\\".zip"' })),
  ).toBe('a "b".zip')
})

test('calls each service at its own address with its own version', async () => {
  answer = (request, response) =>
    json(response, 200, { url: request.url, version: request.headers['api-version'] })
  const { auth, cedar } = createApi({
    foreign,
    fetch: (input, { apiVersion = '' }) => fetch(input, { headers: { 'api-version': apiVersion } }),
    services: {
      auth: { url: `${url}/a`, apiVersion: '1' },
      cedar: { url: `${url}/c`, apiVersion: '1.7' },
      maple: { url: `${url}/m`, apiVersion: '3' },
    },
  })
  expect(await auth.get('/api/user/profile')).toEqual({ url: '/a/api/user/profile', version: '1' })
  expect(await cedar.get('/api/user/info')).toEqual({ url: '/c/api/user/info', version: '1.7' })
  // @ts-expect-error: a call of the authentication service.
  expect(await cedar.get('/api/user/profile')).toMatchObject({ version: '1.7' })
})

test('keys a query by service, path and options, and aborts its request', async () => {
  const { maple } = apiAt(url)
  const { queryKey } = maple.query('/api/maple/device', { query: { q: 'gate' } })
  expect(queryKey).toEqual(['maple', '/api/maple/device', { query: { q: 'gate' } }])

  let leave = () => {}
  const left = new Promise<void>((resolve) => (leave = resolve))
  const arrived = new Promise<void>((resolve) => {
    answer = (_, response) => {
      response.on('close', leave)
      resolve()
    }
  })
  const fetched = queryClient.fetchQuery(maple.query('/api/maple/device', { query: { q: 'gate' } }))
  const refused = expect(fetched).rejects.toBeInstanceOf(CancelledError)
  await arrived
  await queryClient.cancelQueries({ queryKey })
  await Promise.all([refused, left])
})

test('invalidates the answers at or below a path, except the one just saved', async () => {
  const { cedar, maple } = apiAt(url)
  const list = cedar.query('/api/developer/product', { query: { q: 'tide' } })
  const one = cedar.query('/api/developer/product/{id}', { params: { id: '1' } })
  const saved = cedar.query('/api/developer/product/{id}', { params: { id: '2' } })
  const version = cedar.query('/api/developer/productVersion/{id}', { params: { id: '1' } })
  const devices = maple.query('/api/maple/device')
  const all = [list, one, saved, version, devices].map(({ queryKey }): QueryKey => queryKey)
  for (const queryKey of all) queryClient.setQueryData(queryKey, {})
  await cedar.invalidate('/api/developer/product', { except: saved.queryKey })
  const isStale = all.map((queryKey) => queryClient.getQueryState(queryKey)?.isInvalidated)
  expect(isStale).toEqual([true, true, false, false, false])
})
