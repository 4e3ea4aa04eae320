import argon2 from '@node-rs/argon2'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { password, startAuthServer, tokenOf, type AuthServer } from '../testing/auth-server.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const unknown = () => `${randomUUID()}@grove.test`

test('signs in with the email in any case', async () => {
  const { email } = await server.account()
  const answer = await server.signIn(email.toUpperCase(), password)
  expect(answer.statusCode).toBe(200)
  expect(tokenOf(answer)).toEqual({
    tokenType: 'Bearer',
    accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    refreshToken: expect.stringMatching(/^[\w-]{43}$/),
  })
})

test('point 5: an unknown email and a wrong password have the same answer', async () => {
  const { email } = await server.account()
  const [wrong, none] = [
    await server.signIn(email, 'Wrong2026!'),
    await server.signIn(unknown(), 'Wrong2026!'),
  ]
  expect(wrong.statusCode).toBe(401)
  expect(none.statusCode).toBe(401)
  const { requestId: _, ...body } = wrong.json()
  expect(none.json()).toMatchObject(body)
  expect(Object.keys(none.headers).sort()).toEqual(Object.keys(wrong.headers).sort())
})

test('point 5: an unknown email costs as much work as a wrong password', async () => {
  const { email } = await server.account()
  const verify = vi.spyOn(argon2, 'verify')
  const workOf = async (address: string) => {
    verify.mockClear()
    await server.signIn(address, 'Wrong2026!')
    return verify.mock.calls.map(([made]) => argon2.parseOptions(String(made)))
  }
  const known = await workOf(email)
  expect(known).toHaveLength(1)
  expect(await workOf(unknown())).toEqual(known)
  verify.mockRestore()
})

test('a sign-in says that the account is disabled only after the right password', async () => {
  const { email, token } = await server.account()
  await server.db
    .updateTable('auth.account')
    .set({ disabled_at: new Date().toISOString() })
    .where('email', '=', email)
    .execute()
  expect((await server.signIn(email, 'Wrong2026!')).json()).toMatchObject({
    code: 'wrong_credentials',
  })
  expect((await server.signIn(email, password)).json()).toMatchObject({ code: 'account_disabled' })
  expect((await server.refresh(token.refreshToken)).json()).toMatchObject({
    code: 'account_disabled',
  })
})

test('another realm is refused as unknown by every call that names one', async () => {
  const { email, token } = await server.account()
  const provider = 'elsewhere'
  const { refreshToken } = token
  for (const answer of [
    await server.post('/api/token/password', { email, password, provider }),
    await server.post('/api/signup', { email: unknown(), password, provider }),
    await server.post('/api/token/refresh', { refreshToken, provider }),
    await server.post('/api/logout', { refreshToken, provider }),
    await server.get(`/api/user/exists/email?email=${email}&provider=${provider}`),
  ]) {
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({ code: 'unknown_realm' })
  }
})

test('an account and a session leave events that say who and from where', async () => {
  const { token } = await server.account('203.0.113.9')
  const { sub, sid } = decodeJwt<{ sid: string }>(token.accessToken)
  const { rows } = await sql`
    select action, subject, ip, after from auth.event where actor = ${sub} order by id
  `.execute(server.db)
  expect(rows).toEqual([
    {
      action: 'account.create',
      subject: sub,
      ip: '203.0.113.9',
      after: expect.objectContaining({ roles: ['CUSTOMER'] }),
    },
    {
      action: 'session.start',
      subject: sid,
      ip: '203.0.113.9',
      after: { method: 'signUp' },
    },
  ])
})
