import { auth } from '../index.ts'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  sendJson,
  startHostileProvider,
  tokenAnswer,
  type HostileProvider,
} from './testing/hostile-provider.ts'
import { startExternalServer, type ExternalServer } from './testing/external-server.ts'
import { password } from '../testing/auth-server.ts'

let server: ExternalServer
let hostile: HostileProvider
beforeAll(async () => {
  hostile = await startHostileProvider()
  server = await startExternalServer([hostile.provider])
})
afterAll(async () => {
  await server.close()
  await hostile.close()
})
beforeEach(() => hostile.reset())

const form = { Code: 'code', Nonce: 'nonce' }

/** A person at the hostile provider, which behaves here: a new subject with these claims. */
let subjects = 0
async function person(claims: Record<string, unknown> = {}) {
  const sub = `person-${++subjects}`
  hostile.behaviour.token = async () => tokenAnswer(await hostile.idToken({ sub }))
  hostile.behaviour.userInfo = { sub, ...claims }
  return sub
}

const accountOf = (answer: { json: () => { token: { accessToken: string } } }) =>
  decodeJwt(answer.json().token.accessToken).sub ?? ''

const readAccount = (id: string) =>
  server.db.selectFrom('auth.account').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const countAccounts = async () =>
  (await server.db.selectFrom('auth.account').select('id').execute()).length

test('a sample identity signs in: an account with its verified address, and a session', async () => {
  const answer = await server.exchange('sample', await server.choose('iris'))
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-store')
  const { token } = answer.json()
  expect(token).toMatchObject({ tokenType: 'Bearer', refreshToken: expect.any(String) })
  expect(decodeJwt(token.accessToken)).toMatchObject({ provider: 'grove', roles: ['DEVELOPER'] })
  const id = accountOf(answer)
  expect(await readAccount(id)).toMatchObject({
    email: 'iris@identity.test',
    email_verified_at: expect.any(String),
    password_hash: null,
    name: 'Iris Identity',
    locale: 'en-US',
  })
  const sessions = await server.db.selectFrom('auth.session').selectAll().execute()
  expect(sessions).toMatchObject([{ account_id: id, method: 'external' }])
  const again = await server.exchange('sample', await server.choose('iris'))
  expect(accountOf(again)).toBe(id)
})

test('the audit trail records it, with the person according to the provider', async () => {
  const sub = await person({ name: 'Au Dit' })
  const id = accountOf(await server.exchange('hostile', form))
  const rows = await server.db
    .withTables<{ 'auth.event': { id: number; actor: string; action: string; after: unknown } }>()
    .selectFrom('auth.event')
    .select(['action', 'after'])
    .where('actor', '=', id)
    .orderBy('id')
    .execute()
  expect(rows).toMatchObject([
    { action: 'account.create', after: { email: null, name: 'Au Dit', roles: ['CUSTOMER'] } },
    {
      action: 'identity.link',
      after: { broker: 'hostile', issuer: hostile.issuer, subject: sub },
    },
    { action: 'session.start', after: { method: 'external' } },
  ])
})

test.each([
  ['Iris\u202e gnp.exe', 'Iris gnp.exe'],
  ['\u200b', null],
])('the provider’s name %j is kept as people see it', async (given, name) => {
  await person({ name: given })
  const id = accountOf(await server.exchange('hostile', form))
  expect(await readAccount(id)).toMatchObject({ name })
})

test('point 22: an identity is its issuer and subject: another name and address change nothing', async () => {
  const sub = await person({ email: 'first@identity.test', email_verified: true })
  const id = accountOf(await server.exchange('hostile', form))
  hostile.behaviour.userInfo = { sub, email: 'second@identity.test', email_verified: true }
  expect(accountOf(await server.exchange('hostile', form))).toBe(id)
  expect((await readAccount(id)).email).toBe('first@identity.test')
})

test('point 22: the same subject at another issuer is someone else', async () => {
  const sub = await person()
  const id = accountOf(await server.exchange('hostile', form))
  await server.db
    .updateTable('auth.identity')
    .set({ issuer: 'https://elsewhere.test' })
    .where('subject', '=', sub)
    .execute()
  expect(accountOf(await server.exchange('hostile', form))).not.toBe(id)
})

test.each([
  ['unverified', { email_verified: false }],
  ['not said to be verified', {}],
  ['verified in words alone', { email_verified: 'true' }],
])('point 22: an address that is %s neither links nor names an account', async (_name, flag) => {
  const { email } = await server.account()
  await person({ email, ...flag })
  const answer = await server.exchange('hostile', form)
  expect(answer.json()).not.toHaveProperty('link')
  expect(await readAccount(accountOf(answer))).toMatchObject({
    email: null,
    email_verified_at: null,
  })
})

