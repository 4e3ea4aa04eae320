import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Invitation } from '@grove/contract/auth/invitation'
import { createAccount } from '../account/parts/create-account.ts'
import { mailsTo, newestToken } from '../email/testing/mailbox.ts'
import type { IssuedToken } from '../session/parts/start-session.ts'
import { password, startAuthServer, tokenOf, type AuthServer } from '../testing/auth-server.ts'
import { deleteOldInvitations } from './invitation.queries.ts'

let server: AuthServer
let admin: Admin
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())
// Tests shift the clock by days, which ends sessions and tokens.
beforeEach(async () => {
  await server.db.deleteFrom('auth.throttle').execute()
  admin = await newAdmin()
})

interface Admin {
  id: string
  email: string
  token: IssuedToken
}

const day = 24 * 3600_000
const provider = 'grove'
const unused = () => `${randomUUID()}@grove.test`

async function newAdmin(): Promise<Admin> {
  const email = `${randomUUID()}@admin.test`
  const id = await createAccount(server.context, {
    email,
    password,
    roles: ['ADMIN'],
    name: 'Ada',
    locale: 'en-US',
  })
  return { id, email, token: tokenOf(await server.signIn(email, password)) }
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const call = (method: Method, url: string, payload?: object, as = admin.token) =>
  server.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${as.accessToken}` },
    ...(payload && { payload }),
  })
const path = '/api/admin/invitation'
const invite = (email: string, more: object = {}, as = admin.token) =>
  call('POST', path, { email, role: 'DEVELOPER', locale: 'en-US', ...more }, as)
async function invited(email = unused(), more: object = {}) {
  const answer = await invite(email, more)
  expect(answer.statusCode).toBe(200)
  return { ...answer.json<Invitation>(), link: await newestToken(server, email) }
}
const list = async (query: string) =>
  (await call('GET', `${path}?${query}`)).json<{ items: Invitation[]; next: string | null }>()
const check = (token: string) => server.post('/api/user/checkInvitation', { token, provider })
const accept = (token: string, more: object = {}) =>
  server.post('/api/user/acceptInvitation', {
    token,
    name: 'Dana Reed',
    password,
    locale: 'en-US',
    provider,
    ...more,
  })
const codeOf = (answer: { json: () => { code?: string } }) => answer.json().code

test('an invitation is mailed in its language, with the inviter, the role and one link', async () => {
  const email = unused()
  const answer = await invite(email.toUpperCase(), { locale: 'ru-RU', role: 'ADMIN' })
  const { id } = answer.json<Invitation>()
  const link = await newestToken(server, email)
  const mails = await mailsTo(server, email)
  expect(mails).toHaveLength(1)
  expect(mails[0]?.subject).toBe('Приглашение в Grove')
  for (const words of [admin.email, 'Администратор', `/login/invitation#${link}`, email])
    expect(mails[0]?.text).toContain(words)
  expect((await list(`id=${id}`)).items).toEqual([
    {
      id,
      email,
      role: 'ADMIN',
      locale: 'ru-RU',
      state: 'open',
      invitedBy: admin.id,
      createdAt: expect.any(String),
      sentAt: expect.any(String),
      expiresAt: expect.any(String),
      accountId: null,
      rights: { send: null, withdraw: null },
    },
  ])
})

test('the link creates an account with the role and a confirmed email, which can sign in', async () => {
  const { id, email, link } = await invited()
  expect((await check(link)).json()).toEqual({
    email,
    role: 'DEVELOPER',
    invitedBy: admin.email,
    expiresAt: expect.any(String),
  })
  const answer = await accept(link, { locale: 'ru-RU' })
  expect([answer.statusCode, answer.json()]).toEqual([200, { email }])
  const token = tokenOf(await server.signIn(email, password))
  const claims = decodeJwt(token.accessToken)
  expect(claims['roles']).toEqual(['DEVELOPER'])
  const profile = await call('GET', '/api/user/profile', undefined, token)
  expect(profile.json()).toMatchObject({
    email,
    name: 'Dana Reed',
    locale: 'ru-RU',
    emailVerifiedAt: expect.any(String),
  })
  expect((await list(`id=${id}`)).items).toMatchObject([
    { state: 'accepted', accountId: claims.sub, rights: { send: 'invitation_accepted' } },
  ])
})

