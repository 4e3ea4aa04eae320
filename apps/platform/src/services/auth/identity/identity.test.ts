import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Profile } from '@grove/contract/auth/profile'
import { startExternalServer, type ExternalServer } from '../external/testing/external-server.ts'
import {
  startHostileProvider,
  tokenAnswer,
  type HostileProvider,
} from '../external/testing/hostile-provider.ts'
import { lockAccount } from '../session/session.queries.ts'
import { deleteExpiredLinks, deleteIdentity } from './identity.queries.ts'

let server: ExternalServer
let provider: HostileProvider
beforeAll(async () => {
  provider = await startHostileProvider()
  server = await startExternalServer([provider.provider])
})
afterAll(async () => {
  await server.close()
  await provider.close()
})
beforeEach(() => provider.reset())

let subjects = 0

/** An external sign-in, of a new subject unless named, with this verified address. */
function enter(email: string, sub = `subject-${++subjects}`) {
  provider.behaviour.token = async () => tokenAnswer(await provider.idToken({ sub }))
  provider.behaviour.userInfo = { sub, name: 'Link', email, email_verified: true }
  return server.exchange('hostile', { Code: 'code', Nonce: 'nonce' })
}

async function offer(email: string, sub?: string): Promise<string> {
  const answer = await enter(email, sub)
  return answer.json().link.linkToken
}

const subjectOf = (token: { accessToken: string }) => decodeJwt(token.accessToken).sub

const identitiesOf = (accountId: string | undefined) =>
  server.db
    .selectFrom('auth.identity')
    .selectAll()
    .where('account_id', '=', accountId ?? '')
    .execute()

const statusesOf = (answers: { statusCode: number }[]) =>
  answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)

test('a sample identity with a sample account’s address is offered the link, links, and signs in', async () => {
  const { token } = await server.account('developer@grove.test')
  const answer = await server.exchange('sample', await server.choose('dana'))
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({
    link: {
      linkToken: expect.stringMatching(/^[\w-]{43}$/),
      email: 'developer@grove.test',
      broker: 'sample',
      expiresIn: 900,
    },
  })
  const linked = await server.link(token.accessToken, answer.json().link.linkToken)
  expect(linked.statusCode).toBe(204)
  const signedIn = await server.exchange('sample', await server.choose('dana'))
  expect(subjectOf(signedIn.json().token)).toBe(subjectOf(token))
})

test('point 22: a verified address opens no account by itself', async () => {
  const { email, token } = await server.account()
  const answer = await enter(email)
  expect(answer.json()).not.toHaveProperty('token')
  expect(await identitiesOf(subjectOf(token))).toEqual([])
})

test('point 22: an address is the same in capitals', async () => {
  const { email } = await server.account()
  expect((await enter(email.toUpperCase())).json().link.email).toBe(email)
})

test('point 22: only the account to which it was offered can use a link', async () => {
  const victim = await server.account()
  const attacker = await server.account()
  const linkToken = await offer(victim.email)
  const refused = await server.link(attacker.token.accessToken, linkToken)
  expect(refused.json()).toMatchObject({ status: 400, code: 'invalid_link_token' })
  expect(await identitiesOf(subjectOf(attacker.token))).toEqual([])
  // The attempt has not consumed it.
  expect((await server.link(victim.token.accessToken, linkToken)).statusCode).toBe(204)
})

test('a link can be used once', async () => {
  const { email, token } = await server.account()
  const linkToken = await offer(email)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => server.link(token.accessToken, linkToken)),
  )
  expect(statusesOf(answers)).toEqual([204, 400, 400, 400, 400])
  expect(await identitiesOf(subjectOf(token))).toHaveLength(1)
})

