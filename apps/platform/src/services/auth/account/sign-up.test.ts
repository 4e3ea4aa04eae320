import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, startAuthServer, tokenOf, type AuthServer } from '../testing/auth-server.ts'
import { createAccount } from './parts/create-account.ts'

let server: AuthServer
let production: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
  production = await startAuthServer({ env: { GROVE_SELF_SERVICE_DEVELOPERS: 'off' } })
})
afterAll(() => Promise.all([server.close(), production.close()]))

const unused = () => `${randomUUID()}@grove.test`
const signUp = (body: object, on = server) => on.post('/api/signup', { provider: 'grove', ...body })

async function rolesOf(answer: Awaited<ReturnType<typeof signUp>>) {
  return (await server.app.verifyAccessToken(tokenOf(answer).accessToken)).roles
}

test('sign-up creates a customer and signs in', async () => {
  const answer = await signUp({ email: unused(), password })
  expect(answer.statusCode).toBe(200)
  expect(tokenOf(answer)).toMatchObject({ tokenType: 'Bearer', refreshToken: expect.any(String) })
  expect(await rolesOf(answer)).toEqual(['CUSTOMER'])
})

test('name and locale are kept as sent, in any script', async () => {
  const [email, name] = [unused(), "Иван 🌳 «ﺎﻠﻋ» <b>&amp;</b>'; drop table auth.account; --"]
  expect((await signUp({ email, password, name, locale: 'ru-RU' })).statusCode).toBe(200)
  const row = await server.db
    .selectFrom('auth.account')
    .select(['name', 'locale'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ name, locale: 'ru-RU' })
})

test('the developer role can be requested only if the stage allows it', async () => {
  const body = { email: unused(), password, role: 'DEVELOPER' }
  expect(await rolesOf(await signUp(body))).toEqual(['DEVELOPER'])

  const refused = await signUp(body, production)
  expect(refused.statusCode).toBe(400)
  expect(refused.json().errors).toMatchObject([{ path: 'role', code: 'role_refused' }])
  expect((await signUp({ ...body, role: 'CUSTOMER' }, production)).statusCode).toBe(200)
})

test('the admin role can never be requested', async () => {
  const answer = await signUp({ email: unused(), password, role: 'ADMIN' })
  expect(answer.statusCode).toBe(400)
  expect(answer.json().errors).toMatchObject([{ path: 'role', code: 'enum' }])
})

test('point 6: a taken email is refused in general terms, whatever its case', async () => {
  const { email } = await server.account()
  for (const taken of [email, email.toUpperCase()]) {
    const answer = await signUp({ email: taken, password })
    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toMatchObject({ code: 'sign_up_refused' })
    expect(answer.body).not.toContain(email)
  }
})

test('of two sign-ups with one email at once, one gets the account', async () => {
  const email = unused()
  const answers = await Promise.all(Array.from({ length: 5 }, () => signUp({ email, password })))
  const statuses = answers.map((answer) => answer.statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(4)
})

test.each([
  ['', 'email'],
  ['no at sign', 'email'],
  ['a@b', 'email'],
  ['a@b.c', 'email'],
  ['a b@c.de', 'email'],
  ['a@b.cc\n', 'email'],
  [' a@b.cc', 'email'],
  ['почта@пример.рф', 'email'],
  [`${'a'.repeat(250)}@b.cc`, 'maxLength'],
])(
  'the email %j is refused by name at sign-up, sign-in and the check for accounts',
  async (email, code) => {
    const errors = [{ path: 'email', code }]
    for (const answer of [
      await signUp({ email, password }),
      await server.signIn(email, password),
      await server.get(`/api/user/exists/email?provider=grove&email=${encodeURIComponent(email)}`),
    ]) {
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toMatchObject({ code: 'invalid_request', errors })
    }
  },
)

test.each([
  ['Aa1@567', ['password_length']],
  ['Aa1@56789012345678901', ['password_length']],
  ['grove2026!', ['password_uppercase']],
  ['GROVE2026!', ['password_lowercase']],
  ['GroveGrove!', ['password_digit']],
  ['Grove2026', ['password_special']],
  ['Grove 2026!', ['password_allowed']],
  ['Grove2026!ё', ['password_allowed']],
  ['', ['length', 'lowercase', 'uppercase', 'digit', 'special'].map((rule) => `password_${rule}`)],
])('the password %j breaks %j', async (broken, codes) => {
  const answer = await signUp({ email: unused(), password: broken })
  expect(answer.statusCode).toBe(400)
  expect(answer.json().errors).toEqual(
    codes.map((code) => ({ path: 'password', code, message: expect.any(String) })),
  )
})

test('all invalid fields are reported at once', async () => {
  const answer = await signUp({ email: 'nobody', password: 'Grove2026' })
  expect(answer.json().errors).toMatchObject([
    { path: 'email', code: 'email' },
    { path: 'password', code: 'password_special' },
  ])
})

test('the check whether an email exists ignores case', async () => {
  const { email } = await server.account()
  const ask = async (address: string) =>
    (await server.get(`/api/user/exists/email?provider=grove&email=${address}`)).json()
  expect(await ask(email.toUpperCase())).toEqual({ exists: true })
  expect(await ask(unused())).toEqual({ exists: false })
})

test('an account is created once, and then found', async () => {
  const account = {
    email: `Sample-${unused()}`,
    password,
    roles: ['DEVELOPER'],
    name: 'Sample',
    locale: 'en-US',
  } as const
  const ids = await Promise.all([1, 2, 3].map(() => createAccount(server.context, account)))
  expect(new Set(ids).size).toBe(1)
  expect(await createAccount(server.context, account)).toBe(ids[0])
  const answer = await server.signIn(account.email, password)
  expect(await rolesOf(answer)).toEqual(['DEVELOPER'])
})
