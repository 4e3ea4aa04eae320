import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi, fileNameOf } from './create-api.ts'
import { ApiProblem, NetworkProblem } from './problem.ts'

let server: Server
let url = ''
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const apiAt = (base: string) =>
  createApi({
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

test('a call sends its query and its service’s version, and answers the body', async () => {
  answer = (request, response) =>
    json(response, 200, { url: request.url, version: request.headers['api-version'] })
  const devices = await apiAt(url).get('/api/maple/device', {
    query: { q: 'a&b', type: 'iot,boot' },
  })
  expect(devices).toEqual({ url: '/api/maple/device?q=a%26b&type=iot%2Cboot', version: '3' })
  const products = await apiAt(url).get('/api/developer/product')
  expect(products).toMatchObject({ version: '1.7' })
})

test('a path parameter is escaped and a body is sent as JSON with its revision', async () => {
  answer = (request, response, body) =>
    json(response, 200, {
      url: request.url,
      match: request.headers['if-match'],
      type: request.headers['content-type'],
      body: JSON.parse(body) as unknown,
    })
  const body = { translations: [{ localeCode: 'ru-RU' as const, title: 'Ёж' }] }
  const saved = await apiAt(url).put('/api/developer/product/{id}', {
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

test('an answer without content is null', async () => {
  answer = (_, response) => response.writeHead(204).end()
  expect(await apiAt(url).delete('/api/maple/device', { query: { id: 'd' } })).toBeNull()
})

test('problem details reject as ApiProblem with code, fields and the time to wait', async () => {
  const errors = [{ path: 'name', code: 'maxLength', message: 'must have at most 100 characters' }]
  answer = (_, response) =>
    json(
      response,
      429,
      { code: 'too_many_attempts', detail: 'Slow down.', requestId: 'r-1', errors },
      { 'retry-after': '30' },
    )
  const problem: unknown = await apiAt(url)
    .get('/api/maple/device')
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

test('a proxy’s HTML page is told by its status alone', async () => {
  answer = (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>')
  const problem: unknown = await apiAt(url)
    .get('/api/provider')
    .catch((e: unknown) => e)
  expect(problem).toMatchObject({ status: 502, code: 'http_502', fields: [] })
})

test('no answer rejects as NetworkProblem', async () => {
  const call = apiAt('http://127.0.0.1:1').get('/api/provider')
  await expect(call).rejects.toBeInstanceOf(NetworkProblem)
})

test('an abort stays an abort', async () => {
  answer = () => {}
  const signal = AbortSignal.abort()
  await expect(apiAt(url).get('/api/provider', { signal })).rejects.toMatchObject({
    name: 'AbortError',
  })
})

test('a file’s name is read in full, Cyrillic included', () => {
  const name = 'Прогноз погоды - v1.0.0.zip'
  const disposition = `attachment; filename="?.zip"; filename*=UTF-8''${encodeURIComponent(name)}`
  expect(fileNameOf(new Headers({ 'content-disposition': disposition }))).toBe(name)
  expect(
    fileNameOf(new Headers({ 'content-disposition': 'attachment; filename="a \\"b\\".zip"' })),
  ).toBe('a "b".zip')
})
