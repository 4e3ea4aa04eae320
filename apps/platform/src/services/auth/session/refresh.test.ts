import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteExpiredSessions } from './session.queries.ts'
import { startAuthServer, tokenOf, type AuthServer } from '../testing/auth-server.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const day = 24 * 60 * 60 * 1000

async function dump(): Promise<string> {
  const tables = ['account', 'session', 'refresh_token', 'signing_key', 'throttle', 'event', 'job']
  const rows = await Promise.all(
    tables.map((table) => sql`select * from ${sql.table(`auth.${table}`)}`.execute(server.db)),
  )
  return JSON.stringify(rows)
}

test('point 9: a refresh token has 256 random bits and only its hash is stored', async () => {
  const { token } = await server.account()
  const next = tokenOf(await server.refresh(token.refreshToken))
  expect(Buffer.from(next.refreshToken, 'base64url')).toHaveLength(32)

  const stored = await dump()
  expect(stored).toContain(createHash('sha256').update(next.refreshToken).digest('base64url'))
  for (const secret of [token.refreshToken, next.refreshToken, next.accessToken])
    expect(stored).not.toContain(secret)
})

test('point 10: a refresh gives a new pair for the same session', async () => {
  const { token } = await server.account()
  const answer = await server.refresh(token.refreshToken)
  expect(answer.statusCode).toBe(200)
  const next = tokenOf(answer)
  expect(next.refreshToken).not.toBe(token.refreshToken)
  const [before, after] = [decodeJwt(token.accessToken), decodeJwt(next.accessToken)]
  expect(after['sid']).toBe(before['sid'])
  expect(after.sub).toBe(before.sub)
  expect(after.jti).not.toBe(before.jti)
})

test('point 11: two refreshes with one token get the same answer when the clock is set back between them', async () => {
  const { token } = await server.account()
  const first = await server.refresh(token.refreshToken)
  server.pass(-60 * 60_000)
  const second = await server.refresh(token.refreshToken)
  server.pass(60 * 60_000)
  expect(second.statusCode).toBe(200)
  expect(second.body).toBe(first.body)
})

test('point 10: reuse of an older token ends the session for every holder', async () => {
  const { token } = await server.account()
  const second = tokenOf(await server.refresh(token.refreshToken))
  const third = tokenOf(await server.refresh(second.refreshToken))

  const reused = await server.refresh(token.refreshToken)
  expect(reused.statusCode).toBe(401)
  expect(reused.json()).toMatchObject({ code: 'invalid_refresh_token' })
  for (const each of [second, third])
    expect((await server.refresh(each.refreshToken)).statusCode).toBe(401)

  const { rows } = await sql`
    select actor, after from auth.event
    where action = 'session.revoke' and subject = ${String(decodeJwt(token.accessToken)['sid'])}
  `.execute(server.db)
  expect(rows).toEqual([{ actor: null, after: { reason: 'reuse' } }])
})

test('point 10: other sessions of the account continue', async () => {
  const { email, token } = await server.account()
  const other = tokenOf(await server.signIn(email, 'Meadow!2847'))
  await server.refresh(token.refreshToken)
  server.pass(11_000)
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(401)
  expect((await server.refresh(other.refreshToken)).statusCode).toBe(200)
})

test('point 11: for ten seconds the last used token gets the same answer, then it counts as reuse', async () => {
  const { token } = await server.account()
  const first = await server.refresh(token.refreshToken)
  server.pass(9000)
  const again = await server.refresh(token.refreshToken)
  expect(again.statusCode).toBe(200)
  expect(again.body).toBe(first.body)

  server.pass(1100)
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(401)
  expect((await server.refresh(tokenOf(first).refreshToken)).statusCode).toBe(401)
})

test('point 11: the kept answer is forgotten when its token is used', async () => {
  const { token } = await server.account()
  const next = tokenOf(await server.refresh(token.refreshToken))
  await server.refresh(next.refreshToken)
  const { rows } = await sql<{ sealed: boolean }>`
    select sealed_answer is not null as sealed from auth.refresh_token
    where session_id = ${String(decodeJwt(token.accessToken)['sid'])}
    order by used_at nulls last
  `.execute(server.db)
  expect(rows.map((row) => row.sealed)).toEqual([false, true, false])
})

test('point 12: a session that is not refreshed for thirty days expires', async () => {
  const [idle, active] = [await server.account(), await server.account()]
  server.pass(29 * day)
  const next = tokenOf(await server.refresh(active.token.refreshToken))
  server.pass(2 * day)
  expect((await server.refresh(idle.token.refreshToken)).json()).toMatchObject({
    code: 'invalid_refresh_token',
  })
  expect((await server.refresh(next.refreshToken)).statusCode).toBe(200)
})

