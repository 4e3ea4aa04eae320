import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  password,
  randomAddress,
  startAuthServer,
  type AuthServer,
} from '../testing/auth-server.ts'
import { anonymous } from '../../../core/actor.ts'
import { deleteExpiredEmailTokens } from './email.queries.ts'
import { sendLink } from './email.service.ts'
import { sendMails, mailsTo, newestToken } from './testing/mailbox.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())
beforeEach(() => server.db.deleteFrom('auth.throttle').execute())

const minute = 60_000
const hour = 60 * minute
const provider = 'grove'
const newPassword = 'Juniper2026!'

const askReset = (email: string, ip?: string) =>
  server.post('/api/send/resetPassword', { email, provider }, ip)
/** The same work, without the delay before the answer. */
const mailReset = (email: string, context = server.context) =>
  sendLink(context, anonymous({ requestId: '', ip: randomAddress(), userAgent: '' }), {
    email,
    provider,
    purpose: 'reset',
    publicOrigin: 'http://localhost:3000',
  })
const askValidation = (email: string, ip?: string) =>
  server.post('/api/send/validateEmail', { email, provider }, ip)
const reset = (token: string, chosen = newPassword) =>
  server.post('/api/user/resetPassword', { token, password: chosen, provider })
const validate = (token: string) => server.post('/api/user/validateEmail', { token, provider })

const check = (token: string, purpose = 'reset', ip?: string) =>
  server.post('/api/user/checkEmailToken', { token, purpose, provider }, ip)

const invalid = { status: 400, code: 'invalid_email_token' }

async function resetToken(email: string): Promise<string> {
  // Mails sent together arrive in any order.
  await sendMails(server)
  expect((await askReset(email)).statusCode).toBe(204)
  return newestToken(server, email)
}

const accountOf = (email: string) =>
  server.db
    .selectFrom('auth.account')
    .selectAll()
    .where('email', '=', email)
    .executeTakeFirstOrThrow()

async function set(email: string, change: { disabled_at?: string; password_hash?: null }) {
  await server.db.updateTable('auth.account').set(change).where('email', '=', email).execute()
}

async function link(email: string) {
  const at = new Date().toISOString()
  const { id } = await accountOf(email)
  await server.db
    .insertInto('auth.identity')
    .values({
      id: randomUUID(),
      account_id: id,
      broker: 'example',
      issuer: 'https://id.example.com',
      subject: randomUUID(),
      name: null,
      email: null,
      linked_at: at,
      last_used_at: at,
    })
    .execute()
}

async function identitiesOf(email: string): Promise<number> {
  const { id } = await accountOf(email)
  const rows = await server.db
    .selectFrom('auth.identity')
    .select('id')
    .where('account_id', '=', id)
    .execute()
  return rows.length
}

test('sign-up mails a link, and the link validates the address', async () => {
  const { email } = await server.account()
  expect((await accountOf(email)).email_verified_at).toBeNull()
  const answer = await validate(await newestToken(server, email))
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({ email })
  const { id, email_verified_at } = await accountOf(email)
  expect(email_verified_at).not.toBeNull()
  const { rows } = await sql`
    select actor, action, after from auth.event where subject = ${id} order by id desc limit 1
  `.execute(server.db)
  expect(rows).toEqual([{ actor: id, action: 'account.validate_email', after: { email } }])
})

test('a validated email gets no further validation mail, but still password resets', async () => {
  const { email } = await server.account()
  await validate(await newestToken(server, email))
  const before = (await mailsTo(server, email)).length
  expect((await askValidation(email)).statusCode).toBe(204)
  expect(await mailsTo(server, email)).toHaveLength(before)
  await askReset(email.toUpperCase())
  expect(await mailsTo(server, email)).toHaveLength(before + 1)
})

test('point 7: a link works once', async () => {
  const { email } = await server.account()
  const first = await newestToken(server, email)
  expect((await validate(first)).statusCode).toBe(200)
  expect((await validate(first)).json()).toMatchObject(invalid)

  const second = await resetToken(email)
  expect((await reset(second)).json()).toEqual({ email })
  expect((await reset(second, 'Another7!pear')).json()).toMatchObject(invalid)
  expect((await server.signIn(email, newPassword)).statusCode).toBe(200)
})

