import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, startAuthServer, type AuthServer } from '../../testing/auth-server.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const hashOf = (email: string) =>
  server.db
    .selectFrom('auth.account')
    .select('password_hash')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
    .then((row) => row.password_hash)

test('point 1: a password is kept as argon2id with 19 MiB, two passes and one lane', async () => {
  const { email } = await server.account()
  expect(await hashOf(email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('point 1: equal passwords have different hashes', async () => {
  const [one, two] = [await server.account(), await server.account()]
  expect(await hashOf(one.email)).not.toBe(await hashOf(two.email))
})

test.each([
  ['fewer passes', { memoryCost: 19_456, timeCost: 1, parallelism: 1 }],
  ['less memory', { memoryCost: 8192, timeCost: 2, parallelism: 1 }],
  ['argon2i', { memoryCost: 19_456, timeCost: 2, parallelism: 1, algorithm: 1 }],
])('point 1: a hash made with %s is made again at sign-in', async (_, parameters) => {
  const { email } = await server.account()
  const old = await hash(password, parameters)
  await server.db
    .updateTable('auth.account')
    .set({ password_hash: old })
    .where('email', '=', email)
    .execute()

  expect((await server.signIn(email, 'Wrong2026!')).statusCode).toBe(401)
  expect(await hashOf(email)).toBe(old)

  expect((await server.signIn(email, password)).statusCode).toBe(200)
  const renewed = await hashOf(email)
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)

  expect((await server.signIn(email, password)).statusCode).toBe(200)
  expect(await hashOf(email)).toBe(renewed)
})
