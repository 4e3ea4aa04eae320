import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Account } from '@grove/contract/auth/account-admin'
import { createAccount } from '../account/parts/create-account.ts'
import type { IssuedToken } from '../session/parts/start-session.ts'
import { mailsTo } from '../email/testing/mailbox.ts'
import { password, startAuthServer, tokenOf, type AuthServer } from '../testing/auth-server.ts'

let server: AuthServer
let admin: IssuedToken
beforeAll(async () => {
  server = await startAuthServer()
  admin = await newAdmin()
})
afterAll(() => server.close())

interface Page {
  items: Account[]
  next: string | null
  previous: string | null
}

async function newAdmin(): Promise<IssuedToken> {
  const email = `${randomUUID()}@admin.test`
  await createAccount(server.context, {
    email,
    password,
    roles: ['ADMIN'],
    name: 'Ada',
    locale: 'en-US',
  })
  return tokenOf(await server.signIn(email, password))
}

const userIdOf = (token: IssuedToken) => String(decodeJwt(token.accessToken).sub)
const bearer = ({ accessToken }: IssuedToken) => ({ authorization: `Bearer ${accessToken}` })
const get = (query: string, as = admin) =>
  server.app.inject({ url: `/api/admin/account?${query}`, headers: bearer(as) })
const page = async (query: string) => (await get(query)).json<Page>()
const setEnabled = (id: string, enabled: boolean, as = admin) =>
  server.app.inject({
    method: 'PUT',
    url: `/api/admin/account/${id}`,
    headers: bearer(as),
    payload: { enabled },
  })
const fresh = async (token: IssuedToken) => tokenOf(await server.refresh(token.refreshToken))

/**
 * Accounts with a common email prefix, all created in the same millisecond, none of which paging may
 * lose.
 */
async function addAccounts(prefix: string, count: number, disabled = 0): Promise<void> {
  const at = new Date(server.platform.now()).toISOString()
  await sql`
    insert into auth.account (id, email, roles, locale, created_at, disabled_at)
    select md5(${prefix} || n)::uuid, ${prefix} || lpad(n::text, 4, '0') || '@grove.test',
      '{CUSTOMER}', 'en-US', ${at}::timestamptz, case when n <= ${disabled} then ${at}::timestamptz end
    from generate_series(1, ${count}) n
  `.execute(server.db)
}

/** All pages forward, then all backward from the last, which must give the same accounts. */
async function walk(query: string): Promise<string[]> {
  const pages: Page[] = [await page(query)]
  for (let at = pages[0]; at?.next; at = pages.at(-1))
    pages.push(await page(`${query}&cursor=${at.next}`))
  let back = pages.at(-1)
  for (let index = pages.length - 2; index >= 0; index--) {
    back = await page(`${query}&cursor=${back?.previous}`)
    expect(back.items).toEqual(pages[index]?.items)
  }
  expect(back?.previous ?? null).toBeNull()
  return pages.flatMap(({ items }) => items.map(({ id }) => id))
}

test('the list can be paged from the newest account to the oldest and back, each account once', async () => {
  await addAccounts('list-', 23)
  server.pass(1000)
  const newest = userIdOf((await server.account()).token)
  const { rows } = await sql<{ id: string }>`
    select id from auth.account order by created_at desc, id
  `.execute(server.db)
  expect(await walk('limit=5')).toEqual(rows.map(({ id }) => id))
  expect(rows[0]?.id).toBe(newest)
})

test('the list shows each account’s details and its last use', async () => {
  const { email, token } = await server.account()
  server.pass(60_000)
  await server.refresh(token.refreshToken)
  const { items } = await page(`q=${userIdOf(token)}`)
  expect(items).toEqual([
    {
      id: userIdOf(token),
      email,
      emailVerifiedAt: null,
      name: null,
      roles: ['CUSTOMER'],
      disabledAt: null,
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      rights: { disable: null, changeRole: null, resetPassword: null, endSessions: null },
    },
  ])
  expect(Date.parse(items[0]?.lastUsedAt ?? '')).toBe(server.platform.now())
  expect((await get('')).body).not.toContain('argon2')
})

test('a search finds by the beginning of an email, in any case, with wildcards as plain characters', async () => {
  await addAccounts('find_a-', 12)
  await addAccounts('findxa-', 3)
  const found = await walk('q=FIND_A&limit=5')
  expect(found).toHaveLength(12)
  expect((await page('q=find_a-0007')).items.map(({ email }) => email)).toEqual([
    'find_a-0007@grove.test',
  ])
  for (const none of ['ind%25a', 'ind_a', 'zzz', '%25', "'; drop table auth.account; --"])
    expect((await page(`q=${none}`)).items).toEqual([])
})

