import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  password,
  randomAddress,
  startAuthServer,
  type AuthServer,
} from '../testing/auth-server.ts'
import { sql } from 'kysely'
import { newestToken } from '../email/testing/mailbox.ts'
import { emailQuestionsOfAll } from './limits.ts'
import { keyOf } from './throttle.ts'
import { buildApp } from '../../../core/http/app.ts'
import { auth } from '../index.ts'
import { deleteIdleThrottles } from './throttle.queries.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())
beforeEach(() => server.db.deleteFrom('auth.throttle').execute())

const minute = 60_000
const wrong = 'Wrong2026!'

async function guess(email: string, times: number, ip: string): Promise<number[]> {
  const statuses = []
  for (let i = 0; i < times; i++) statuses.push((await server.signIn(email, wrong, ip)).statusCode)
  return statuses
}

/** A bucket as full as an attack with that many attempts leaves it. */
async function exhaust(email: string, networks: number) {
  for (let i = 0; i < networks; i++) await guess(email, 10, randomAddress())
}

test('point 4: the eleventh wrong password for an account from one network waits a minute @long', async () => {
  const { email } = await server.account()
  const ip = randomAddress()
  expect(await guess(email, 10, ip)).toEqual(Array(10).fill(401))

  const refused = await server.signIn(email, password, ip)
  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ code: 'too_many_attempts' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)

  server.pass(Number(refused.headers['retry-after']) * 1000)
  expect((await server.signIn(email, password, ip)).statusCode).toBe(200)
})

test('point 4: a neighbouring address in the same network is limited with it', async () => {
  const { email } = await server.account()
  await guess(email, 10, '198.51.100.7')
  expect((await server.signIn(email, wrong, '198.51.100.8')).statusCode).toBe(429)
  expect((await server.signIn(email, wrong, '198.51.101.8')).statusCode).toBe(401)
})

test('point 4: concurrent guesses cannot pass together', async () => {
  const { email } = await server.account()
  const ip = randomAddress()
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => server.signIn(email, wrong, ip)),
  )
  expect(answers.filter((answer) => answer.statusCode === 401)).toHaveLength(10)
  expect(answers.filter((answer) => answer.statusCode === 429)).toHaveLength(20)
})

test('point 4: processes on one database share the count', async () => {
  const { email } = await server.account()
  const other = await buildApp({ ...server.platform }, [auth])
  const ip = randomAddress()
  await guess(email, 10, ip)
  const answer = await other.inject({
    method: 'POST',
    url: '/api/token/password',
    payload: { email, password, provider: 'grove' },
    remoteAddress: ip,
  })
  expect(answer.statusCode).toBe(429)
  await other.close()
})

test('point 4: behind a proxy, a forged client address is not trusted', async () => {
  const config = { ...server.platform.config, trustsProxy: true, proxies: 1, isLocal: false }
  const app = await buildApp({ ...server.platform, config }, [auth])
  const { email } = await server.account()
  const guessThrough = async (forwardedFor: string) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/token/password',
      payload: { email, password: wrong, provider: 'grove' },
      remoteAddress: '10.0.0.1',
      headers: { 'x-forwarded-for': forwardedFor },
    })
    return answer.statusCode
  }
  for (let i = 0; i < 10; i++) expect(await guessThrough(`192.0.${i}.1, 203.0.113.7`)).toBe(401)
  expect(await guessThrough('192.0.99.1, 203.0.113.7')).toBe(429)
  expect(await guessThrough('203.0.113.7, 198.51.100.7')).toBe(401)
  await app.close()
})

test('point 4: right passwords are not counted', async () => {
  const ip = randomAddress()
  const { email } = await server.account(ip)
  for (let i = 0; i < 15; i++)
    expect((await server.signIn(email, password, ip)).statusCode).toBe(200)
})

test('point 4: one network cannot try one password on every account @long', async () => {
  const ip = randomAddress()
  const statuses = []
  for (let i = 0; i < 101; i++)
    statuses.push((await server.signIn(`nobody${i}@grove.test`, wrong, ip)).statusCode)
  expect(statuses.slice(0, 100)).toEqual(Array(100).fill(401))
  expect(statuses[100]).toBe(429)
})

test('point 4: a guesser with many networks is slowed down, and the owner still gets in @long', async () => {
  const home = randomAddress()
  const { email } = await server.account(home)
  await exhaust(email, 10)

  const fresh = await server.signIn(email, wrong, randomAddress())
  expect(fresh.statusCode).toBe(429)
  expect(Number(fresh.headers['retry-after'])).toBeLessThanOrEqual(5 * 60)
  // From the owner's known networks, as often as needed.
  expect((await server.signIn(email, password, home)).statusCode).toBe(200)
  expect((await server.signIn(email, password, home)).statusCode).toBe(200)
})

