import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from './core/config.ts'
import { buildApp } from './core/http/app.ts'
import { cedar } from './services/cedar/index.ts'
import { tenant } from './services/cedar/testing/catalogue.ts'
import { auth } from './services/auth/index.ts'
import { password, startAuthServer, type AuthServer } from './services/auth/testing/auth-server.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'

let server: AuthServer
let catalogue: TestServer
beforeAll(async () => {
  server = await startAuthServer()
  catalogue = await startTestServer([cedar])
})
afterAll(async () => {
  await server.close()
  await catalogue.close()
})

test('a stranger’s body has 4 kB at most', async () => {
  const body = (bytes: number) => ({ email: 'a@b.cc', password, provider: 'x'.repeat(bytes) })
  expect((await server.post('/api/token/password', body(3000))).statusCode).toBe(400)
  const answer = await server.post('/api/token/password', body(5000))
  expect(answer.json()).toMatchObject({ status: 413, code: 'body_too_large' })
})

test('a stranger’s body is validated up to its first error, an account’s to its last', async () => {
  const answer = await server.post('/api/token/password', { email: 7, password: 7, more: 1 })
  expect(answer.json().errors).toHaveLength(1)
  const developer = await tenant(catalogue)
  const { body } = await developer.send('POST', '/api/developer/product', {
    translations: 7,
    more: 1,
  })
  expect(body.errors).toHaveLength(2)
})

test('readiness is checked at most once a second', async () => {
  const ping = vi.spyOn(server.platform.objects, 'ping')
  await Promise.all(Array.from({ length: 20 }, () => server.app.inject('/readyz')))
  expect(ping).toHaveBeenCalledTimes(1)
  expect((await server.app.inject('/readyz')).statusCode).toBe(200)
})

test('a made-up refresh token starts no transaction', async () => {
  const transaction = vi.spyOn(server.context.db, 'transaction')
  const answer = await server.refresh('x'.repeat(43))
  expect(answer.json().code).toBe('invalid_refresh_token')
  expect(transaction).not.toHaveBeenCalled()
  transaction.mockRestore()
})

test('a wrong password costs the same work on a known network as elsewhere', async () => {
  const home = '203.0.113.7'
  const { email } = await server.account(home)
  const counters = async (ip: string) => {
    await server.db.deleteFrom('auth.throttle').execute()
    expect((await server.signIn(email, 'Wrong2026!', ip)).statusCode).toBe(401)
    return (await server.db.selectFrom('auth.throttle').select('key').execute()).length
  }
  expect(await counters(home)).toBe(await counters('198.51.100.7'))
})

test('a page of another site cannot use up the limits of a visitor’s network', async () => {
  const get = (url: string, headers: Record<string, string>) => server.app.inject({ url, headers })
  const anonymous = '/api/token/anonymous'
  const exists = '/api/user/exists/email?email=a@b.cc&provider=grove'
  for (const url of [anonymous, exists]) {
    const foreign = await get(url, { 'sec-fetch-site': 'cross-site' })
    expect([url, foreign.json().code]).toEqual([url, 'forbidden'])
    for (const site of ['same-origin', 'same-site', 'none'])
      expect([url, (await get(url, { 'sec-fetch-site': site })).statusCode]).toEqual([url, 200])
  }
  Object.assign(server.platform.config, { allowedOrigins: ['https://app.example'] })
  const allowed = { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' }
  expect((await get(anonymous, allowed)).statusCode).toBe(200)
  Object.assign(server.platform.config, { allowedOrigins: [] })
})

test('an impossible revision is refused, and causes no internal error', async () => {
  const anna = await tenant(catalogue)
  const { productId } = await anna.product()
  const translations = [{ localeCode: 'en-US', title: 'Clock' }]
  const put = (revision: string) =>
    anna.send(
      'PUT',
      `/api/developer/product/${productId}`,
      { translations },
      { 'if-match': revision },
    )
  for (const revision of ['"2147483648"', '"999999999999999"'])
    expect((await put(revision)).body).toMatchObject({ status: 400, code: 'invalid_request' })
  expect((await put('"2147483647"')).body.code).toBe('edit_conflict')
})

test('the API reference is off in production, and names its Trusted Types', async () => {
  const page = await catalogue.app.inject('/api/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).toContain('trusted-types dompurify')
  expect(readConfig({ GROVE_ENV: 'production' }).hasDocs).toBe(false)
  expect(readConfig({ GROVE_ENV: 'production', GROVE_DOCS: 'on' }).hasDocs).toBe(true)
  const config = { ...server.platform.config, hasDocs: false }
  const app = await buildApp({ ...server.platform, config }, [auth])
  expect((await app.inject('/api/docs/')).statusCode).toBe(404)
  expect((await app.inject('/api/openapi.json')).statusCode).toBe(200)
  await app.close()
})
