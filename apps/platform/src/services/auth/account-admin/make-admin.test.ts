import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { password, startAuthServer, tokenOf, type AuthServer } from '../testing/auth-server.ts'
import { makeAdmin, makeFirstAdmin, type MadeAdmin } from './make-admin.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())
beforeEach(() => sql`update auth.account set disabled_at = now()`.execute(server.db))

const unused = () => `${randomUUID()}@grove.test`
const make = (email: string, isTrusted = false) =>
  makeAdmin(server.context, { by: 'npm run accounts', email, isTrusted })
const accept = (token: string) =>
  server.post('/api/user/acceptInvitation', {
    token,
    name: 'Ada',
    password,
    locale: 'en-US',
    provider: 'grove',
  })
const rolesOf = async (email: string) =>
  decodeJwt(tokenOf(await server.signIn(email, password)).accessToken)['roles']

async function account({ isVerified = false, roles = ['DEVELOPER'] } = {}): Promise<string> {
  const { email } = await server.account()
  await sql`update auth.account set roles = ${roles},
    email_verified_at = ${isVerified ? sql`now()` : null} where email = ${email}`.execute(server.db)
  return email
}

function tokenOfLink(made: MadeAdmin | { kind: string } | undefined): string {
  if (made?.kind !== 'invited' || !('token' in made)) throw new Error(`It is ${made?.kind}.`)
  return made.token
}

test('an email without an account gets a link, and a newer one replaces the older', async () => {
  const email = unused()
  const older = tokenOfLink(await make(email.toUpperCase()))
  const link = tokenOfLink(await make(email))
  expect((await accept(older)).json()).toMatchObject({ code: 'invitation_withdrawn' })
  expect((await accept(link)).statusCode).toBe(200)
  expect(await rolesOf(email)).toEqual(['ADMIN'])
  expect((await accept(link)).json()).toMatchObject({ code: 'invitation_accepted' })
  expect(await make(email)).toEqual({ kind: 'already' })

  const token = tokenOf(await server.signIn(email, password)).accessToken
  const { items } = (
    await server.app.inject({
      url: '/api/admin/invitation',
      headers: { authorization: `Bearer ${token}` },
    })
  ).json()
  const ofEmail = items.filter((each: { email: string }) => each.email === email)
  expect(ofEmail).toMatchObject([{ invitedBy: null }, { invitedBy: null }])
})

test('an account with a confirmed email becomes an administrator’s, and is enabled', async () => {
  const email = await account({ isVerified: true })
  await sql`update auth.account set disabled_at = now() where email = ${email}`.execute(server.db)
  expect(await make(email)).toEqual({ kind: 'changed' })
  expect(await rolesOf(email)).toEqual(['ADMIN'])
  const { rows } = await sql<{ action: string; userAgent: string }>`
    select action, user_agent as "userAgent" from auth.event
    where subject = (select id::text from auth.account where email = ${email})
      and action in ('account.enable', 'account.change_role') order by id`.execute(server.db)
  expect(rows).toEqual([
    { action: 'account.enable', userAgent: 'npm run accounts' },
    { action: 'account.change_role', userAgent: 'npm run accounts' },
  ])
})

test('an account that anyone may have created stays unchanged, unless it is trusted', async () => {
  const email = await account()
  expect(await make(email)).toEqual({ kind: 'unconfirmed' })
  expect(await makeFirstAdmin(server.context, { email, password: undefined })).toEqual({
    kind: 'unconfirmed',
  })
  expect(await makeFirstAdmin(server.context, { email, password })).toEqual({
    kind: 'unconfirmed',
  })
  expect(await rolesOf(email)).toEqual(['DEVELOPER'])
  expect(await make(email, true)).toEqual({ kind: 'changed' })
  expect(await rolesOf(email)).toEqual(['ADMIN'])
})

test('a first start with a password creates the administrator, only once among parallel processes', async () => {
  const email = unused()
  const made = await Promise.all(
    Array.from({ length: 4 }, () => makeFirstAdmin(server.context, { email, password })),
  )
  expect(made.filter((each) => each !== undefined)).toEqual([{ kind: 'created' }])
  expect(await rolesOf(email)).toEqual(['ADMIN'])
  const other = { email: unused(), password }
  expect(await makeFirstAdmin(server.context, other)).toBeUndefined()
})

test('a first start without a password offers a link, which later starts leave valid', async () => {
  const first = { email: unused(), password: undefined }
  const made = await Promise.all(
    Array.from({ length: 4 }, () => makeFirstAdmin(server.context, first)),
  )
  const link = tokenOfLink(made.find((each) => each?.kind === 'invited'))
  expect(made.filter((each) => each?.kind === 'offered')).toHaveLength(3)
  server.pass(8 * 24 * 3600_000)
  expect((await accept(link)).json()).toMatchObject({ code: 'invitation_ended' })
  const again = tokenOfLink(await makeFirstAdmin(server.context, first))
  expect((await accept(again)).statusCode).toBe(200)
  expect(await makeFirstAdmin(server.context, first)).toBeUndefined()
})
