import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listMails, mailFolderOf } from '../../../core/mail/mail-folder.ts'
import type { IssuedToken } from '../session/parts/start-session.ts'
import {
  password,
  randomAddress,
  startAuthServer,
  tokenOf,
  type AuthServer,
} from '../testing/auth-server.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const next = 'Harbour!5091'

const change = (
  { accessToken }: IssuedToken,
  body: { password: string; newPassword: string },
  remoteAddress = randomAddress(),
) =>
  server.app.inject({
    method: 'PUT',
    url: '/api/user/password',
    headers: { authorization: `Bearer ${accessToken}` },
    payload: body,
    remoteAddress,
  })
const userIdOf = (token: IssuedToken) => String(decodeJwt(token.accessToken).sub)
const isAlive = async (token: IssuedToken) =>
  (await server.refresh(token.refreshToken)).statusCode === 200
const signInStatus = async (email: string, with_: string) =>
  (await server.signIn(email, with_)).statusCode

test('point 15: a new password ends every other session and replaces the old one', async () => {
  const { email, token } = await server.account()
  const other = tokenOf(await server.signIn(email, password))
  expect((await change(token, { password, newPassword: next })).statusCode).toBe(204)
  expect(await isAlive(other)).toBe(false)
  expect(await isAlive(token)).toBe(true)
  expect(await signInStatus(email, password)).toBe(401)
  expect(await signInStatus(email, next)).toBe(200)
  const { rows } = await sql<{ action: string; before: unknown; after: unknown }>`
    select action, before, after from auth.event where subject = ${userIdOf(token)} order by id
  `.execute(server.db)
  expect(rows.slice(1)).toEqual([
    { action: 'account.change_password', before: null, after: null },
    {
      action: 'session.revoke',
      before: null,
      after: { reason: 'password', sessions: [decodeJwt(other.accessToken)['sid']] },
    },
  ])
})

test('the current password is required, and the new one follows the rules, with errors at its own field', async () => {
  const { email, token } = await server.account()
  const wrong = await change(token, { password: 'Wrong2026!', newPassword: next })
  expect(wrong.json()).toMatchObject({ status: 400, code: 'wrong_password' })
  const weak = await change(token, { password, newPassword: 'short' })
  expect(weak.json()).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(weak.json().errors.map(({ path }: { path: string }) => path)).toContain('newPassword')
  expect(await signInStatus(email, password)).toBe(200)
})

test('an account without a password has no current one to enter', async () => {
  const { token } = await server.account()
  await server.db
    .updateTable('auth.account')
    .set({ password_hash: null, email: null })
    .where('id', '=', userIdOf(token))
    .execute()
  const answer = await change(token, { password, newPassword: next })
  expect(answer.json()).toMatchObject({ code: 'wrong_password' })
})

test('point 4: wrong current passwords count together with those at sign-in', async () => {
  const { email, token } = await server.account()
  const ip = randomAddress()
  const body = { password: 'Wrong2026!', newPassword: next }
  for (let i = 0; i < 5; i++) expect((await change(token, body, ip)).statusCode).toBe(400)
  for (let i = 0; i < 5; i++)
    expect((await server.signIn(email, 'Wrong2026!', ip)).statusCode).toBe(401)
  const refused = await change(token, { password, newPassword: next }, ip)
  expect(refused.json()).toMatchObject({ status: 429, code: 'too_many_attempts' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  // The owner elsewhere is not locked out by it.
  expect((await change(token, { password, newPassword: next })).statusCode).toBe(204)
})

test('point 15: of concurrent changes by one session one wins', async () => {
  const { email, token } = await server.account()
  const candidates = Array.from({ length: 5 }, (_, index) => `Meadow!284${index}`)
  const answers = await Promise.all(
    candidates.map((newPassword) => change(token, { password, newPassword })),
  )
  const statuses = answers.map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 400, 400, 400, 400])
  expect(await signInStatus(email, candidates[statuses.indexOf(204)] ?? '')).toBe(200)
})

test('point 15: of concurrent changes by two sessions one wins and the other is signed out', async () => {
  const { email, token } = await server.account()
  const other = tokenOf(await server.signIn(email, password))
  const answers = await Promise.all([
    change(token, { password, newPassword: next }),
    change(other, { password, newPassword: `${next}2` }),
  ])
  const statuses = answers.map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 401])
  expect([await isAlive(token), await isAlive(other)]).toEqual(statuses.map((s) => s === 204))
})

test('point 15: no session starts with the old password once it is changed', async () => {
  const { email, token } = await server.account()
  const [changed, ...signIns] = await Promise.all([
    change(token, { password, newPassword: next }),
    ...Array.from({ length: 6 }, () => server.signIn(email, password)),
  ])
  expect(changed?.statusCode).toBe(204)
  for (const answer of signIns.filter(({ statusCode }) => statusCode === 200))
    expect(await isAlive(tokenOf(answer))).toBe(false)
})

test('point 15: a session that was ended cannot change the password by its access token', async () => {
  const { email, token } = await server.account()
  await server.logout(token.refreshToken)
  const answer = await change(token, { password, newPassword: next })
  expect(answer.json()).toMatchObject({ status: 401, code: 'unauthorized' })
  expect(await signInStatus(email, password)).toBe(200)
})

test('point 15: reset links mailed earlier no longer work', async () => {
  const { email, token } = await server.account()
  const { token: stranger } = await server.account()
  const at = new Date(server.platform.now()).toISOString()
  const mailed = async (account: IssuedToken, purpose: 'reset' | 'validate') => {
    const hash = randomUUID()
    const account_id = userIdOf(account)
    await server.db
      .insertInto('auth.email_token')
      .values({ hash, account_id, purpose, email, created_at: at, expires_at: at })
      .execute()
    return hash
  }
  const [reset, ...kept] = [
    await mailed(token, 'reset'),
    await mailed(token, 'validate'),
    await mailed(stranger, 'reset'),
  ]
  const usable = async () => {
    const rows = await server.db
      .selectFrom('auth.email_token')
      .select('hash')
      .where('hash', 'in', [reset, ...kept])
      .where('used_at', 'is', null)
      .execute()
    return rows.map(({ hash }) => hash).toSorted()
  }
  expect(await usable()).toContain(reset)
  await change(token, { password, newPassword: next })
  expect(await usable()).toEqual(kept.toSorted())
})

test('Grove emails the owner', async () => {
  const { email, token } = await server.account()
  const body = { password, newPassword: next }
  expect((await change(token, body, '192.0.2.9')).statusCode).toBe(204)
  const told = await vi.waitFor(
    async () => {
      const mails = await listMails(mailFolderOf(server.platform.config.dataFolder))
      const mail = mails.find(({ to, subject }) => to === email && subject.includes('was changed'))
      if (!mail) throw new Error('no mail yet')
      return mail
    },
    { timeout: 10_000, interval: 50 },
  )
  expect(told.text).toContain('192.0.2.0/24')
  for (const secret of [password, next]) expect(told.text).not.toContain(secret)
})
