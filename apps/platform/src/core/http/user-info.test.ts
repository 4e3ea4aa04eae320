import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing/test-platform.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([])
})
afterAll(() => server.close())

const ask = (headers: Record<string, string> = {}) =>
  server.app.inject({ url: '/api/user/info', headers })

test('a verified token is described in the words of the specification', async () => {
  const answer = await ask(await server.bearer(['DEVELOPER'], 'someone'))
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.json()).toEqual({
    is_admin: false,
    is_developer: true,
    is_expired: false,
    is_valid: true,
    roles: ['DEVELOPER'],
    provider: 'grove',
    user_id: 'someone',
    expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
  })
})

test.each([
  [['ADMIN'], { is_admin: true }],
  [['CUSTOMER'], { is_admin: false, is_developer: false }],
  [[], { is_admin: false, is_developer: false, roles: [] }],
])('roles %j are %j', async (roles, told) => {
  expect((await ask(await server.bearer(roles))).json()).toMatchObject(told)
})

test('without a bearer token that verifies there is nothing to return', async () => {
  const { authorization } = await server.bearer(['ADMIN'])
  const bare = authorization.slice('Bearer '.length)
  for (const value of ['', bare, `Basic ${bare}`, `Bearer  ${bare}`, `${authorization}x`, 'Bearer'])
    expect((await ask({ authorization: value })).json()).toMatchObject({
      status: 401,
      code: 'unauthorized',
    })
  expect((await ask()).headers['www-authenticate']).toBe('Bearer')
})