test('point 4: a single network cannot exhaust an account’s attempts for all', async () => {
  const { email } = await server.account()
  const attacker = randomAddress()
  await guess(email, 110, attacker)
  expect((await server.signIn(email, password, randomAddress())).statusCode).toBe(200)
})

test('point 4: an unknown account is limited like a known one', async () => {
  const ip = randomAddress()
  expect(await guess('nobody@grove.test', 11, ip)).toEqual([...Array(10).fill(401), 429])
})

test('point 6: sign-up, and the check whether an email exists, are limited by network', async () => {
  const ip = randomAddress()
  const ask = () => server.get('/api/user/exists/email?email=a@b.cc&provider=grove', ip)
  for (let i = 0; i < 20; i++) expect((await ask()).statusCode).toBe(200)
  expect((await ask()).statusCode).toBe(429)

  const body = { email: 'taken@grove.test', password, provider: 'grove' }
  const statuses = []
  for (let i = 0; i < 31; i++)
    statuses.push((await server.post('/api/signup', body, ip)).statusCode)
  expect(statuses).toEqual([200, ...Array(29).fill(409), 429])
})

test('a counter is deleted once its attempts have drained', async () => {
  await guess('nobody@grove.test', 3, randomAddress())
  await deleteIdleThrottles(server.db, server.platform.now())
  expect(await server.db.selectFrom('auth.throttle').selectAll().execute()).not.toHaveLength(0)
  await deleteIdleThrottles(server.db, server.platform.now() + 100 * 5 * minute)
  expect(await server.db.selectFrom('auth.throttle').selectAll().execute()).toHaveLength(0)
})

test('point 4: concurrent correct passwords do not count as guesses', async () => {
  const { email } = await server.account()
  const ip = randomAddress()
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => server.signIn(email, password, ip)),
  )
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200))
})

test('point 4: a mailed reset link opens the network in which it was used @long', async () => {
  const { email } = await server.account()
  await exhaust(email, 10)
  const away = randomAddress()
  expect((await server.signIn(email, password, away)).statusCode).toBe(429)
  await server.post('/api/send/resetPassword', { email, provider: 'grove' })
  const token = await newestToken(server, email)
  const body = { token, password: 'Another2026!', provider: 'grove' }
  expect((await server.post('/api/user/resetPassword', body, away)).statusCode).toBe(200)
  expect((await server.signIn(email, 'Another2026!', away)).statusCode).toBe(200)
  expect((await server.signIn(email, 'Another2026!', randomAddress())).statusCode).toBe(429)
})

test('point 4: a clock that was ahead blocks nobody for longer than a full bucket', async () => {
  const { email } = await server.account()
  const ip = randomAddress()
  const year = 365 * 24 * 60 * minute
  server.pass(year)
  await guess(email, 10, ip)
  server.pass(-year)
  // A row that says "in a year" is not trusted, and counts as a full bucket from then on.
  expect((await server.signIn(email, wrong, ip)).statusCode).toBe(401)
  const refused = await server.signIn(email, wrong, ip)
  expect([refused.statusCode, Number(refused.headers['retry-after']) <= 60]).toEqual([429, true])
  server.pass(5 * minute)
  expect((await server.signIn(email, password, ip)).statusCode).toBe(200)
})

test('point 6: a /56 and a /48 of IPv6 are limited as a whole', async () => {
  const ask = (ip: string) => server.get('/api/user/exists/email?email=a@b.cc&provider=grove', ip)
  let answered = 0
  for (let n = 0; n < 150; n += 1)
    if ((await ask(`2001:db8:77:${(n * 97).toString(16)}::1`)).statusCode === 200) answered += 1
  expect(answered).toBe(80)
  expect((await ask('2001:db8:78::1')).statusCode).toBe(200)
})

test('point 6: all networks together can check only a limited number of emails', async () => {
  await sql`insert into auth.throttle (key, busy_until) values (${keyOf(emailQuestionsOfAll, '')},
    ${server.platform.now() + emailQuestionsOfAll.burst * emailQuestionsOfAll.everyMs})`.execute(
    server.db,
  )
  const answer = await server.get('/api/user/exists/email?email=a@b.cc&provider=grove')
  expect(answer.statusCode).toBe(429)
})