test('a search finds by the words of a name and an email, in any order and case, page by page', async () => {
  await addAccounts('words.', 7)
  await sql`
    update auth.account set name = case right(split_part(email, '@', 1), 1)
      when '1' then 'Вера Павловна Розальская' when '2' then 'Vera O’Neil 2nd'
      when '3' then 'vera' when '4' then 'Олег Верин' when '5' then 'VERA' end
    where email like 'words.%'
  `.execute(server.db)
  await sql`
    insert into auth.account (id, name, roles, locale, created_at) values
      (gen_random_uuid(), 'Vera without an address', '{}', 'en-US', now()),
      (gen_random_uuid(), 'Vera, too', '{}', 'en-US', now())
  `.execute(server.db)
  const found = async (q: string) =>
    (await page(`q=${encodeURIComponent(q)}`)).items.map(({ email }) => email?.slice(6, 10) ?? null)
  expect(await found('розальская вера')).toEqual(['0001'])
  expect(await found('ВЕР')).toEqual(['0001', '0004'])
  expect(await found('vera')).toEqual([null, null, '0002', '0003', '0005'])
  expect(await found('vera 2')).toEqual(['0002'])
  expect(await found('neil')).toEqual(['0002'])
  expect(await found('0006 words')).toEqual(['0006'])
  expect(await found('era')).toEqual([])
  // With an @ it is the beginning of an email.
  expect(await found('grove@words')).toEqual([])
  expect(await found('words.0004@gr')).toEqual(['0004'])
  for (const limit of [1, 2, 3]) expect(await walk(`q=vera&limit=${limit}`)).toHaveLength(5)
  expect(await walk('q=vera&limit=2&state=disabled')).toEqual([])
})

test('the list of disabled accounts contains only those, also during a search', async () => {
  await addAccounts('state-', 9, 4)
  expect(await walk('state=disabled&q=state-&limit=3')).toHaveLength(4)
  expect(await walk('state=enabled&q=state-&limit=3')).toHaveLength(5)
  const { rows } = await sql<{ id: string }>`
    select id from auth.account where disabled_at is not null order by created_at desc, id
  `.execute(server.db)
  expect(await walk('state=disabled&limit=2')).toEqual(rows.map(({ id }) => id))
})

test('a cursor of another order or of nothing is refused', async () => {
  await addAccounts('cursor-', 3)
  const { next } = await page('q=cursor-&limit=1')
  for (const query of [`cursor=${next}`, 'cursor=made-up', 'q=cursor-&cursor=e30'])
    expect((await get(query)).json()).toMatchObject({ status: 400, code: 'bad_cursor' })
})

test('only administrators list or disable, and only as long as they have the role', async () => {
  const { token } = await server.account()
  const id = userIdOf(token)
  expect((await get('', token)).statusCode).toBe(403)
  expect((await setEnabled(id, false, token)).statusCode).toBe(403)
  const former = await newAdmin()
  await server.db
    .updateTable('auth.account')
    .set({ roles: ['CUSTOMER'] })
    .where('id', '=', userIdOf(former))
    .execute()
  expect((await get('', former)).json()).toMatchObject({ code: 'forbidden' })
  expect((await setEnabled(id, false, former)).json()).toMatchObject({ code: 'forbidden' })
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(200)
})

test('point 15: disabling ends every session at once, and its access tokens within moments', async () => {
  admin = await fresh(admin)
  const { email, token } = await server.account()
  const second = tokenOf(await server.signIn(email, password))
  const id = userIdOf(token)
  const answer = await setEnabled(id, false)
  expect(answer.json()).toMatchObject({ id, disabledAt: expect.any(String) })

  for (const each of [token, second])
    expect((await server.refresh(each.refreshToken)).json()).toMatchObject({
      status: 403,
      code: 'account_disabled',
    })
  expect((await server.signIn(email, password)).json()).toMatchObject({ code: 'account_disabled' })
  expect((await server.signIn(email, 'Wrong2026!')).json()).toMatchObject({
    code: 'wrong_credentials',
  })
  const { rows } = await sql`
    select ended_at is not null as ended, end_reason from auth.session where account_id = ${id}
  `.execute(server.db)
  const sessionEnd = { ended: true, end_reason: 'disabled' }
  expect(rows).toEqual([sessionEnd, sessionEnd])

  // Other services verify it locally and check it against the revocations.
  await expect
    .poll(() => server.app.verifyAccessToken(second.accessToken).catch(() => 'refused'), {
      timeout: 10_000,
    })
    .toBe('refused')
})

