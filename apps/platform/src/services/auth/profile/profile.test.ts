import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Profile } from '@grove/contract/auth/profile'
import type { IssuedToken } from '../session/parts/start-session.ts'
import { startAuthServer, type AuthServer } from '../testing/auth-server.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const call = (method: 'GET' | 'PUT', { accessToken }: IssuedToken, payload?: object) =>
  server.app.inject({
    method,
    url: '/api/user/profile',
    headers: { authorization: `Bearer ${accessToken}` },
    payload,
  })
const read = async (token: IssuedToken) => (await call('GET', token)).json<Profile>()
const userIdOf = (token: IssuedToken) => String(decodeJwt(token.accessToken).sub)

async function link(token: IssuedToken, broker: string, at: string): Promise<string> {
  const id = randomUUID()
  await server.db
    .insertInto('auth.identity')
    .values({
      id,
      account_id: userIdOf(token),
      broker,
      issuer: 'https://id.example.com',
      subject: randomUUID(),
      name: 'Vera',
      email: null,
      linked_at: at,
      last_used_at: at,
    })
    .execute()
  return id
}

test('the profile is the account as it is now, with nobody else’s identities', async () => {
  const { email, token } = await server.account()
  const { token: other } = await server.account()
  const [known, gone] = [
    await link(token, 'sample', '2026-01-01T00:00:00Z'),
    await link(token, 'no-longer-configured', '2026-02-01T00:00:00Z'),
  ]
  await link(other, 'sample', '2026-01-01T00:00:00Z')
  const profile = await read(token)
  expect(profile).toMatchObject({
    id: userIdOf(token),
    email,
    emailVerifiedAt: null,
    name: null,
    locale: 'en-US',
    roles: ['CUSTOMER'],
    hasPassword: true,
  })
  expect(profile.identities).toEqual([
    {
      id: known,
      broker: 'sample',
      brokerName: 'Sample identity',
      name: 'Vera',
      email: null,
      linkedAt: '2026-01-01T00:00:00.000000Z',
      lastUsedAt: '2026-01-01T00:00:00.000000Z',
      rights: { unlink: null },
    },
    expect.objectContaining({ id: gone, brokerName: 'no-longer-configured' }),
  ])
})

test('name and language change together, with one event', async () => {
  const { token } = await server.account()
  const changed = { name: 'Вера <b>🌳</b>', locale: 'ru-RU' }
  for (let i = 0; i < 2; i++)
    expect((await call('PUT', token, changed)).json()).toMatchObject(changed)
  expect(await read(token)).toMatchObject(changed)
  expect((await call('PUT', token, { name: null, locale: 'ru-RU' })).json()).toMatchObject({
    name: null,
  })
  const { rows } = await sql`
    select actor, before, after from auth.event
    where action = 'account.update' and subject = ${userIdOf(token)} order by id
  `.execute(server.db)
  const actor = userIdOf(token)
  expect(rows).toEqual([
    { actor, before: { name: null, locale: 'en-US' }, after: changed },
    { actor, before: { name: changed.name }, after: { name: null } },
  ])
})

test('a name is kept on one line, and a blank one is refused', async () => {
  const { token } = await server.account()
  const spaced = { name: '  Ve\u0301ra\tB ', locale: 'ru-RU' }
  expect((await call('PUT', token, spaced)).json()).toMatchObject({ name: 'Véra B' })
  const blank = await call('PUT', token, { name: ' \t ', locale: 'ru-RU' })
  expect(blank.json()).toMatchObject({ status: 400, errors: [{ path: 'name', code: 'minLength' }] })
})

test('email, roles and another id cannot be written', async () => {
  const { token } = await server.account()
  for (const extra of [{ email: 'x@grove.test' }, { roles: ['ADMIN'] }, { id: randomUUID() }]) {
    const answer = await call('PUT', token, { name: 'N', locale: 'en-US', ...extra })
    expect(answer.statusCode).toBe(400)
  }
  expect(await read(token)).toMatchObject({ name: null, roles: ['CUSTOMER'] })
})

test('point 15: a token of a disabled or deleted account reads and changes nothing', async () => {
  const { token } = await server.account()
  const set = (disabled_at: string | null) =>
    server.db
      .updateTable('auth.account')
      .set({ disabled_at })
      .where('id', '=', userIdOf(token))
      .execute()
  await set(new Date().toISOString())
  expect((await call('GET', token)).json()).toMatchObject({ status: 403, code: 'account_disabled' })
  await set(null)
  expect((await call('GET', token)).statusCode).toBe(200)
  await server.db.deleteFrom('auth.account').where('id', '=', userIdOf(token)).execute()
  for (const answer of [
    await call('GET', token),
    await call('PUT', token, { name: 'N', locale: 'en-US' }),
  ])
    expect(answer.json()).toMatchObject({ status: 401, code: 'unauthorized' })
  expect((await server.refresh(token.refreshToken)).json()).toMatchObject({
    code: 'invalid_refresh_token',
  })
})