test('point 12: refreshing does not extend a session beyond ninety days', async () => {
  let { token } = await server.account()
  for (const days of [25, 25, 25, 14]) {
    server.pass(days * day)
    token = tokenOf(await server.refresh(token.refreshToken))
  }
  server.pass(2 * day)
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(401)
})

test('point 12: a session and its tokens are deleted ninety days after the sign-in, not before', async () => {
  const { token } = await server.account()
  const { refreshToken } = tokenOf(await server.refresh(token.refreshToken))
  await server.logout(refreshToken)
  const count = async () => {
    await deleteExpiredSessions(server.db, new Date(server.platform.now()).toISOString())
    const { rows } = await sql`
      select hash from auth.refresh_token
      where session_id = ${String(decodeJwt(token.accessToken)['sid'])}
    `.execute(server.db)
    return rows.length
  }
  server.pass(89 * day)
  expect(await count()).toBe(2)
  server.pass(2 * day)
  expect(await count()).toBe(0)
})

test('point 13: concurrent refreshes get one successor between them', async () => {
  const { token } = await server.account()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => server.refresh(token.refreshToken)),
  )
  expect(answers.map((answer) => answer.statusCode)).toEqual(Array(20).fill(200))
  expect(new Set(answers.map((answer) => answer.body)).size).toBe(1)
  const { rows } = await sql`
    select hash from auth.refresh_token
    where session_id = ${String(decodeJwt(token.accessToken)['sid'])}
  `.execute(server.db)
  expect(rows).toHaveLength(2)
})

test('point 13: a logout during refreshes leaves no valid token', async () => {
  const { token } = await server.account()
  const [logout, ...refreshes] = await Promise.all([
    server.logout(token.refreshToken),
    server.refresh(token.refreshToken),
    server.refresh(token.refreshToken),
  ])
  expect(logout?.statusCode).toBe(204)
  for (const answer of refreshes.filter(({ statusCode }) => statusCode === 200))
    expect((await server.refresh(tokenOf(answer).refreshToken)).statusCode).toBe(401)
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(401)
})

test('point 14: logout ends the session on the server, any number of times', async () => {
  const { token } = await server.account()
  const next = tokenOf(await server.refresh(token.refreshToken))
  for (let i = 0; i < 3; i++) {
    const answer = await server.logout(next.refreshToken)
    expect(answer.statusCode).toBe(204)
    expect(answer.body).toBe('')
  }
  for (const each of [token, next])
    expect((await server.refresh(each.refreshToken)).statusCode).toBe(401)
  const { rows } = await sql`
    select action from auth.event where subject = ${String(decodeJwt(token.accessToken)['sid'])}
    order by id
  `.execute(server.db)
  expect(rows).toEqual([{ action: 'session.start' }, { action: 'session.end' }])
})

test('point 14: logout works with an expired access token, and with a token nobody issued', async () => {
  const { token } = await server.account()
  server.pass(11 * 60_000)
  await expect(server.app.verifyAccessToken(token.accessToken)).rejects.toThrow('exp')
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/logout',
    headers: { authorization: `Bearer ${token.accessToken}`, 'api-version': '1' },
    payload: { refreshToken: token.refreshToken, provider: 'grove' },
  })
  expect(answer.statusCode).toBe(204)
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(401)
  expect((await server.logout('made up')).statusCode).toBe(204)
})

test('a role granted meanwhile is in the next token', async () => {
  const { email, token } = await server.account()
  await server.db
    .updateTable('auth.account')
    .set({ roles: ['CUSTOMER', 'DEVELOPER'] })
    .where('email', '=', email)
    .execute()
  const next = tokenOf(await server.refresh(token.refreshToken))
  expect(decodeJwt(next.accessToken)['roles']).toEqual(['CUSTOMER', 'DEVELOPER'])
})

test('one session can be refreshed sixty times at once, then once every ten seconds', async () => {
  let { token } = await server.account()
  for (let n = 0; n < 60; n += 1) {
    const answer = await server.refresh(token.refreshToken)
    expect([n, answer.statusCode]).toEqual([n, 200])
    token = tokenOf(answer)
  }
  const refused = await server.refresh(token.refreshToken)
  expect(refused.json()).toMatchObject({ status: 429, code: 'too_many_attempts' })
  // The token is still valid.
  server.pass(10_000)
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(200)
})