test('disabling and enabling can be repeated; each change leaves one event with before and after', async () => {
  admin = await fresh(admin)
  const { email, token } = await server.account()
  const id = userIdOf(token)
  const first = (await setEnabled(id, false)).json<Account>()
  server.pass(1000)
  expect((await setEnabled(id, false)).json()).toEqual(first)
  for (let i = 0; i < 2; i++)
    expect((await setEnabled(id, true)).json()).toMatchObject({ disabledAt: null })
  // Earlier sessions stay ended.
  expect((await server.refresh(token.refreshToken)).json()).toMatchObject({
    code: 'invalid_refresh_token',
  })
  expect((await server.signIn(email, password)).statusCode).toBe(200)
  const { rows } = await sql<{ action: string }>`
    select actor, action, before, after from auth.event
    where subject = ${id} and action like 'account.%able' order by id
  `.execute(server.db)
  const disabledAt = expect.any(String)
  const actor = userIdOf(admin)
  expect(rows).toEqual([
    { actor, action: 'account.disable', before: { disabledAt: null }, after: { disabledAt } },
    { actor, action: 'account.enable', before: { disabledAt }, after: { disabledAt: null } },
  ])
})

test('administrators cannot disable their own account, nor a missing one', async () => {
  admin = await fresh(admin)
  expect((await setEnabled(userIdOf(admin), false)).json()).toMatchObject({
    status: 409,
    code: 'own_account',
  })
  expect((await setEnabled(userIdOf(admin), true)).json()).toMatchObject({
    rights: { disable: 'own_account', changeRole: 'own_account', endSessions: 'own_account' },
  })
  expect((await setEnabled(randomUUID(), false)).json()).toMatchObject({ code: 'not_found' })
  expect((await setEnabled('no-uuid', false)).statusCode).toBe(400)
})

test('of two administrators who disable each other at once one stays', async () => {
  const [one, two] = [await newAdmin(), await newAdmin()]
  const answers = await Promise.all([
    setEnabled(userIdOf(two), false, one),
    setEnabled(userIdOf(one), false, two),
  ])
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 403])
})

test('point 15: a sign-in during the disabling leaves no live session', async () => {
  admin = await fresh(admin)
  const { email, token } = await server.account()
  const [, ...signIns] = await Promise.all([
    setEnabled(userIdOf(token), false),
    ...Array.from({ length: 6 }, () => server.signIn(email, password)),
  ])
  for (const answer of signIns.filter(({ statusCode }) => statusCode === 200))
    expect((await server.refresh(tokenOf(answer).refreshToken)).statusCode).toBe(403)
})

test('an id in upper case is the same account', async () => {
  const { token } = await server.account()
  const id = userIdOf(token)
  const answer = await setEnabled(id.toUpperCase(), false)
  expect(answer.json()).toMatchObject({ id, disabledAt: expect.any(String) })
})

const setRole = (id: string, role: string, as = admin) =>
  server.app.inject({
    method: 'PUT',
    url: `/api/admin/account/${id}`,
    headers: bearer(as),
    payload: { role },
  })

test('accounts are found by up to a hundred ids in one call, and unknown ids are left out', async () => {
  admin = await fresh(admin)
  const people = [await server.account(), await server.account()]
  const ids = people.map(({ token }) => userIdOf(token))
  const { items } = await page(`ids=${[...ids, randomUUID()].join(',').toUpperCase()}`)
  expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  const many = Array.from({ length: 101 }, () => randomUUID())
  expect((await get(`ids=${many.slice(1).join(',')}`)).json()).toMatchObject({ items: [] })
  for (const wrong of [many.join(','), 'no-uuid', '', `${many[0]},`])
    expect((await get(`ids=${wrong}`)).statusCode).toBe(400)
})