test('point 7: a link works once, and of ten concurrent uses one creates the account', async () => {
  const { email, link } = await invited()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => accept(link, { name: `Dana ${index}` })),
  )
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  for (const answer of [await check(link), await accept(link)])
    expect(answer.json()).toMatchObject({ status: 409, code: 'invitation_accepted' })
  const { rows } = await sql`select from auth.account where email = ${email}`.execute(server.db)
  expect(rows).toHaveLength(1)
})

test('a refused password or name does not consume the link', async () => {
  const { link } = await invited()
  for (const [more, path, code] of [
    [{ password: 'short' }, 'password', 'password_length'],
    [{ password: 'Passw0rd!' }, 'password', 'password_common'],
    [{ name: '' }, 'name', 'minLength'],
    [{ name: '\u202e' }, 'name', 'format'],
    [{ role: 'ADMIN' }, 'role', 'additionalProperties'],
  ] as const) {
    const answer = await accept(link, more)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors[0].path).toContain(path)
    expect(answer.json().errors[0].code, code).toBe(code)
  }
  expect((await accept(link)).statusCode).toBe(200)
})

test('point 7: a link expires after seven days, and the invitation can be sent again with a new one', async () => {
  const { id, email, link } = await invited()
  server.pass(7 * day - 60_000)
  expect((await check(link)).statusCode).toBe(200)
  server.pass(60_000)
  for (const answer of [await check(link), await accept(link)])
    expect(answer.json()).toMatchObject({ status: 409, code: 'invitation_ended' })
  admin = await newAdmin()
  expect((await list('state=ended')).items.map((each) => each.id)).toContain(id)
  expect((await list('state=open')).items.map((each) => each.id)).not.toContain(id)

  const again = await call('POST', `${path}/${id}/send`)
  expect(again.json()).toMatchObject({ id, state: 'open', rights: { send: null } })
  const newer = await newestToken(server, email)
  expect(newer).not.toBe(link)
  // Only the newest link works.
  expect(codeOf(await check(link))).toBe('invalid_email_token')
  expect((await accept(newer)).statusCode).toBe(200)
})

test('a withdrawn invitation says so, and the person can be invited anew', async () => {
  const { id, email, link } = await invited()
  expect((await call('DELETE', `${path}/${id}`)).statusCode).toBe(204)
  for (const answer of [await check(link), await accept(link)])
    expect(answer.json()).toMatchObject({ status: 409, code: 'invitation_withdrawn' })
  for (const answer of [
    await call('DELETE', `${path}/${id}`),
    await call('POST', `${path}/${id}/send`),
  ])
    expect(codeOf(answer)).toBe('invitation_withdrawn')
  const next = await invited(email)
  expect(next.id).not.toBe(id)
  expect((await accept(next.link)).statusCode).toBe(200)
})

test('an email with an account, or an open invitation, is refused at its field', async () => {
  const { email } = await server.account()
  const open = await invited()
  for (const [address, code] of [
    [email.toUpperCase(), 'account_exists'],
    [open.email, 'already_invited'],
  ] as const) {
    const answer = await invite(address)
    expect(answer.json()).toMatchObject({ status: 409, code, errors: [{ path: 'email', code }] })
  }
  for (const wrong of ['nobody', '', 'a b@c.de'])
    expect((await invite(wrong)).json().errors).toMatchObject([{ path: 'email' }])
  for (const more of [{ role: 'ROOT' }, { locale: 'de-DE' }, { roles: ['ADMIN'] }])
    expect((await invite(unused(), more)).statusCode).toBe(400)
})

test('of two concurrent invitations of one email, one is created', async () => {
  const email = unused()
  const answers = await Promise.all([invite(email), invite(email)])
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409])
})

test('an expired invitation is replaced by a new one for the email', async () => {
  const { id, email } = await invited()
  server.pass(8 * day)
  admin = await newAdmin()
  await invited(email)
  expect((await list(`id=${id}`)).items).toEqual([])
})

test('a person who signed up in the meantime is told to sign in, and keeps their role', async () => {
  const { id, email, link } = await invited(unused(), { role: 'ADMIN' })
  expect((await server.post('/api/signup', { email, password, provider })).statusCode).toBe(200)
  for (const answer of [await check(link), await accept(link)])
    expect(codeOf(answer)).toBe('account_exists')
  const { items } = await list(`id=${id}`)
  expect(items).toMatchObject([{ state: 'open', rights: { send: 'account_exists' } }])
  const roles = decodeJwt(tokenOf(await server.signIn(email, password)).accessToken)['roles']
  expect(roles).toEqual(['CUSTOMER'])
})

