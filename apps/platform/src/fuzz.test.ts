import * as fc from 'fast-check'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { auth } from './services/auth/index.ts'
import { createAccount } from './services/auth/account/parts/create-account.ts'
import { services } from './services.ts'

const entries = Object.entries(calls as Record<string, Call>)
const runs = process.env['GROVE_TESTS'] === 'all' ? 200 : 25

let server: TestServer
let authorization: string
let port: number
beforeAll(async () => {
  server = await startTestServer(services.filter(({ name }) => name !== 'console'))
  const account = { email: 'admin@grove.test', password: 'Grove2026!' }
  const roles = ['ADMIN', 'DEVELOPER'] as const
  await createAccount(await auth.open(server.platform), {
    ...account,
    roles,
    name: 'Admin',
    locale: 'en-US',
  })
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/token/password',
    payload: { ...account, provider: 'grove' },
  })
  authorization = `Bearer ${answer.json().token.accessToken}`
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  port = (server.app.server.address() as AddressInfo).port
})
afterAll(() => server.close())

interface Answer {
  statusCode: number
  body: string
  headers: Record<string, unknown>
}

/** What no response may be: a fault of ours, or a glimpse of internals. */
function expectSafe({ statusCode, body, headers }: Answer): void {
  // An unavailable dependency (no mail server, no provider) is reported as such.
  if (statusCode === 503) expect(JSON.parse(body).code).toMatch(/_unavailable$|_unknown$/)
  else expect(statusCode, body).toBeLessThan(500)
  expect(body).not.toMatch(/\bat .+:\d+:\d+|node_modules|\.ts:\d+|insert into|select .+ from/i)
  if (statusCode >= 400) {
    expect(headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(JSON.parse(body)).toMatchObject({ status: statusCode, code: expect.any(String) })
  }
}

/** JSON with property names that are often those of the call, so that the values are validated. */
function bodyOf(call: Call): fc.Arbitrary<unknown> {
  const { properties = {} } = (call.body ?? {}) as { properties?: Record<string, unknown> }
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('grove', 'sample', 'admin@grove.test', 'en-US', 'Grove2026!', '../..', '\0'),
    fc.jsonValue({ maxDepth: 2 }),
    fc.double(),
  )
  const known = Object.fromEntries(Object.keys(properties).map((name) => [name, value]))
  return fc.oneof(
    fc.record(known, { requiredKeys: [] }),
    fc.record(known),
    fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'toString', 'email', 'x'), value),
    fc.jsonValue(),
  )
}

/** An object may have a `toString` of its own. */
const textOf = (value: unknown) =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
})
const headers = fc.record(
  {
    'api-version': headerValue,
    'if-match': headerValue,
    'content-type': fc.oneof(
      fc.constantFrom(
        'application/json',
        'application/json; charset=utf-16',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
      ),
      headerValue,
    ),
    'accept-language': headerValue,
    // Mostly this server's host name: any other is refused before the call.
    host: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('127.0.0.1', 'localhost:1', '[::1]') },
      { weight: 1, arbitrary: fc.constantFrom('evil.example', 'a@localhost', '') },
    ),
    'user-agent': headerValue,
    origin: headerValue,
    authorization: fc.oneof(
      headerValue,
      headerValue.map((text) => `Bearer ${text}.x.y`),
    ),
  },
  { requiredKeys: [] },
)

describe.each(entries)('%s', (key, call) => {
  const [method = '', path = ''] = key.split(' ')
  const segment = fc.oneof(
    fc.uuid(),
    fc.constant('sample'),
    fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => text.isWellFormed()),
  )
  const addresses = fc.tuple(segment, fc.webQueryParameters()).map(([name, query]) => {
    const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(name) || 'x')
    return query === '' ? filled : `${filled}?${query}`
  })

  test('answers any body, header and address without an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(bodyOf(call), headers, addresses, async (body, given, url) => {
        const isForm = call.isFormEncoded && typeof body === 'object'
        const payload = isForm
          ? new URLSearchParams(
              Object.entries(body ?? {}).map(([k, v]) => [k, textOf(v)]),
            ).toString()
          : JSON.stringify(body)
        const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
        const response = await server.app.inject({
          method: method as 'POST',
          url,
          headers: {
            ...(call.access !== 'public' && { authorization }),
            ...(method !== 'GET' && { 'content-type': type }),
            ...given,
          },
          ...(method !== 'GET' && { payload }),
        })
        expectSafe(response)
      }),
      { numRuns: runs },
    )
  }, 120_000)
})

test('invalid and truncated HTTP leaves the server working', async () => {
  const line = 'POST /api/token/password HTTP/1.1\r\nhost: 127.0.0.1\r\n'
  const broken = [
    'GET / HTTP/9.9\r\n\r\n',
    '\x16\x03\x01\x02\0\x01',
    'GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n',
    `${line}content-length: 5\r\ncontent-length: 6\r\n\r\nabcde`,
    `${line}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n`,
    `${line}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"email":`,
    `${line}authorization: Bearer ${'a'.repeat(20_000)}\r\n\r\n`,
    `${line}x: a\r\n b\r\n\r\n`,
  ]
  for (const text of broken) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', () => undefined)
    socket.write(text)
    setTimeout(() => socket.destroy(), 300)
    await once(socket, 'close')
    expect(answer).not.toMatch(/^HTTP\/1\.1 5|node_modules|\bat .+:\d+:\d+/)
  }
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
})