test('a link expires after fifteen minutes and is deleted', async () => {
  const { email } = await server.account()
  const linkToken = await offer(email)
  const hour = 60 * 60_000
  await deleteExpiredLinks(server.db, new Date(server.platform.now()).toISOString())
  const count = async () =>
    (await server.db.selectFrom('auth.pending_link').select('hash').execute()).length
  const before = await count()
  expect(before).toBeGreaterThan(0)
  server.pass(15 * 60_000)
  const signedIn = await server.app.inject({
    method: 'POST',
    url: '/api/token/password',
    payload: { email, password: 'Meadow!2847', provider: 'grove' },
  })
  const late = await server.link(signedIn.json().token.accessToken, linkToken)
  expect(late.json()).toMatchObject({ code: 'invalid_link_token' })
  await deleteExpiredLinks(server.db, new Date(server.platform.now() + hour).toISOString())
  expect(await count()).toBe(0)
})

test('a new offer invalidates the older one', async () => {
  const { email, token } = await server.account()
  const first = await offer(email, 'same')
  const second = await offer(email, 'same')
  expect((await server.link(token.accessToken, first)).statusCode).toBe(400)
  expect((await server.link(token.accessToken, second)).statusCode).toBe(204)
})

test('a link token is not in the database', async () => {
  const { email } = await server.account()
  const linkToken = await offer(email)
  const rows = await server.db.selectFrom('auth.pending_link').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(linkToken)
})

test('an identity that was linked meanwhile stays where it is', async () => {
  const { email, token } = await server.account()
  const linkToken = await offer(email, 'meanwhile')
  // The account gives up the address, so that the same identity gets its own account.
  await server.db
    .updateTable('auth.account')
    .set({ email: 'given-up@grove.test' })
    .where('email', '=', email)
    .execute()
  expect((await enter(email, 'meanwhile')).statusCode).toBe(200)
  const answer = await server.link(token.accessToken, linkToken)
  expect(answer.json()).toMatchObject({ status: 409, code: 'identity_taken' })
})

test('linking proves the address that the account and the identity share', async () => {
  const { email, token } = await server.account()
  await server.link(token.accessToken, await offer(email))
  const account = await server.db
    .selectFrom('auth.account')
    .select('email_verified_at')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  expect(account.email_verified_at).not.toBeNull()
})

test('an identity is removed, and its next sign-in no longer opens the account', async () => {
  const { email, token } = await server.account()
  await server.link(token.accessToken, await offer(email, 'leaving'))
  const [identity] = await identitiesOf(subjectOf(token))
  expect((await server.unlink(token.accessToken, identity?.id ?? '')).statusCode).toBe(204)
  expect((await server.unlink(token.accessToken, identity?.id ?? '')).statusCode).toBe(404)
  expect((await enter(email, 'leaving')).json()).toHaveProperty('link')
})