test('an administrator’s invitations end with their rights', async () => {
  const other = await newAdmin()
  const offer = async () => {
    const email = unused()
    expect((await invite(email, { role: 'ADMIN' }, other.token)).statusCode).toBe(200)
    return newestToken(server, email)
  }
  const change = (body: object) => call('PUT', `/api/admin/account/${other.id}`, body)
  const first = await offer()
  await change({ role: 'DEVELOPER' })
  expect(codeOf(await accept(first))).toBe('invitation_withdrawn')
  await change({ role: 'ADMIN' })
  other.token = tokenOf(await server.signIn(other.email, password))
  const second = await offer()
  await change({ enabled: false })
  expect(codeOf(await accept(second))).toBe('invitation_withdrawn')
})

test('only administrators see, create, send or withdraw invitations', async () => {
  const { token } = await server.account()
  const { id } = await invited()
  for (const answer of [
    await call('GET', path, undefined, token),
    await invite(unused(), {}, token),
    await call('POST', `${path}/${id}/send`, undefined, token),
    await call('DELETE', `${path}/${id}`, undefined, token),
  ])
    expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' })
  for (const answer of [
    await call('POST', `${path}/${randomUUID()}/send`),
    await call('DELETE', `${path}/${randomUUID()}`),
  ])
    expect(codeOf(answer)).toBe('not_found')
})

test('the list can be paged, newest first, and searched by the beginning of an email', async () => {
  const prefix = `${randomUUID().slice(0, 8)}_%`
  const at = new Date(server.platform.now()).toISOString()
  await sql`
    insert into auth.invitation
      (id, email, role, locale, hash, invited_by, created_at, sent_at, expires_at)
    select gen_random_uuid(), ${prefix} || n || '@grove.test', 'DEVELOPER', 'en-US',
      gen_random_uuid(), ${admin.id}, ${at}::timestamptz, ${at}::timestamptz,
      ${at}::timestamptz + interval '7 days'
    from generate_series(1, 7) n`.execute(server.db)
  const q = encodeURIComponent(prefix.toUpperCase())
  const found: string[] = []
  for (let page = await list(`q=${q}&limit=3`); ;) {
    found.push(...page.items.map(({ id }) => id))
    if (page.next === null) break
    page = await list(`q=${q}&limit=3&cursor=${page.next}`)
  }
  expect(new Set(found).size).toBe(7)
  expect((await list(`q=${encodeURIComponent(prefix.slice(1))}`)).items).toEqual([])
  expect(codeOf(await call('GET', `${path}?cursor=made-up`))).toBe('bad_cursor')
})

test('each change leaves one event, without the token', async () => {
  const { id, email, link } = await invited()
  await call('POST', `${path}/${id}/send`)
  const newest = await newestToken(server, email)
  await accept(newest)
  const other = await invited()
  await call('DELETE', `${path}/${other.id}`)
  const { rows } = await sql<{ action: string }>`
    select action, before, after from auth.event where subject in (${id}, ${other.id})
    order by id`.execute(server.db)
  expect(rows.map(({ action }) => action)).toEqual([
    'invitation.create',
    'invitation.send',
    'invitation.accept',
    'invitation.create',
    'invitation.withdraw',
  ])
  expect(rows[0]).toMatchObject({ after: { email, role: 'DEVELOPER', locale: 'en-US' } })
  for (const token of [link, newest]) expect(JSON.stringify(rows)).not.toContain(token)
})

test('an address receives only a few mails, whoever sends them', async () => {
  const { id } = await invited()
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await call('POST', `${path}/${id}/send`)).statusCode)
  expect(statuses).toEqual([200, 200, 429])
})

test('without a mail server an invitation is refused, and the list says why none can be resent', async () => {
  const { id } = await invited()
  const opened = server.context
  const { mailer } = opened
  opened.mailer = null
  try {
    expect(codeOf(await invite(unused()))).toBe('mail_unavailable')
    expect((await list(`id=${id}`)).items[0]?.rights.send).toBe('mail_unavailable')
  } finally {
    opened.mailer = mailer
  }
})

test('a link shows its outcome for 30 days, then it is deleted', async () => {
  const { id } = await invited()
  const end = server.platform.now() + 7 * day
  const cleanUp = (at: number) =>
    deleteOldInvitations(server.db, new Date(at - 30 * day).toISOString())
  await cleanUp(end + 30 * day - 1000)
  expect((await list(`id=${id}`)).items).toHaveLength(1)
  await cleanUp(end + 30 * day + 1000)
  expect((await list(`id=${id}`)).items).toEqual([])
})
