import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './core/config.ts'
import type { Environment } from './core/environment.ts'
import { buildApp } from './core/http/app.ts'
import { mailsTo } from './services/auth/email/testing/mailbox.ts'
import { auth } from './services/auth/index.ts'
import { password, startAuthServer, type AuthServer } from './services/auth/testing/auth-server.ts'

let server: AuthServer
beforeAll(async () => (server = await startAuthServer()))
afterAll(() => server.close())

/** Runs with the settings of another environment, which the check reads at each request. */
async function withSettings<T>(env: Environment, run: () => Promise<T>): Promise<T> {
  const { config } = server.platform
  const before = { ...config }
  const { hosts, isLocal, isProduction, trustsProxy, publicUrl } = readConfig(env)
  Object.assign(config, { hosts, isLocal, isProduction, trustsProxy, publicUrl })
  try {
    return await run()
  } finally {
    Object.assign(config, before)
  }
}

const get = (headers: Record<string, string>, url = '/api/token/anonymous?provider=grove') =>
  server.app.inject({ url, headers })

test('a local server answers only under its loopback names, at any port', async () => {
  for (const host of ['127.0.0.1:3000', 'localhost', 'LOCALHOST:8080', '[::1]:3000'])
    expect([host, (await get({ host })).statusCode]).toEqual([host, 200])
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    'a@localhost',
    'localhost:x',
    '127.0.0.1.nip.io',
  ])
    expect([host, (await get({ host })).json()]).toMatchObject([
      host,
      { status: 421, code: 'unknown_host' },
    ])
})

test('pages, unknown addresses and sign-in are all checked', async () => {
  const headers = { host: 'evil.example' }
  for (const url of ['/', '/api/nothing', '/api/openapi.json', '/.well-known/jwks.json'])
    expect([url, (await get(headers, url)).statusCode]).toEqual([url, 421])
  const signIn = await server.app.inject({
    method: 'POST',
    url: '/api/token/password',
    headers,
    payload: { email: 'admin@grove.test', password: 'Grove2026!', provider: 'grove' },
  })
  expect(signIn.statusCode).toBe(421)
  expect((await get(headers, '/healthz')).statusCode).toBe(200)
})

test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'])(
  'a local server refuses requests through a proxy or tunnel: %s',
  async (name) => {
    const answer = await get({ host: 'localhost:3000', [name]: 'localhost' })
    expect(answer.json()).toMatchObject({ status: 421, code: 'unknown_host' })
  },
)

test('production answers under its configured names, whatever X-Forwarded-Host says', async () => {
  const env = {
    GROVE_ENV: 'production',
    GROVE_CONSOLE_URL: 'https://grove.example.com:8443',
    GROVE_HOSTS: 'grove.internal, API.example.com',
    GROVE_TRUST_PROXY: 'on',
  }
  await withSettings(env, async () => {
    for (const host of ['grove.example.com', 'grove.internal:80', 'api.example.com'])
      expect([host, (await get({ host })).statusCode]).toEqual([host, 200])
    for (const host of ['evil.example', '127.0.0.1', 'x.grove.internal'])
      expect([host, (await get({ host })).statusCode]).toEqual([host, 421])
    const forged = { host: 'evil.example', 'x-forwarded-host': 'grove.internal' }
    expect((await get(forged)).statusCode).toBe(421)
  })
})

test('production without a host name does not start, and a wrong one is named in the error', async () => {
  const secret = server.context.secret
  const isProduction = { isProduction: true, isLocal: false, secret, hosts: [] }
  const config = { ...server.platform.config, ...isProduction }
  await expect(buildApp({ ...server.platform, config }, [auth])).rejects.toThrow(
    'Set GROVE_CONSOLE_URL, such as https://grove.example.com, or GROVE_HOSTS',
  )
  for (const name of ['grove.example.com:443', 'https://grove.example.com', 'a b'])
    expect(() => readConfig({ GROVE_HOSTS: name })).toThrow(`GROVE_HOSTS names "${name}"`)
})

test('production needs https for people’s address, and asks browsers to stay with it', async () => {
  const production = { GROVE_ENV: 'production' }
  for (const address of ['http://grove.example.com', 'http://192.0.2.1:3000'])
    expect(() => readConfig({ ...production, GROVE_CONSOLE_URL: address })).toThrow(
      'GROVE_CONSOLE_URL starts with http://, and GROVE_ENV=production needs https://',
    )
  for (const address of ['http://localhost:3000', 'http://127.0.0.1', 'https://a.example'])
    expect(readConfig({ ...production, GROVE_CONSOLE_URL: address }).publicUrl).toBe(address)
  expect(readConfig({ GROVE_CONSOLE_URL: 'http://grove.test' }).publicUrl).toBe('http://grove.test')
  const hsts = async () => (await get({})).headers['strict-transport-security']
  expect(await hsts()).toBeUndefined()
  const env = { ...production, GROVE_CONSOLE_URL: 'https://grove.example.com' }
  await withSettings(env, async () => {
    const host = 'grove.example.com'
    for (const url of ['/api/token/anonymous?provider=grove', '/api/nothing', '/%', '/healthz'])
      expect((await get({ host }, url)).headers['strict-transport-security']).toBe(
        'max-age=31536000',
      )
  })
})

test('a request with two Host headers is refused everywhere', async () => {
  await server.app.ready()
  if (!server.app.server.listening) await server.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.app.server.address() as AddressInfo
  for (const path of ['/', '/api/info?provider=grove', '/healthz', '/metrics', '/api/nothing'])
    for (const other of ['evil.example', 'localhost']) {
      const socket = connect(port, '127.0.0.1')
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nhOST: ${other}\r\nconnection: close\r\n\r\n`,
      )
      const answer = (await socket.toArray()).join('')
      expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 400'])
      expect(answer).toContain('more than one Host header')
    }
})

test('metrics without a token are only served under a name of this machine', async () => {
  const ask = async (host: string) => (await get({ host }, '/metrics')).statusCode
  for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000'])
    expect([host, await ask(host)]).toEqual([host, 200])
  for (const host of ['evil.example', '127.0.0.1.nip.io', 'localhost.evil.example'])
    expect([host, await ask(host)]).toEqual([host, 404])
  const env = { GROVE_ENV: 'production', GROVE_HOSTS: 'grove.internal' }
  await withSettings(env, async () => {
    expect([await ask('grove.internal:3000'), await ask('evil.example')]).toEqual([200, 404])
  })
})

test('a mailed link leads to the port on which this server listens', async () => {
  if (!server.app.server.listening) await server.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.app.server.address() as AddressInfo
  const email = 'port@grove.test'
  const body = JSON.stringify({ email, password, provider: 'grove' })
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'POST /api/signup HTTP/1.1\r\nhost: localhost:9\r\nconnection: close\r\n' +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 /)
  const [mail] = await mailsTo(server, email)
  expect(mail?.text).toContain(`http://localhost:${port}/`)
})