test('point 22: an address of the ID token is not verified by the flag of the user info', async () => {
  const { email } = await server.account()
  const sub = await person({ email: 'other@identity.test', email_verified: true })
  hostile.behaviour.token = async () => tokenAnswer(await hostile.idToken({ sub, email }))
  const answer = await server.exchange('hostile', form)
  expect(await readAccount(accountOf(answer))).toMatchObject({ email: null })
})

test('names and languages that cannot be stored are left out', async () => {
  await person({ name: 'x'.repeat(101), locale: 'ru', email: 'no address', email_verified: true })
  const account = await readAccount(accountOf(await server.exchange('hostile', form)))
  expect(account).toMatchObject({ name: null, locale: 'ru-RU', email: null })
  await person({ name: 'null \0 character', locale: 7 })
  const other = await readAccount(accountOf(await server.exchange('hostile', form)))
  expect(other).toMatchObject({ name: null, locale: 'en-US' })
})

test('a disabled account is refused', async () => {
  await person()
  const id = accountOf(await server.exchange('hostile', form))
  await server.db
    .updateTable('auth.account')
    .set({ disabled_at: new Date().toISOString() })
    .where('id', '=', id)
    .execute()
  const answer = await server.exchange('hostile', form)
  expect(answer.statusCode).toBe(403)
  expect(answer.json()).toMatchObject({ code: 'account_disabled' })
})

test('two first sign-ins of one identity at once make one account', async () => {
  await person({ email: 'twice@identity.test', email_verified: true })
  const before = await countAccounts()
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => server.exchange('hostile', form)),
  )
  expect(new Set(answers.map(accountOf)).size).toBe(1)
  expect(await countAccounts()).toBe(before + 1)
})

test('two identities with the same new email at once: one gets the account, the other is offered the link', async () => {
  const email = 'both@identity.test'
  hostile.behaviour.token = async () =>
    tokenAnswer(
      await hostile.idToken({ sub: `both-${++subjects}`, name: 'B', email, email_verified: true }),
    )
  const answers = await Promise.all([
    server.exchange('hostile', form),
    server.exchange('hostile', form),
  ])
  const bodies = answers.map((answer) => answer.json())
  expect(bodies.filter(({ token }) => token)).toHaveLength(1)
  expect(bodies.filter(({ link }) => link)).toMatchObject([{ link: { email } }])
})

test('a client of the bare specification sends neither nonce, verifier nor issuer', async () => {
  const { Code } = await server.choose('iris')
  // The embedded provider bound the code to a verifier, so it refuses a request without one.
  expect((await server.exchange('sample', { Code: Code ?? '' })).statusCode).toBe(401)
  await person()
  const answer = await server.exchange('hostile', { Code: 'code' })
  expect(answer.json().token).toMatchObject({ tokenType: 'Bearer' })
})

test('guessed codes are limited by network; correct ones do not count', async () => {
  await person()
  const ip = '198.51.100.7'
  for (let i = 0; i < 3; i++)
    expect((await server.exchange('hostile', form, ip)).statusCode).toBe(200)
  hostile.behaviour.instead['/token'] = (response) =>
    sendJson(response, { error: 'invalid_grant' }, 400)
  const statuses: number[] = []
  for (let i = 0; i < 62; i++)
    statuses.push((await server.exchange('hostile', form, ip)).statusCode)
  const refused = statuses.filter((status) => status === 429)
  // The platform's clock runs meanwhile, which may free one more.
  expect(refused.length).toBeGreaterThanOrEqual(1)
  expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(60)
  const last = await server.exchange('hostile', form, ip)
  expect(last.headers['retry-after']).toBeDefined()
})

test('point 25: an external sign-in starts a session of its own each time', async () => {
  await person()
  const first = await server.exchange('hostile', form)
  const second = await server.exchange('hostile', form)
  const [a, b] = [first, second].map((answer) => decodeJwt(answer.json().token.accessToken))
  expect(a?.sub).toBe(b?.sub)
  expect(a?.['sid']).not.toBe(b?.['sid'])
})

test('an account without a password cannot be opened with one', async () => {
  await person({ email: 'nopassword@identity.test', email_verified: true })
  await server.exchange('hostile', form)
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/token/password',
    payload: { email: 'nopassword@identity.test', password, provider: 'grove' },
  })
  expect(answer.json()).toMatchObject({ code: 'wrong_credentials' })
})

test('the embedded provider is offered only if nobody else can reach the process', async () => {
  const { platform } = server
  const ids = async (isLocal: boolean) => {
    const { settings } = await auth.open({ ...platform, config: { ...platform.config, isLocal } })
    return settings.openIdProviders.map(({ id }) => id)
  }
  expect(await ids(true)).toEqual(['sample'])
  expect(await ids(false)).toEqual([])
})