test('point 7: of ten uses at once, one succeeds', async () => {
  const { email } = await server.account()
  const token = await resetToken(email)
  const chosen = Array.from({ length: 10 }, (_, i) => `Juniper${i}!tree`)
  const answers = await Promise.all(chosen.map((each) => reset(token, each)))
  const winners = chosen.filter((_, i) => answers[i]?.statusCode === 200)
  expect(winners).toHaveLength(1)
  expect((await server.signIn(email, winners[0] ?? '')).statusCode).toBe(200)
  expect(answers.filter((answer) => answer.json().code === invalid.code)).toHaveLength(9)
})

test('point 7: a link for one purpose does not work for the other', async () => {
  const { email } = await server.account()
  expect((await reset(await newestToken(server, email))).json()).toMatchObject(invalid)
  expect((await validate(await resetToken(email))).json()).toMatchObject(invalid)
})

test('point 7: a reset link expires after an hour, a validation link after a day', async () => {
  const { email } = await server.account()
  const validation = await newestToken(server, email)
  const token = await resetToken(email)
  server.pass(hour)
  expect((await reset(token)).json()).toMatchObject(invalid)
  const second = await resetToken(email)
  server.pass(hour - 1)
  expect((await reset(second)).statusCode).toBe(200)

  const other = await server.account()
  const late = await newestToken(server, other.email)
  server.pass(24 * hour)
  expect((await validate(late)).json()).toMatchObject(invalid)
  expect((await validate(validation)).json()).toMatchObject(invalid)
})

test('point 7: a new link invalidates older ones of the same purpose', async () => {
  const { email } = await server.account()
  const validation = await newestToken(server, email)
  const older = await resetToken(email)
  const newer = await resetToken(email)
  expect((await reset(older)).json()).toMatchObject(invalid)
  expect((await validate(validation)).statusCode).toBe(200)
  expect((await reset(newer)).statusCode).toBe(200)
})

test('point 7: of two mails requested at once, one link works', async () => {
  const { email } = await server.account()
  await sendMails(server)
  await Promise.all([askReset(email), askReset(email), askReset(email)])
  const { id } = await accountOf(email)
  const live = await server.db
    .selectFrom('auth.email_token')
    .select('hash')
    .where('account_id', '=', id)
    .where('purpose', '=', 'reset')
    .where('used_at', 'is', null)
    .execute()
  expect(live).toHaveLength(1)
})

test('point 7: the database holds the hash of a link, never the link', async () => {
  const { email } = await server.account()
  const token = await resetToken(email)
  const row = await server.db
    .selectFrom('auth.email_token')
    .selectAll()
    .where('hash', '=', createHash('sha256').update(token).digest('base64url'))
    .executeTakeFirst()
  expect(row).toMatchObject({ email, purpose: 'reset', used_at: null })
  const everything = await sql`
    select (select json_agg(t) from auth.email_token t)::text
      || coalesce((select json_agg(t) from auth.job t)::text, '')
      || (select json_agg(t) from auth.event t)::text as text
  `.execute(server.db)
  expect(JSON.stringify(everything.rows)).not.toContain(token)
})

test('point 7: expired links are deleted', async () => {
  const { email } = await server.account()
  await resetToken(email)
  await deleteExpiredEmailTokens(server.db, new Date(Date.now() + 1000 * hour).toISOString())
  expect(await server.db.selectFrom('auth.email_token').select('hash').execute()).toEqual([])
})

test('point 8: no GET consumes a link, wherever a mail scanner puts the token', async () => {
  const { email } = await server.account()
  const token = await resetToken(email)
  const [mail] = (await mailsTo(server, email)).filter(({ text }) => text.includes(token))
  // The part of the link that a scanner sends: everything before the fragment.
  const address = /http\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  expect(new URL(address)).toMatchObject({
    pathname: '/login/reset',
    search: '',
    hash: `#${token}`,
  })
  for (const method of ['GET', 'HEAD', 'OPTIONS'] as const)
    for (const path of ['/login/reset', '/api/user/resetPassword', '/api/user/validateEmail'])
      for (const query of ['', `?token=${token}`, `/${token}`])
        await server.app.inject({ method, url: path + query })
  expect((await reset(token)).statusCode).toBe(200)
})

test('an unknown, disabled or validated email gets the same answer, but no mail', async () => {
  const disabled = (await server.account()).email
  await set(disabled, { disabled_at: new Date().toISOString() })
  const validated = (await server.account()).email
  await validate(await newestToken(server, validated))
  const known = (await server.account()).email
  const before = (await mailsTo(server, disabled)).length
  const answers = [
    await askValidation(known),
    await askValidation(`${randomUUID()}@grove.test`),
    await askValidation(disabled),
    await askValidation(validated),
    await askReset(known),
    await askReset(`${randomUUID()}@grove.test`),
    await askReset(disabled),
  ]
  for (const answer of answers) {
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]?.headers ?? {}))
  }
  expect(await mailsTo(server, disabled)).toHaveLength(before)
})

