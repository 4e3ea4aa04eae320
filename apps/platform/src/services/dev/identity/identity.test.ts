import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import { dev } from '../index.ts'
import { pageLanguage } from './pages.ts'

let server: TestServer
let address: string
beforeAll(async () => {
  server = await startTestServer([dev])
  address = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => server.close())

/** Begins a sign-in: the URL of the chooser page, and the cookies of this browser. */
async function begin(change: Record<string, string> = {}) {
  const parameters = new URLSearchParams({
    client_id: 'grove',
    redirect_uri: `${address}/login/callback`,
    response_type: 'code',
    scope: 'profile offline_access openid',
    nonce: 'nonce',
    state: 'state',
    prompt: 'select_account consent',
    ...change,
  })
  const answer = await fetch(`${address}/dev/identity/auth?${parameters}`, { redirect: 'manual' })
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { answer, cookie, page: new URL(answer.headers.get('location') ?? '/', address) }
}

test('the chooser page has two identities, a way out, and runs nothing', async () => {
  const { cookie, page } = await begin()
  const answer = await fetch(page, { headers: { cookie } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const policy = answer.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; style-src 'self'; form-action 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  const html = await answer.text()
  for (const words of ['iris@identity.test', 'developer@grove.test', 'Cancel'])
    expect(html).toContain(words)
  expect(html).not.toMatch(/<script|<style|style=|onclick/)
  const sheet = /href="(.*\.css)"/.exec(html)?.[1] ?? ''
  const style = await fetch(new URL(sheet, address))
  expect(style.headers.get('content-type')).toContain('text/css')
  expect(await style.text()).toContain('color-scheme: light dark')
})

test('the page uses the requested language', async () => {
  const { cookie, page } = await begin({ ui_locales: 'ru-RU en' })
  const headers = { cookie, 'accept-language': 'en-US' }
  expect(await (await fetch(page, { headers })).text()).toContain('lang="ru"')
  expect(pageLanguage(undefined, 'de-DE,ru;q=0.9,en;q=0.8')).toBe('ru')
  expect(pageLanguage(undefined, 'en-GB,ru')).toBe('en')
  expect(pageLanguage('fr', undefined)).toBe('en')
})

test('another browser and an expired page get an explanation', async () => {
  const { cookie, page } = await begin()
  const stranger = await fetch(page, { headers: { 'accept-language': 'ru' } })
  expect(stranger.status).toBe(400)
  expect(await stranger.text()).toContain('истекло')
  const post = (body: string) =>
    fetch(page, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
  const first = await post('identity=iris')
  expect(first.status).toBe(303)
  await fetch(first.headers.get('location') ?? '', { redirect: 'manual', headers: { cookie } })
  expect((await post('identity=iris')).status).toBe(400)
})

test('an unknown identity is refused, and so is Cancel', async () => {
  for (const body of ['identity=', 'identity=admin', '', 'identity[]=iris']) {
    const { cookie, page } = await begin()
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const chosen = await fetch(page, { method: 'POST', redirect: 'manual', headers, body })
    const back = await fetch(chosen.headers.get('location') ?? '', {
      redirect: 'manual',
      headers: { cookie },
    })
    const location = new URL(back.headers.get('location') ?? '')
    expect(location.searchParams.get('error')).toBe('access_denied')
    expect(location.searchParams.get('state')).toBe('state')
    expect(location.searchParams.get('code')).toBeNull()
  }
})

test.each([
  ['an address elsewhere', { redirect_uri: 'https://attacker.test/login/callback' }],
  ['another page of ours', { redirect_uri: 'http://127.0.0.1/login' }],
  ['an unknown client', { client_id: 'other' }],
])('%s is refused on a page, without a redirect', async (_name, change) => {
  const { answer } = await begin(change)
  expect(answer.status).toBe(400)
  expect(answer.headers.get('location')).toBeNull()
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('text from a request is shown as text', async () => {
  const { answer } = await begin({ client_id: '<img src=x onerror=alert(1)>' })
  expect(await answer.text()).not.toContain('<img')
})

test('only this machine is served, under its own names', async () => {
  const discovery = '/dev/identity/.well-known/openid-configuration'
  expect((await fetch(address + discovery)).status).toBe(200)
  for (const [host, remoteAddress, status] of [
    ['attacker.test', '127.0.0.1', 421],
    [new URL(address).host, '192.0.2.1', 404],
  ] as const) {
    const answer = await server.app.inject({ url: discovery, headers: { host }, remoteAddress })
    expect(answer.statusCode).toBe(status)
  }
})

test('bodies of any kind and size are left to the library to refuse', async () => {
  for (const [type, body] of [
    ['application/json', '{'],
    ['application/x-www-form-urlencoded', `code=${'x'.repeat(200_000)}`],
    ['text/plain', 'x'],
  ] as const) {
    const url = `${address}/dev/identity/token`
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
    expect([type, answer.status >= 400 && answer.status < 500]).toEqual([type, true])
  }
})
