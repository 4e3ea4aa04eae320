import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { password, startAuthServer, type AuthServer } from '../../testing/auth-server.ts'
import { isCommonPassword } from './common-password.ts'

let server: AuthServer
let list: Server
let asked: IncomingMessage[] = []
let answer: (response: ServerResponse) => void = (response) => response.end()
beforeAll(async () => {
  server = await startAuthServer()
  list = createServer((request, response) => {
    asked.push(request)
    answer(response)
  })
  await new Promise<void>((resolve) => {
    list.listen(0, '127.0.0.1', resolve)
  })
})
afterAll(async () => {
  await server.close()
  list.closeAllConnections()
  list.close()
})
afterEach(() => {
  server.context.settings.breachedPasswordsUrl = undefined
  asked = []
})

const signUp = (chosen: string, email = `${randomUUID()}@grove.test`) =>
  server.post('/api/signup', { email, password: chosen, provider: 'grove' })

const listUrl = () => `http://127.0.0.1:${(list.address() as AddressInfo).port}/range`

test.each(['Grove2026!', 'gROVE2026!'])(
  'the public sample password opens no new account: %s',
  async (chosen) => {
    const refused = await signUp(chosen)
    expect([refused.statusCode, refused.json().errors?.[0]]).toMatchObject([
      400,
      { path: 'password', code: 'password_common' },
    ])
    const { email, token } = await server.account()
    const changed = await server.app.inject({
      method: 'PUT',
      url: '/api/user/password',
      headers: { authorization: `Bearer ${token.accessToken}` },
      payload: { password, newPassword: chosen },
    })
    expect([changed.statusCode, changed.json().errors?.[0]]).toMatchObject([
      400,
      { path: 'newPassword', code: 'password_common' },
    ])
    expect((await server.signIn(email, password)).statusCode).toBe(200)
  },
)

test('point 2: passwords have eight characters at least, and every character counts', async () => {
  const tooShort = await signUp('tR7!kqW')
  expect(tooShort.json().errors).toMatchObject([{ code: 'password_length' }])
  const email = `${randomUUID()}@grove.test`
  const longest = 'tR7!kqWztR7!kqWztR7!'
  expect((await signUp(longest, email)).statusCode).toBe(200)
  expect((await server.signIn(email, `${longest.slice(0, -1)}?`)).statusCode).toBe(401)
  expect((await server.signIn(email, longest)).statusCode).toBe(200)
})

test.each(['Password1!', 'P@ssw0rd2026', 'Dragon2026!!', '1Q2w3e4r!', 'Qwerty123!', '!!Welcome99'])(
  'point 3: the common password %s is refused, even when disguised',
  async (common) => {
    const refused = await signUp(common)
    expect(refused.statusCode).toBe(400)
    expect(refused.json().errors).toMatchObject([{ path: 'password', code: 'password_common' }])
  },
)

test.each([password, 'Acme2026!', 'tR7!kqWz', 'aA1@aaaa', 'CorrectHorse7!Staple'])(
  'point 3: the password %s is not common',
  async (fine) => expect(await isCommonPassword(fine)).toBe(false),
)

test('a password that contains the name of its address is refused; a name of three letters is ignored', async () => {
  const id = Date.now()
  const refused = await signUp('xJuniper77!', `Juniper@${id}.grove.test`)
  expect(refused.json().errors).toMatchObject([{ path: 'password', code: 'password_email' }])
  expect((await signUp('xJun77!pier', `jun@${id}.grove.test`)).statusCode).toBe(200)
})

test('point 3: a breached password is refused, and only five digits of its hash leave the server', async () => {
  server.context.settings.breachedPasswordsUrl = listUrl()
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
  answer = (response) => response.end(`${'0'.repeat(35)}:12\r\n${hash.slice(5)}:3\r\n`)
  const refused = await signUp(password)
  expect(refused.json().errors).toMatchObject([{ path: 'password', code: 'password_breached' }])
  expect(asked.map(({ url }) => url)).toEqual([`/range/${hash.slice(0, 5)}`])
  expect(asked[0]?.headers['add-padding']).toBe('true')
})

test('point 3: padding and the hashes of others refuse nothing', async () => {
  server.context.settings.breachedPasswordsUrl = listUrl()
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
  answer = (response) => response.end(`${hash.slice(5)}:0\r\n${'A'.repeat(35)}:9\r\n`)
  expect((await signUp(password)).statusCode).toBe(200)
})

test.each([
  ['fails', (response: ServerResponse) => response.writeHead(500).end()],
  ['breaks off', (response: ServerResponse) => response.destroy()],
  ['is silent', () => {}],
  [
    'leads elsewhere',
    (response: ServerResponse) => response.writeHead(302, { location: '/' }).end(),
  ],
  ['never ends', (response: ServerResponse) => void response.write('A'.repeat(2_000_000))],
])('point 3: a list that %s stops nobody, and the log says so @long', async (_, behaviour) => {
  server.context.settings.breachedPasswordsUrl = listUrl()
  answer = behaviour
  const warnings: unknown[] = []
  server.app.log.warn = (_fields: unknown, message?: string) => void warnings.push(message)
  const start = performance.now()
  expect((await signUp(password)).statusCode).toBe(200)
  expect(performance.now() - start).toBeLessThan(4000)
  expect(asked).toHaveLength(1)
  expect(warnings).toEqual(['The list of breached passwords does not answer'])
})
