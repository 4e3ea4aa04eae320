import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:http'
import { readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startForeignServer } from '../../../e2e/foreign/auth-server.ts'
import { createReferenceServer } from '../reference-server.mjs'
import { check } from '../src/cli/check.ts'
import { createAuthClient } from '../src/index.ts'
import { startAuthServer } from './auth-server.ts'

const account = { email: 'ann@grove.test', password: 'Grove2026!' }

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function reference(): Promise<string> {
  const url = await listen(createReferenceServer())
  const client = createAuthClient({ authUrl: url, realm: 'grove' })
  await client.signUp(account)
  client.close()
  return url
}

describe('the check of a service', () => {
  test('finds nothing wrong with the reference server', async () => {
    const url = await reference()
    const findings = await check({
      url,
      realm: 'grove',
      ...account,
      jwksUrl: '/.well-known/jwks.json',
    })
    const others = findings.filter(({ level }) => level !== 'ok')
    // It has no external login, and reports that.
    expect(others).toEqual([
      expect.objectContaining({ level: 'skipped', call: 'GET /api/stage/auth' }),
    ])
    expect(findings.length).toBeGreaterThan(14)
  })

  test('finds nothing wrong with a service written from the specification alone', async () => {
    const server = await startForeignServer()
    onTestFinished(() => server.close())
    server.add(account.email, account.password, ['DEVELOPER'])
    const { origin: url, realm, jwksUrl } = server
    const findings = await check({ url, realm, ...account, jwksUrl })
    expect(findings.filter(({ level }) => level === 'failed')).toEqual([])
    expect(findings.filter(({ level }) => level === 'advice').map(({ text }) => text)).toEqual([
      expect.stringContaining('Date'),
    ])
  })

  test.each([
    ['a refresh that answers 500', '/api/token/refresh', 500, {}, 'must|4xx'],
    ['a refresh that takes anything', '/api/token/refresh', 200, { token: {} }, '4xx'],
    ['a sign-in that fails by itself', '/api/token/password', 500, {}, '4xx'],
    ['a sign-in without a token', '/api/token/password', 200, {}, 'tokenType'],
    ['an external login without addresses', '/api/stage/auth', 200, { realm: 'x' }, 'urls.login'],
  ])('says what is wrong with %s', async (_, path, status, body, words) => {
    const url = await reference()
    const send: typeof fetch = async (input, init) =>
      (input as string).endsWith(path) && init?.method !== 'OPTIONS'
        ? Response.json(body, { status })
        : fetch(input, init)
    const findings = await check({ url, realm: 'grove', ...account, fetch: send })
    const failed = findings.filter(({ level }) => level === 'failed')
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.map(({ text }) => text).join()).toMatch(new RegExp(words))
    expect(failed.every(({ call }) => call.endsWith(path) || call === 'POST /api/logout')).toBe(
      true,
    )
  })

  test('finds tokens that no published key verifies, and that name nobody', async () => {
    const server = await startAuthServer()
    onTestFinished(() => server.close())
    const other = await startAuthServer()
    onTestFinished(() => other.close())
    const accessToken = await other.sign({})
    server.fail(
      '/api/token/password',
      () => {},
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ token: { tokenType: 'Bearer', accessToken } }))
      },
    )
    const findings = await check({
      url: server.url,
      realm: 'grove',
      email: 'a',
      password: 'Grove2026!',
      jwksUrl: '/.well-known/jwks.json',
    })
    const texts = findings.filter(({ level }) => level === 'failed').map(({ text }) => text)
    expect(texts).toEqual([
      expect.stringContaining('told apart'),
      expect.stringContaining('does not verify'),
    ])
  })

  test('says that a service is not there', async () => {
    const closed = createServer()
    const url = await listen(closed)
    closed.close()
    const findings = await check({ url, realm: 'grove' })
    expect(findings.filter(({ level }) => level === 'failed')[0]?.text).toMatch(/^No answer: /)
  })
})

describe('the reference server', () => {
  test('is about a hundred lines', async () => {
    const text = await readFile(new URL('../reference-server.mjs', import.meta.url), 'utf8')
    expect(text.split('\n').length).toBeLessThan(150)
  })

  test('signs the client in, refreshes, verifies and signs out', async () => {
    const url = await reference()
    const client = createAuthClient({
      authUrl: url,
      realm: 'grove',
      verification: { jwksUrl: '/.well-known/jwks.json' },
    })
    onTestFinished(() => client.close())
    await expect(client.signIn({ ...account, provider: 'other' })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
    expect(await client.signIn({ ...account, provider: 'grove' })).toBe(true)
    const first = await client.getAuthorization()
    expect(await client.refresh()).toBe(true)
    expect(await client.getAuthorization()).not.toBe(first)
    expect(await client.tokenDetails()).toMatchObject({ is_valid: true, is_developer: true })
    expect(await client.emailExists(account.email)).toBe(true)
    expect(await client.getAnonymousAuthorization()).toMatch(/^Bearer /)
    await client.signOut()
    expect(client.getState().status).toBe('signedOut')
  })
})
