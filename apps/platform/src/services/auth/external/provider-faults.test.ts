import { auth } from '../index.ts'
import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  clientSecret,
  sendJson,
  startHostileProvider,
  type HostileProvider,
} from './testing/hostile-provider.ts'
import { startExternalServer, type ExternalServer } from './testing/external-server.ts'

let server: ExternalServer
let hostile: HostileProvider
beforeAll(async () => {
  hostile = await startHostileProvider()
  server = await startExternalServer([hostile.provider])
})
afterAll(async () => {
  await server.close()
  await hostile.close()
})
beforeEach(() => hostile.reset())

const metadataPath = '/.well-known/openid-configuration'
const form = { Code: 'the-code', Nonce: 'nonce' }
const unavailable = { status: 503, code: 'broker_unavailable' }

type Fault = (response: ServerResponse) => void

const sendsWithoutEnd: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (response.write('x'.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}

const drips: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(timer))
}

const answersHalf: Fault = (response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{')
  setTimeout(() => response.destroy(), 20)
}

test('the responding providers are announced with the first one’s addresses', async () => {
  // The stage waits two seconds; the first use of the embedded provider may take that long by itself.
  await server.get('/api/info/global?broker=sample')
  const info = (await server.get('/api/stage/auth')).json()
  expect(info).toEqual({
    urls: {
      login: `${hostile.issuer}/authorize`,
      redirect: `${server.address}/login/callback`,
      callback: `${server.address}/api/token/external/hostile`,
    },
    realm: 'grove',
    clientId: 'grove-at-hostile',
    brokers: [
      { id: 'hostile', name: 'Hostile' },
      { id: 'sample', name: 'Sample identity' },
    ],
    methods: [
      'password',
      'signUp',
      'external',
      'anonymous',
      'emailValidation',
      'passwordReset',
      'invitation',
      'account',
    ],
    pkce: 'S256',
  })
  const sample = (await server.get('/api/info?broker=sample&provider=grove')).json()
  expect(sample).toMatchObject({
    urls: {
      login: `${server.address}/dev/identity/auth`,
      callback: `${server.address}/api/token/external/sample`,
    },
    clientId: 'grove',
  })
  expect((await server.get('/api/info/global?broker=sample')).json()).toEqual(sample)
})

test('a broker or realm that is not served here has no information', async () => {
  expect((await server.get('/api/info?broker=other&provider=grove')).json().code).toBe(
    'unknown_broker',
  )
  expect((await server.get('/api/info?broker=sample&provider=other')).json().code).toBe(
    'unknown_realm',
  )
})

test('the addresses follow the name under which this machine is opened', async () => {
  const port = new URL(server.address).port
  const info = (await server.get('/api/stage/auth', { host: `localhost:${port}` })).json()
  expect(info.urls).toMatchObject({
    redirect: `http://localhost:${port}/login/callback`,
    callback: `http://localhost:${port}/api/token/external/hostile`,
  })
})

test('metadata is read once for many visits, and again after ten minutes', async () => {
  const reads = () => hostile.requests.get(metadataPath) ?? 0
  await server.get('/api/stage/auth')
  const before = reads()
  await Promise.all(Array.from({ length: 20 }, () => server.get('/api/stage/auth')))
  expect(reads()).toBe(before)
  server.pass(10 * 60_000)
  await Promise.all(Array.from({ length: 20 }, () => server.get('/api/stage/auth')))
  await expect.poll(reads).toBe(before + 1)
})

test.each([
  ['answers 500', (r) => r.writeHead(500).end('{"error":"server_error"}')],
  ['answers 500 in words', (r) => r.writeHead(503, { 'content-type': 'text/html' }).end('<p>No')],
  ['has had enough questions', (r) => sendJson(r, { error: 'slow_down' }, 429)],
  ['hangs up', (r) => r.destroy()],
  ['answers half', answersHalf],
  ['sends 300 kB', (r) => sendJson(r, { padding: 'x'.repeat(300_000) })],
  ['sends without end', sendsWithoutEnd],
] satisfies [string, Fault][])(
  'a provider that %s is unavailable, and nobody is blamed',
  async (_name, fault) => {
    for (const path of ['/token', '/userinfo']) {
      hostile.reset()
      hostile.behaviour.instead[path] = (response) => {
        fault(response)
      }
      const answer = await server.exchange('hostile', form)
      expect([path, answer.json()]).toMatchObject([path, unavailable])
      expect(answer.headers['retry-after']).toBe('30')
    }
  },
)

test.each([
  ['refuses the code', (r) => sendJson(r, { error: 'invalid_grant' }, 400)],
  ['refuses this service', (r) => sendJson(r, { error: 'invalid_client' }, 401)],
  ['sends elsewhere', (r) => r.writeHead(302, { location: 'http://attacker.test/' }).end()],
  ['answers a page', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello')],
  ['answers no JSON', (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{')],
  ['answers null', (r) => sendJson(r, null)],
  ['answers nothing', (r) => r.writeHead(204).end()],
  ['answers an array', (r) => sendJson(r, [])],
] satisfies [string, Fault][])('a provider that %s signs nobody in', async (_name, fault) => {
  hostile.behaviour.instead['/token'] = (response) => {
    fault(response)
  }
  const answer = await server.exchange('hostile', form)
  expect(answer.json()).toMatchObject({ status: 401, code: 'external_sign_in_failed' })
})

test('an unavailable database is not a refusal by the provider, and a retry signs in', async () => {
  const rename = (from: string, to: string) =>
    sql`alter table auth.${sql.id(from)} rename to ${sql.id(to)}`.execute(server.db)
  await rename('identity', 'away')
  const failed = await server.exchange('hostile', form)
  await rename('away', 'identity')
  expect(failed.json()).toMatchObject({ status: 500, code: 'internal_error' })
  expect((await server.exchange('hostile', form)).statusCode).toBe(200)
})

test('a silent or dripping provider delays nobody beyond its time limit @long', async () => {
  hostile.behaviour.instead['/token'] = () => {}
  const start = performance.now()
  const silent = server.exchange('hostile', form).then((answer) => answer.json())
  await expect.poll(() => hostile.requests.get('/token')).toBeGreaterThan(0)
  hostile.behaviour.instead['/token'] = (response) => drips(response)
  const dripping = server.exchange('hostile', form).then((answer) => answer.json())
  expect(await Promise.all([silent, dripping])).toMatchObject([unavailable, unavailable])
  expect(performance.now() - start).toBeLessThan(8000)
}, 15_000)

test('a provider that is down leaves sign-in by password and comes back by itself @long', async () => {
  const down = await startHostileProvider('down')
  server.add(down.provider)
  down.behaviour.instead[metadataPath] = () => {}
  const start = performance.now()
  const info = (await server.get('/api/stage/auth')).json()
  expect(performance.now() - start).toBeLessThan(3500)
  expect(info.brokers.map(({ id }: { id: string }) => id)).toEqual(['hostile', 'sample'])
  expect(info.urls.callback).toBe(`${server.address}/api/token/external/hostile`)
  // Concurrent callers share one request.
  const named = await server.get('/api/info?broker=down&provider=grove')
  expect(named.json()).toMatchObject(unavailable)
  expect((await server.exchange('down', form)).json()).toMatchObject(unavailable)
  expect(down.requests.get(metadataPath)).toBe(1)
  down.reset()
  server.pass(30_000)
  const found = await server.get('/api/info?broker=down&provider=grove')
  expect(found.json().urls.login).toBe(`${down.issuer}/authorize`)
  await down.close()
}, 20_000)

test('known metadata is used for an hour after the provider stopped responding', async () => {
  const forgetful = await startHostileProvider('forgetful')
  server.add(forgetful.provider)
  const info = () => server.get('/api/info?broker=forgetful&provider=grove')
  expect((await info()).statusCode).toBe(200)
  forgetful.behaviour.instead[metadataPath] = (response) => void response.destroy()
  server.pass(59 * 60_000)
  expect((await info()).statusCode).toBe(200)
  server.pass(2 * 60_000)
  expect((await info()).json()).toMatchObject(unavailable)
  await forgetful.close()
})

test.each([
  ['another issuer', { issuer: 'https://elsewhere.test' }],
  ['no issuer', { issuer: undefined }],
])('metadata with %s is not used', async (name, metadata) => {
  const lying = await startHostileProvider(name.replace(' ', '-'))
  lying.behaviour.metadata = metadata
  server.add(lying.provider)
  const answer = await server.get(`/api/info/global?broker=${lying.provider.id}`)
  expect(answer.json()).toMatchObject(unavailable)
  await lying.close()
})

test.each([
  ['no address for codes', { token_endpoint: undefined }, 401],
  ['no published keys', { jwks_uri: undefined }, 401],
  ['an address that is none', { token_endpoint: 'nowhere' }, 401],
  ['an address elsewhere without TLS', { token_endpoint: 'http://elsewhere.test/token' }, 503],
])('metadata with %s signs nobody in', async (name, metadata, status) => {
  const lying = await startHostileProvider(name.replaceAll(' ', '-').toLowerCase())
  lying.behaviour.metadata = metadata
  server.add(lying.provider)
  expect((await server.exchange(lying.provider.id, form)).statusCode).toBe(status)
  await lying.close()
})

test('point 24: neither code, token, secret nor address reaches the log; the reason does', async () => {
  const lines: string[] = []
  server.app.log.level = 'trace'
  const stream = Object.getOwnPropertySymbols(server.app.log).find(
    (symbol) => symbol.description === 'pino.stream',
  )
  const log = server.app.log as unknown as Record<symbol, { write: (line: string) => void }>
  if (!stream || !log[stream]) throw new Error('The logger has no stream to listen to.')
  log[stream].write = (line) => lines.push(line)

  const claims = { sub: 'logged', email: 'logged@identity.test', email_verified: true }
  const idToken = await hostile.idToken({ ...claims, nonce: 'other' })
  const answers = [
    { access_token: 'the-access-token', token_type: 'Bearer', id_token: idToken },
    { access_token: 'the-access-token', token_type: 'Bearer', id_token: `${idToken}x` },
    { access_token: 'the-access-token', id_token: idToken },
    'the-access-token',
  ]
  for (const answer of answers) {
    hostile.behaviour.token = async () => answer
    expect((await server.exchange('hostile', form)).statusCode).toBe(401)
  }
  hostile.behaviour.instead['/token'] = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(idToken)
  await server.exchange('hostile', form)
  server.app.log.level = 'silent'

  const text = lines.join('')
  expect(text).toContain('unexpected JWT claim value')
  for (const secret of ['the-code', 'the-access-token', clientSecret, 'logged@identity.test'])
    expect(text).not.toContain(secret)
  expect(text).not.toContain(idToken.slice(0, 10))
})

test('without any provider there is no external login, and everything else is offered', async () => {
  ;(await auth.open(server.platform)).settings.openIdProviders = []
  const info = (await server.get('/api/stage/auth')).json()
  expect(info).toMatchObject({ urls: { login: '', callback: '' }, clientId: '', brokers: [] })
  expect(info.methods).not.toContain('external')
  expect(info.methods).toEqual(expect.arrayContaining(['password', 'signUp', 'account']))
})