// PGlite has one connection: there nothing runs between the two.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'a sign-in during the removal of its identity leaves no session behind',
  async () => {
    const { email, token } = await server.account()
    await server.link(token.accessToken, await offer(email, 'crossing'))
    const accountId = subjectOf(token) ?? ''
    const [identity] = await identitiesOf(accountId)
    const isSomebodyWaiting = async () =>
      (
        await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
        `.execute(server.db)
      ).rows.length > 0
    // The steps of the call that removes an identity, with a sign-in between them.
    const { signIn } = await server.db.transaction().execute(async (tx) => {
      await lockAccount(tx, accountId)
      const running = enter(email, 'crossing')
      await expect.poll(isSomebodyWaiting).toBe(true)
      await deleteIdentity(tx, identity?.id ?? '')
      return { signIn: running }
    })
    expect((await signIn).json()).toMatchObject({ status: 401, code: 'external_sign_in_failed' })
    const sessions = await server.db
      .selectFrom('auth.session')
      .select('method')
      .where('account_id', '=', accountId)
      .execute()
    expect(sessions).toEqual([{ method: 'signUp' }])
  },
)

test('somebody else’s identity cannot be removed', async () => {
  const { email, token } = await server.account()
  await server.link(token.accessToken, await offer(email))
  const [identity] = await identitiesOf(subjectOf(token))
  const other = await server.account()
  const answer = await server.unlink(other.token.accessToken, identity?.id ?? '')
  expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' })
  expect(await identitiesOf(subjectOf(token))).toHaveLength(1)
})

test('the last way to sign in stays, even if two are removed at once', async () => {
  const { token } = (await enter('alone@identity.test', 'alone')).json()
  const accountId = subjectOf(token) ?? ''
  const [only] = await identitiesOf(accountId)
  const rightsNow = async () =>
    (
      await server.app.inject({
        url: '/api/user/profile',
        headers: { authorization: `Bearer ${token.accessToken}` },
      })
    )
      .json<Profile>()
      .identities.map(({ rights }) => rights.unlink)
  expect(await rightsNow()).toEqual(['last_sign_in_method'])
  const refused = await server.unlink(token.accessToken, only?.id ?? '')
  expect(refused.json()).toMatchObject({ status: 409, code: 'last_sign_in_method' })
  await server.link(token.accessToken, await offer('alone@identity.test'))
  const both = await identitiesOf(accountId)
  expect(both).toHaveLength(2)
  expect(await rightsNow()).toEqual([null, null])
  const answers = await Promise.all(both.map(({ id }) => server.unlink(token.accessToken, id)))
  expect(statusesOf(answers)).toEqual([204, 409])
  expect(await identitiesOf(accountId)).toHaveLength(1)
})

test('an anonymous visitor cannot link anything, and neither can an ended session', async () => {
  const { email, token } = await server.account()
  const linkToken = await offer(email)
  const anonymous = (await server.get('/api/token/anonymous')).json().token
  expect((await server.link(anonymous.accessToken, linkToken)).statusCode).toBe(403)
  await server.app.inject({
    method: 'POST',
    url: '/api/logout',
    payload: { refreshToken: token.refreshToken, provider: 'grove' },
  })
  expect((await server.link(token.accessToken, linkToken)).statusCode).toBe(401)
})

test('linking and removal are in the audit trail', async () => {
  const { email, token } = await server.account()
  await server.link(token.accessToken, await offer(email, 'audited'))
  const [identity] = await identitiesOf(subjectOf(token))
  await server.unlink(token.accessToken, identity?.id ?? '')
  const rows = await server.db
    .withTables<{ 'auth.event': { id: number; subject: string; action: string; actor: string } }>()
    .selectFrom('auth.event')
    .select(['action', 'actor'])
    .where('subject', '=', identity?.id ?? '')
    .orderBy('id')
    .execute()
  const actor = subjectOf(token)
  expect(rows).toEqual([
    { action: 'identity.link', actor },
    { action: 'identity.unlink', actor },
  ])
})

test('removing an identity ends the sessions that it started', async () => {
  const email = `${randomUUID()}@grove.test`
  const own = await server.account(email)
  const sub = `subject-${randomUUID()}`
  await server.link(own.token.accessToken, await offer(email, sub))
  const borrowed = (await enter(email, sub)).json().token
  const [identity] = await identitiesOf(subjectOf(own.token))
  expect((await server.unlink(own.token.accessToken, identity?.id ?? '')).statusCode).toBe(204)
  const refresh = ({ refreshToken }: { refreshToken: string }) =>
    server.app.inject({
      method: 'POST',
      url: '/api/token/refresh',
      payload: { refreshToken, provider: 'grove' },
    })
  expect((await refresh(borrowed)).json().code).toBe('invalid_refresh_token')
  expect((await refresh(own.token)).statusCode).toBe(200)
})

test('the person who removes an identity stays signed in, even if by that identity', async () => {
  const email = `${randomUUID()}@grove.test`
  const { token } = await server.account(email)
  const sub = `subject-${randomUUID()}`
  await server.link(token.accessToken, await offer(email, sub))
  const borrowed = (await enter(email, sub)).json().token
  const [identity] = await identitiesOf(subjectOf(token))
  expect((await server.unlink(borrowed.accessToken, identity?.id ?? '')).statusCode).toBe(204)
  const payload = { refreshToken: borrowed.refreshToken, provider: 'grove' }
  const answer = await server.app.inject({ method: 'POST', url: '/api/token/refresh', payload })
  expect(answer.statusCode).toBe(200)
})
