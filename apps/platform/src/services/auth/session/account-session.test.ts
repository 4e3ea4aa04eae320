import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountSession } from '@grove/contract/auth/profile'
import { password, startAuthServer, tokenOf, type AuthServer } from '../testing/auth-server.ts'
import type { IssuedToken } from './parts/start-session.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const day = 24 * 60 * 60 * 1000

const call = (method: 'GET' | 'DELETE', url: string, { accessToken }: IssuedToken) =>
  server.app.inject({ method, url, headers: { authorization: `Bearer ${accessToken}` } })
const list = async (token: IssuedToken) =>
  (await call('GET', '/api/user/session', token)).json<{ items: AccountSession[] }>().items
const end = (token: IssuedToken, id: string) => call('DELETE', `/api/user/session/${id}`, token)
const endOthers = (token: IssuedToken) => call('DELETE', '/api/user/session', token)
const idOf = (token: IssuedToken) => String(decodeJwt(token.accessToken)['sid'])
const isAlive = async (token: IssuedToken) =>
  (await server.refresh(token.refreshToken)).statusCode === 200

/** A new account with its first session and more. */
async function sessions(more: number): Promise<IssuedToken[]> {
  const { email, token } = await server.account()
  const tokens = [token]
  for (let i = 0; i < more; i++) {
    server.pass(1000)
    tokens.push(tokenOf(await server.signIn(email, password)))
  }
  return tokens
}

test('point 16: people see the sessions of their account, last used first, with the current one marked', async () => {
  const { email, token } = await server.account('192.0.2.7')
  server.pass(1000)
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/token/password',
    payload: { email, password, provider: 'grove' },
    headers: { 'user-agent': 'Firefox on Linux' },
    remoteAddress: '198.51.100.9',
  })
  await server.account()
  const [second, first, ...none] = await list(token)
  expect(none).toEqual([])
  expect(second).toMatchObject({
    id: idOf(tokenOf(answer)),
    isCurrent: false,
    method: 'password',
    userAgent: 'Firefox on Linux',
    network: '198.51.100.0/24',
  })
  expect(first).toMatchObject({
    id: idOf(token),
    isCurrent: true,
    method: 'signUp',
    network: '192.0.2.0/24',
  })
  expect(Date.parse(first?.expiresAt ?? '') - Date.parse(first?.createdAt ?? '')).toBe(30 * day)
})

test('point 16: time, place and device of the last use follow each refresh', async () => {
  const [first = never(), second = never()] = await sessions(1)
  server.pass(5 * day)
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/token/refresh',
    payload: { refreshToken: first.refreshToken, provider: 'grove' },
    headers: { 'user-agent': 'Safari on a phone' },
    remoteAddress: '203.0.113.77',
  })
  const [used, other] = await list(tokenOf(answer))
  expect(used).toMatchObject({
    id: idOf(first),
    isCurrent: true,
    userAgent: 'Safari on a phone',
    network: '203.0.113.0/24',
  })
  expect(Date.parse(used?.lastUsedAt ?? '')).toBe(server.platform.now())
  expect(Date.parse(used?.expiresAt ?? '')).toBe(server.platform.now() + 30 * day)
  expect(other).toMatchObject({ id: idOf(second), isCurrent: false })
})

test('point 16: ended and expired sessions are not listed', async () => {
  const { email, token } = await server.account()
  const left = tokenOf(await server.signIn(email, password))
  await server.logout(left.refreshToken)
  expect((await list(token)).map(({ id }) => id)).toEqual([idOf(token)])
  server.pass(31 * day)
  const next = tokenOf(await server.signIn(email, password))
  expect((await list(next)).map(({ id }) => id)).toEqual([idOf(next)])
})

test('point 16: at most a hundred sessions are listed', async () => {
  const { token } = await server.account()
  await sql`
    insert into auth.session (id, account_id, network, first_network, user_agent, created_at,
      last_used_at, idle_expires_at, expires_at)
    select md5('many ' || n)::uuid, account_id, network, network, user_agent, created_at,
      last_used_at - n * interval '1 second', idle_expires_at, expires_at
    from auth.session, generate_series(1, 150) n where id = ${idOf(token)}
  `.execute(server.db)
  const items = await list(token)
  expect(items).toHaveLength(100)
  expect(items[0]?.id).toBe(idOf(token))
})

test('point 16: ending a session ends it at once and leaves an event', async () => {
  const [first = never(), second = never(), third = never()] = await sessions(2)
  const answer = await end(first, idOf(second))
  expect(answer.statusCode).toBe(204)
  expect(await isAlive(second)).toBe(false)
  expect(await isAlive(third)).toBe(true)
  expect((await list(first)).map(({ id }) => id).toSorted()).toEqual(
    [idOf(first), idOf(third)].toSorted(),
  )
  // Again, as two browsers might.
  expect((await end(first, idOf(second))).statusCode).toBe(204)
  const { rows } = await sql`
    select actor, action, after from auth.event where subject = ${idOf(second)} order by id
  `.execute(server.db)
  expect(rows.slice(1)).toEqual([
    {
      actor: decodeJwt(first.accessToken).sub,
      action: 'session.revoke',
      after: { reason: 'revoked' },
    },
  ])
})

test('another account’s session is not found', async () => {
  const [mine = never()] = await sessions(0)
  const [theirs = never()] = await sessions(0)
  for (const id of [idOf(theirs), randomUUID()])
    expect((await end(mine, id)).json()).toMatchObject({ status: 404, code: 'not_found' })
  expect(await isAlive(theirs)).toBe(true)
  expect((await end(mine, 'no-uuid')).statusCode).toBe(400)
})

test('point 16: ending all others keeps this one', async () => {
  const [first = never(), second = never(), third = never()] = await sessions(2)
  expect((await endOthers(second)).json()).toEqual({ ended: 2 })
  expect(await isAlive(first)).toBe(false)
  expect(await isAlive(third)).toBe(false)
  expect((await endOthers(second)).json()).toEqual({ ended: 0 })
  expect(await isAlive(second)).toBe(true)
})

test('point 16: two sessions that end all others at once do not end each other', async () => {
  const tokens = await sessions(5)
  const answers = await Promise.all(tokens.map(endOthers))
  const statuses = answers.map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(5).fill(401)])
  const alive = []
  for (const token of tokens) alive.push(await isAlive(token))
  expect(alive).toEqual(statuses.map((status) => status === 200))
})

test('point 16: the access token of an ended session cannot list or end sessions', async () => {
  const [first = never(), second = never()] = await sessions(1)
  await end(first, idOf(second))
  for (const answer of [
    await call('GET', '/api/user/session', second),
    await end(second, idOf(first)),
    await endOthers(second),
  ])
    expect(answer.json()).toMatchObject({ status: 401, code: 'unauthorized' })
  expect(await isAlive(first)).toBe(true)
})

test('point 16: an anonymous token has no sessions to list', async () => {
  const { token } = (await server.get('/api/token/anonymous')).json<{ token: IssuedToken }>()
  expect((await call('GET', '/api/user/session', token)).statusCode).toBe(403)
})

const never = (): never => {
  throw new Error('no such session')
}
