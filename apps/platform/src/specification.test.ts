import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { encodeCursor } from './core/database/keyset.ts'
import { exampleOf } from './core/testing/example.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { services } from './services.ts'
import type { AuthTables } from './services/auth/tables.ts'

/** The calls of spec §7 that the platform answers. */
const specified = `
POST /api/token/refresh
POST /api/logout
POST /api/token/password
POST /api/signup
GET /api/user/exists/email
POST /api/send/validateEmail
GET /api/token/anonymous
GET /api/user/info
GET /api/stage/auth
GET /api/info
GET /api/info/global
GET /api/provider
GET /api/admin/provider
PUT /api/admin/provider/{id}
GET /api/cedar/provider
POST /api/cedar/provider
PUT /api/cedar/provider
DELETE /api/cedar/provider
POST /api/cedar/user
POST /api/cedar/apps/transfer
GET /api/developer/product
POST /api/developer/product
GET /api/developer/product/{id}
PUT /api/developer/product/{id}
DELETE /api/developer/product/{id}
POST /api/developer/product/default/{id}
PUT /api/developer/product/{id}/link
DELETE /api/developer/product/{id}/link
GET /api/developer/productVersion
POST /api/developer/productVersion
GET /api/developer/productVersion/{id}
PUT /api/developer/productVersion/{id}
DELETE /api/developer/productVersion/{id}
GET /api/{linkId}
POST /api/cedar/apps/miniapps/share
GET /api/notification/systemdata
GET /api/notification
POST /api/notification
POST /api/storage/product/icon
POST /api/storage/productVersion/image
POST /api/storage/productVersion/miniApp
POST /api/storage/provider/icon
POST /api/admin/wearable/unlink
GET /api/maple/about
GET /api/maple/device
POST /api/maple/device
PUT /api/maple/device
DELETE /api/maple/device
GET /api/maple/se/element
POST /api/maple/se/element
DELETE /api/maple/se/element
POST /api/maple/se/hsm
GET /api/maple/se/profiles
POST /api/maple/se/profiles
PUT /api/maple/se/profiles
DELETE /api/maple/se/profiles
GET /api/maple/se/domains
POST /api/maple/se/domains
GET /api/maple/account
POST /api/maple/account
PUT /api/maple/account
DELETE /api/maple/account
GET /api/maple/roles
POST /api/maple/roles
DELETE /api/maple/roles
GET /api/maple/service
POST /api/maple/service
DELETE /api/maple/service`