test('point 5: asking for a link costs the same statements for an unknown address as for a known one', async () => {
  const { email } = await server.account()
  const statementsFor = async (address: string) => {
    const statements: string[] = []
    const { db } = server.context
    await mailReset(address, {
      ...server.context,
      db: db.withPlugin({
        transformQuery: ({ node, queryId }) => {
          statements.push(db.getExecutor().compileQuery(node, queryId).sql)
          return node
        },
        transformResult: async ({ result }) => result,
      }),
    })
    return statements
  }
  const known = await statementsFor(email)
  expect(await statementsFor(`${randomUUID()}@grove.test`)).toEqual(known)
  expect(known).toContainEqual(expect.stringContaining('insert into "auth"."email_token"'))
})

test('point 5: a timer decides when the answer is sent, for unknown and known emails alike', async () => {
  const { email } = await server.account()
  for (const address of [email, `${randomUUID()}@grove.test`])
    for (const ask of [askReset, askValidation]) {
      const start = performance.now()
      await ask(address)
      // A timer may fire up to a millisecond early.
      expect(performance.now() - start).toBeGreaterThan(48)
    }
})

test('point 7: a network is mailed to an address three times at once, then every ten minutes', async () => {
  const { email } = await server.account()
  const ip = randomAddress()
  for (const _ of [1, 2, 3]) expect((await askReset(email, ip)).statusCode).toBe(204)
  const refused = await askReset(email, ip)
  expect(refused.json()).toMatchObject({ status: 429, code: 'too_many_attempts' })
  const wait = Number(refused.headers['retry-after'])
  expect(wait).toBeGreaterThan(590)
  expect(wait).toBeLessThanOrEqual(600)
  // Neither an unknown address nor the other purpose shares the count.
  expect((await askReset(`${randomUUID()}@grove.test`, ip)).statusCode).toBe(204)
  expect((await askValidation(email, ip)).statusCode).toBe(204)
  server.pass(wait * 1000)
  expect((await askReset(email, ip)).statusCode).toBe(204)
  expect((await askReset(email, ip)).statusCode).toBe(429)
})

test('point 7: an unknown address is throttled as a known one is', async () => {
  const [email, ip] = [`${randomUUID()}@grove.test`, randomAddress()]
  const statuses = []
  for (const _ of [1, 2, 3, 4]) statuses.push((await askReset(email, ip)).statusCode)
  expect(statuses).toEqual([204, 204, 204, 429])
})

test('point 4: a stranger cannot prevent the owner from setting a new password', async () => {
  const { email } = await server.account()
  const stranger = randomAddress()
  for (let i = 0; i < 5; i++) await askReset(email, stranger)
  await sendMails(server)
  // One network has exhausted only its own share.
  expect((await askReset(email)).statusCode).toBe(204)
  expect((await reset(await newestToken(server, email))).statusCode).toBe(200)

  // Many networks exhaust the address: the owner has to wait for another mail, but already has the
  // newest.
  for (let i = 0; i < 20; i++) {
    await askReset(email)
    await sendMails(server)
  }
  const refused = await askReset(email)
  expect(refused.statusCode).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600)
  expect((await reset(await newestToken(server, email))).statusCode).toBe(200)
})

test('one network cannot have mail sent to a list of addresses @long', async () => {
  const ip = randomAddress()
  const statuses = []
  for (let i = 0; i < 31; i++)
    statuses.push((await askReset(`${randomUUID()}@grove.test`, ip)).statusCode)
  expect(statuses.filter((status) => status === 204)).toHaveLength(30)
  expect(statuses.at(-1)).toBe(429)
})