test('an administrator changes a role, which the next token has, and the change leaves one event', async () => {
  admin = await fresh(admin)
  const { token } = await server.account()
  const id = userIdOf(token)
  for (let i = 0; i < 2; i++)
    expect((await setRole(id, 'DEVELOPER')).json()).toMatchObject({ roles: ['DEVELOPER'] })
  expect(decodeJwt((await fresh(token)).accessToken)['roles']).toEqual(['DEVELOPER'])
  const { rows } = await sql`
    select actor, before, after from auth.event
    where subject = ${id} and action = 'account.change_role'`.execute(server.db)
  expect(rows).toEqual([
    {
      actor: userIdOf(admin),
      before: { roles: ['CUSTOMER'] },
      after: { roles: ['DEVELOPER'] },
    },
  ])
  for (const role of ['ROOT', 'developer', ''])
    expect((await setRole(id, role)).statusCode).toBe(400)
})

test('nobody changes their own role, so an administrator is always left', async () => {
  admin = await fresh(admin)
  expect((await setRole(userIdOf(admin), 'CUSTOMER')).json()).toMatchObject({
    status: 409,
    code: 'own_account',
  })
  const [one, two] = [await newAdmin(), await newAdmin()]
  const answers = await Promise.all([
    setRole(userIdOf(two), 'CUSTOMER', one),
    setRole(userIdOf(one), 'CUSTOMER', two),
  ])
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 403])
  const { token } = await server.account()
  expect((await setRole(userIdOf(admin), 'CUSTOMER', token)).statusCode).toBe(403)
  expect((await setRole(randomUUID(), 'ADMIN')).json()).toMatchObject({ code: 'not_found' })
})

test('an administrator sees the sessions of an account and ends one or all of them', async () => {
  admin = await fresh(admin)
  const { email, token } = await server.account()
  const others = [
    tokenOf(await server.signIn(email, password)),
    tokenOf(await server.signIn(email, password)),
  ]
  const id = userIdOf(token)
  const url = `/api/admin/account/${id}/session`
  const list = await server.app.inject({ url, headers: bearer(admin) })
  const sessions = list.json<{ items: { id: string; isCurrent: boolean }[] }>().items
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, false, false])

  const end = (path: string, as = admin) =>
    server.app.inject({ method: 'DELETE', url: url + path, headers: bearer(as) })
  const first = String(decodeJwt(token.accessToken)['sid'])
  for (let i = 0; i < 2; i++) expect((await end(`/${first}`)).statusCode).toBe(204)
  expect((await server.refresh(token.refreshToken)).statusCode).toBe(401)
  expect((await end(`/${randomUUID()}`)).json()).toMatchObject({ code: 'not_found' })
  expect((await end('', others[0])).statusCode).toBe(403)
  expect((await end('')).json()).toEqual({ ended: 2 })
  for (const each of others) expect((await server.refresh(each.refreshToken)).statusCode).toBe(401)

  const own = `/api/admin/account/${userIdOf(admin)}/session`
  const refused = await server.app.inject({ method: 'DELETE', url: own, headers: bearer(admin) })
  expect(refused.json()).toMatchObject({ status: 409, code: 'own_account' })
  const missing = `/api/admin/account/${randomUUID()}/session`
  expect((await server.app.inject({ url: missing, headers: bearer(admin) })).statusCode).toBe(404)
})

const sendReset = (id: string, as = admin) =>
  server.app.inject({
    method: 'POST',
    url: `/api/admin/account/${id}/resetPassword`,
    headers: bearer(as),
  })

test('an administrator has a password reset link mailed only to the account’s owner', async () => {
  admin = await fresh(admin)
  const { email, token } = await server.account()
  const id = userIdOf(token)
  expect((await sendReset(id, token)).statusCode).toBe(403)
  const answer = await sendReset(id)
  expect([answer.statusCode, answer.body]).toEqual([204, ''])
  // The mail to the new account may be sent at the same moment.
  const texts = (await mailsTo(server, email)).map(({ text }) => text)
  const link = texts.map((text) => /login\/reset#([\w-]{43})/.exec(text)?.[1]).find(Boolean) ?? ''
  const payload = { token: link, password: 'Juniper2026!', provider: 'grove' }
  expect((await server.post('/api/user/resetPassword', payload)).statusCode).toBe(200)
  expect((await server.signIn(email, 'Juniper2026!')).statusCode).toBe(200)

  await setEnabled(id, false)
  expect((await sendReset(id)).json()).toMatchObject({ status: 409, code: 'account_not_enabled' })
  expect((await sendReset(randomUUID())).json()).toMatchObject({ code: 'not_found' })
})

test('an address receives only a few mails, whoever requests them', async () => {
  admin = await fresh(admin)
  const { token } = await server.account()
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await sendReset(userIdOf(token))).statusCode)
  expect(statuses).toEqual([204, 204, 204, 429])
})
