import { createAuthClient } from '@grove/auth-client'
import { check } from '@grove/auth-client/check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../core/config.ts'
import { password, startAuthServer, type AuthServer } from '../testing/auth-server.ts'

const origin = 'https://app.example.com'

let server: AuthServer
let url: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-test-'))
  server = await startAuthServer({
    config: readConfig({
      GROVE_DATA: folder,
      GROVE_LOG: 'silent',
      GROVE_ALLOWED_ORIGINS: origin,
    }),
    now: Date.now,
  })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

test('the check of a service finds nothing wrong with ours', async () => {
  const { email } = await server.account()
  const jwksUrl = '/.well-known/jwks.json'
  const findings = await check({ url, realm: 'grove', email, password, jwksUrl, origin })
  expect(findings.filter(({ level }) => level === 'wrong' || level === 'warning')).toEqual([])
  expect(findings.map(({ code }) => code)).toContain('cors_exposed')
})

test('a client in a page of another origin corrects its clock by our Date header', async () => {
  const { email } = await server.account()
  // So little that the token itself does not prove the clock wrong.
  const ahead = 3 * 60 * 1000
  const client = createAuthClient({
    authUrl: url,
    realm: 'grove',
    clock: () => Date.now() + ahead,
    fetch: fetchOfOrigin,
  })
  onTestFinished(() => client.close())
  expect(await client.signIn({ email, password, provider: 'grove' })).toBe(true)
  const state = client.getState()
  const skew = state.status === 'signedOut' ? Number.NaN : state.session.skew
  expect(Math.abs(skew + ahead)).toBeLessThan(5000)
})

/** A page's `fetch`: of a cross-origin response it exposes what CORS allows (Fetch §4.10). */
const fetchOfOrigin: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('origin', origin)
  const response = await fetch(input, { ...init, headers })
  expect(response.headers.get('access-control-allow-origin')).toBe(origin)
  const safe = ['cache-control', 'content-language', 'content-length', 'content-type', 'expires']
  const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase() ?? ''
  const shown = new Set([...safe, ...exposed.split(/ *, */)])
  return new Response(await response.text(), {
    status: response.status,
    headers: [...response.headers].filter(([name]) => shown.has(name)),
  })
}