test('a new password ends every session and every other link, validates the email, and is reported by mail', async () => {
  const { email, token } = await server.account()
  const validation = await newestToken(server, email)
  const other = (await server.signIn(email, password)).json().token
  expect((await reset(await resetToken(email))).statusCode).toBe(200)
  for (const { refreshToken } of [token, other])
    expect((await server.refresh(refreshToken)).statusCode).toBe(401)
  expect((await server.signIn(email, password)).statusCode).toBe(401)
  expect((await server.signIn(email, newPassword)).statusCode).toBe(200)
  expect((await validate(validation)).json()).toMatchObject(invalid)
  const { id, email_verified_at } = await accountOf(email)
  expect(email_verified_at).not.toBeNull()
  const [mail] = await mailsTo(server, email)
  expect(mail).toMatchObject({ subject: 'Your Grove password was changed' })
  const { rows } = await sql<{ action: string }>`
    select action from auth.event where subject = ${id} order by id
  `.execute(server.db)
  expect(rows.map(({ action }) => action)).toEqual([
    'account.create',
    'account.reset_password',
    'session.revoke',
  ])
})

test('the first proof of an email by a new password removes identities that someone else linked before', async () => {
  const { email } = await server.account()
  await link(email)
  await reset(await resetToken(email))
  expect(await identitiesOf(email)).toBe(0)

  // Once the address is proven, linked identities are the owner's.
  await link(email)
  await reset(await resetToken(email), 'Another7!pear')
  expect(await identitiesOf(email)).toBe(1)
})

test('an account without a password gets one', async () => {
  const { email } = await server.account()
  await set(email, { password_hash: null })
  expect((await server.signIn(email, password)).statusCode).toBe(401)
  expect((await reset(await resetToken(email))).statusCode).toBe(200)
  expect((await server.signIn(email, newPassword)).statusCode).toBe(200)
})

test('a link of an account that was disabled meanwhile does nothing', async () => {
  const { email } = await server.account()
  const [validation, token] = [await newestToken(server, email), await resetToken(email)]
  await set(email, { disabled_at: new Date().toISOString() })
  expect((await validate(validation)).json()).toMatchObject(invalid)
  expect((await reset(token)).json()).toMatchObject(invalid)
})

test('a refused password does not consume the link', async () => {
  const { email } = await server.account()
  const token = await resetToken(email)
  for (const [chosen, code] of [
    ['short', 'password_length'],
    ['Password1!', 'password_common'],
  ] as const) {
    const answer = await reset(token, chosen)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors[0]).toMatchObject({ path: 'password', code })
  }
  expect((await reset(token)).statusCode).toBe(200)
})

test.each(['', 'made-up', 'x'.repeat(512), '🌳', "'; drop table auth.account; --"])(
  'the made-up link %.20j is not a link',
  async (token) => {
    for (const answer of [await validate(token), await reset(token)])
      expect(answer.statusCode).toBe(400)
  },
)

test('a link can be checked without using it', async () => {
  const { email } = await server.account()
  const token = await resetToken(email)
  expect((await check(token)).statusCode).toBe(204)
  expect((await check(token)).statusCode).toBe(204)
  expect((await check(token, 'validate')).json()).toMatchObject(invalid)
  expect((await reset(token)).json()).toEqual({ email })
  expect((await check(token)).json()).toMatchObject(invalid)
  expect((await check('unknown')).json()).toMatchObject(invalid)
})

test('checks of links are throttled by network', async () => {
  const answers = []
  for (let count = 0; count < 31; count += 1)
    answers.push((await check('unknown', 'reset', '192.0.2.77')).statusCode)
  expect(answers.slice(0, 30)).toEqual(Array(30).fill(400))
  expect(answers[30]).toBe(429)
})

test('an account that someone else created with an email is returned without their name and role', async () => {
  const { settings } = server.context
  const accountOf = (email: string) =>
    server.db
      .selectFrom('auth.account')
      .select(['name', 'roles'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
  const takeBack = async (hasSelfServiceDevelopers: boolean) => {
    const email = `${randomUUID()}@grove.test`
    const squatter = { email, password, provider: 'grove', name: 'Squatter', role: 'DEVELOPER' }
    expect((await server.post('/api/signup', squatter)).statusCode).toBe(200)
    Object.assign(settings, { hasSelfServiceDevelopers })
    const token = await resetToken(email)
    const body = { token, password: 'Another2026!', provider: 'grove' }
    expect((await server.post('/api/user/resetPassword', body)).statusCode).toBe(200)
    Object.assign(settings, { hasSelfServiceDevelopers: true })
    return accountOf(email)
  }
  expect(await takeBack(false)).toEqual({ name: null, roles: ['CUSTOMER'] })
  // If anyone may be a developer, the role gives nothing that the owner lacked.
  expect(await takeBack(true)).toEqual({ name: null, roles: ['DEVELOPER'] })
})