let server: TestServer
let documented: string[]
beforeAll(async () => {
  server = await startTestServer(services.filter(({ name }) => name !== 'console'))
  const response = await server.app.inject('/api/openapi.json')
  documented = Object.entries<object>(response.json().paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
})
afterAll(() => server.close())

test('the OpenAPI document contains exactly the calls of the contract', () => {
  expect(documented.toSorted()).toEqual(Object.keys(calls).toSorted())
})

test('every call of the specification exists', () => {
  expect(documented).toEqual(expect.arrayContaining(specified.trim().split('\n')))
})

test('every call that is not public refuses a stranger with 401', async () => {
  const { paths } = (await server.app.inject('/api/openapi.json')).json()
  let refused = 0
  for (const key of documented) {
    const [method = '', path = ''] = key.split(' ')
    if (!paths[path][method.toLowerCase()].security) continue
    const url = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
    const response = await server.app.inject({ method: method as 'GET', url })
    expect([key, response.statusCode]).toEqual([key, 401])
    expect(response.json().code).toBe('unauthorized')
    refused++
  }
  expect(refused).toBeGreaterThan(20)
})

/** The token of an account with these roles, signed by the service itself. */
async function bearer(roles: string[]) {
  const email = `${roles.join('-').toLowerCase()}@grove.test`
  const payload = { email, password: 'Meadow!2847', provider: 'grove' }
  await server.app.inject({ method: 'POST', url: '/api/signup', payload })
  const db = server.platform.db.withTables<AuthTables>()
  await db.updateTable('auth.account').set({ roles }).where('email', '=', email).execute()
  const signedIn = await server.app.inject({ method: 'POST', url: '/api/token/password', payload })
  return { authorization: `Bearer ${signedIn.json().token.accessToken}` }
}

test('every call of a role refuses the other roles with 403 @long', async () => {
  const account = await bearer(['CUSTOMER'])
  const developer = await bearer(['DEVELOPER'])
  const tokens = { admin: [account, developer], developer: [account] }
  let refused = 0
  for (const [key, call] of Object.entries<Call>(calls)) {
    if (call.access !== 'admin' && call.access !== 'developer') continue
    const [method = '', path = ''] = key.split(' ')
    const url = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
    for (const headers of tokens[call.access]) {
      const answer = await server.app.inject({ method: method as 'GET', url, headers })
      expect([key, answer.json()]).toMatchObject([key, { status: 403, code: 'forbidden' }])
      refused++
    }
  }
  expect(refused).toBeGreaterThan(40)
})

test('every list refuses the cursor of another list', async () => {
  const headers = await bearer(['ADMIN', 'DEVELOPER'])
  const cursor = encodeCursor(
    { name: 'another list', value: 'text', tiebreak: 'text' },
    { value: 'x', tiebreak: 'x', direction: 'next' },
  )
  // Their parent is looked up first.
  const others = /productVersion|release|notification\/device|device\/command|timeline|\{id\}/
  const lists = Object.entries<Call>(calls).filter(
    ([key, { query }]) => query && 'cursor' in Object(query).properties && !others.test(key),
  )
  expect(lists.length).toBeGreaterThan(8)
  for (const [key] of lists) {
    const answer = await server.app.inject({ url: `${key.slice(4)}?cursor=${cursor}`, headers })
    expect([key, answer.json()]).toMatchObject([key, { status: 400, code: 'bad_cursor' }])
  }
})

test('every problem announced by a call has its codes', async () => {
  const { paths } = (await server.app.inject('/api/openapi.json')).json()
  const put = paths['/api/developer/productVersion/{id}'].put
  expect(put.responses['409'].description).toContain('`edit_conflict`')
  expect(Object.keys(put.responses)).toEqual(
    expect.arrayContaining(['200', '400', '401', '403', '404', '409']),
  )
})

test('the problems and headers that every call, every body and every form may have are announced', async () => {
  const { paths } = (await server.app.inject('/api/openapi.json')).json()
  const put = paths['/api/developer/productVersion/{id}'].put
  expect(announcedBy(put)).toEqual(
    expect.arrayContaining([
      'unsupported_api_version',
      'malformed_json',
      'body_too_large',
      'unsupported_media_type',
      'internal_error',
      'database_unavailable',
    ]),
  )
  const headers = put.parameters.filter((parameter: { in: string }) => parameter.in === 'header')
  expect(headers.map(({ name }: { name: string }) => name)).toEqual(['api-version', 'if-match'])
  const upload = paths['/api/storage/productVersion/miniApp'].post
  expect(announcedBy(upload)).toEqual(expect.arrayContaining(['storage_full', 'file_too_large']))
  const list = paths['/api/maple/device'].get
  expect(announcedBy(list)).not.toContain('malformed_json')
})

const announcedBy = (operation: { responses: Record<string, { description: string }> }) =>
  Object.values(operation.responses).flatMap(({ description }) => description.match(/\w+/g) ?? [])

test('a call announces that the token is missing, invalid or insufficient, if that can happen', async () => {
  const { paths } = (await server.app.inject('/api/openapi.json')).json()
  const codes = ['unauthorized', 'keys_unavailable', 'forbidden']
  const ofToken = (operation: Parameters<typeof announcedBy>[0]) =>
    announcedBy(operation).filter((code) => codes.includes(code))
  expect(ofToken(paths['/api/stage/auth'].get)).toEqual([])
  // Refused only to pages of other sites.
  expect(ofToken(paths['/api/token/anonymous'].get)).toEqual(['forbidden'])
  expect(ofToken(paths['/api/user/info'].get)).toEqual(['unauthorized', 'keys_unavailable'])
  expect(ofToken(paths['/api/maple/device'].get).toSorted()).toEqual(codes.toSorted())
})

test('every call about accounts says that the account is disabled, and announces that code', async () => {
  const { paths } = (await server.app.inject('/api/openapi.json')).json()
  const db = server.platform.db.withTables<AuthTables>()
  const account = { email: 'closed@grove.test', password: 'Meadow!2847', provider: 'grove' }
  await server.app.inject({ method: 'POST', url: '/api/signup', payload: account })
  const change = (set: { roles: string[] } | { disabled_at: string }) =>
    db.updateTable('auth.account').set(set).where('email', '=', account.email).execute()
  await change({ roles: ['ADMIN'] })
  const signedIn = await server.app.inject({
    method: 'POST',
    url: '/api/token/password',
    payload: account,
  })
  await change({ disabled_at: '2026-01-01T00:00:00Z' })
  const ofAccounts = documented.filter(
    (key) =>
      /api\/(user|admin\/account)/.test(key) &&
      !/info|exists|validate|reset|check|accept/.test(key),
  )
  expect(ofAccounts).toHaveLength(13)
  for (const key of ofAccounts) {
    const [method = '', path = ''] = key.split(' ')
    const call: Call = calls[key as keyof typeof calls]
    const answer = await server.app.inject({
      method: method as 'GET',
      url: path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'),
      headers: { authorization: `Bearer ${signedIn.json().token.accessToken}` },
      ...(call.body && { payload: exampleOf(call.body) as object }),
    })
    expect([key, answer.json()]).toMatchObject([key, { status: 403, code: 'account_disabled' }])
    expect([key, announcedBy(paths[path][method.toLowerCase()])]).toEqual([
      key,
      expect.arrayContaining(['account_disabled']),
    ])
  }
})

test('the ways to sign in are answered without a provider and without the console’s address', async () => {
  const { paths } = (await server.app.inject('/api/openapi.json')).json()
  const headers = { host: 'elsewhere.example.com' }
  // A local server would not answer under that name at all.
  Object.assign(server.platform.config, { isLocal: false })
  const answer = await server.app.inject({ url: '/api/stage/auth', headers })
  Object.assign(server.platform.config, { isLocal: true })
  expect(answer.json()).toMatchObject({ urls: { login: '', redirect: '' }, brokers: [] })
  const codes = announcedBy(paths['/api/stage/auth'].get)
  expect(codes).not.toContain('broker_unavailable')
  expect(codes).not.toContain('console_address_unknown')
})
