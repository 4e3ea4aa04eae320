import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, startAuthServer, type AuthServer } from './testing/auth-server.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const email = 'someone@grove.test'
const provider = 'grove'

test.each([
  ['/api/token/password', { password, provider }, 'email'],
  ['/api/token/password', { email, provider }, 'password'],
  ['/api/token/password', { email, password }, 'provider'],
  ['/api/token/password', { email: [email], password, provider }, 'email'],
  ['/api/token/password', { email, password: 12345678, provider }, 'password'],
  ['/api/token/password', { email, password: null, provider }, 'password'],
  ['/api/token/password', { email, password, provider, admin: true }, 'admin'],
  ['/api/token/password', { email, password, provider: 'x'.repeat(3000) }, 'provider'],
  ['/api/token/password', { email, password: '\0', provider }, 'password'],
  ['/api/token/password', { email, password: '\ud800', provider }, 'password'],
  ['/api/signup', { email, password, provider, name: '' }, 'name'],
  ['/api/signup', { email, password, provider, name: 'x'.repeat(3000) }, 'name'],
  ['/api/signup', { email, password, provider, locale: 'de-DE' }, 'locale'],
  ['/api/signup', { email, password, provider, roles: ['ADMIN'] }, 'roles'],
  ['/api/token/refresh', { provider }, 'refreshToken'],
  ['/api/token/refresh', { refreshToken: '', provider }, 'refreshToken'],
  ['/api/token/refresh', { refreshToken: 'x'.repeat(513), provider }, 'refreshToken'],
  ['/api/logout', { refreshToken: {}, provider }, 'refreshToken'],
])('%s with %o names %s', async (url, body, path) => {
  const answer = await server.post(url, body)
  expect(answer.statusCode).toBe(400)
  expect(answer.headers['content-type']).toContain('application/problem+json')
  expect(answer.json().errors[0].path).toContain(path)
})

test.each([
  ["' or 1=1; --", 401],
  ['$argon2id$v=19$m=19456,t=2,p=1$aaaa$bbbb', 401],
  ['пароль🌳', 401],
  ['x'.repeat(1024), 401],
  ['x'.repeat(1025), 400],
  ['x'.repeat(3000), 400],
  ['x'.repeat(100_000), 413],
  ['x'.repeat(1_000_000), 413],
])('sign-in with the password %.20s… is answered %i', async (unusual, status) => {
  const start = performance.now()
  expect((await server.signIn(email, unusual)).statusCode).toBe(status)
  // Hashing a megabyte in several passes would take far longer.
  expect(performance.now() - start).toBeLessThan(5000)
})

test.each(['made up', 'x'.repeat(512), '\u202e', '🌳', "'; drop table auth.session; --"])(
  'the refresh token %.20j is invalid and no fault',
  async (refreshToken) => {
    expect((await server.refresh(refreshToken)).json()).toMatchObject({
      code: 'invalid_refresh_token',
    })
    expect((await server.logout(refreshToken)).statusCode).toBe(204)
  },
)

test('an unknown api-version is refused', async () => {
  const answer = await server.app.inject({
    url: '/api/token/anonymous',
    headers: { 'api-version': '2' },
  })
  expect(answer.json()).toMatchObject({ code: 'unsupported_api_version' })
})

test('point 24: every answer that may carry a secret forbids caching, failures too', async () => {
  const { token } = await server.account()
  for (const answer of [
    await server.signIn(email, 'Wrong2026!'),
    await server.signIn('nobody', password),
    await server.refresh(token.refreshToken),
    await server.refresh('made up'),
    await server.get('/api/token/anonymous'),
    await server.get(`/api/user/exists/email?email=${email}&provider=grove`),
    await server.logout(token.refreshToken),
  ])
    expect(answer.headers['cache-control']).toBe('no-store')
})

test('point 21: no way to sign in sets a cookie, so none is missing after a redirect from another site', async () => {
  const { email, token } = await server.account()
  const answers = [
    await server.signIn(email, password),
    await server.refresh(token.refreshToken),
    await server.get('/api/token/anonymous'),
    await server.get('/api/stage/auth'),
    await server.app.inject({
      method: 'POST',
      url: '/api/token/external/sample',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: 'session=made-up' },
      payload: 'Provider=grove&RedirectUrl=https%3A%2F%2Felsewhere.test&Code=x',
    }),
  ]
  for (const answer of answers) expect(answer.headers['set-cookie']).toBeUndefined()
  // The authorization URL uses the redirect response mode, which is the default.
  expect(answers[3]?.body).not.toContain('form_post')
})

test('point 24: no password and no token reaches the log, not even when the database fails', async () => {
  const lines: string[] = []
  server.app.log.level = 'trace'
  const stream = Object.getOwnPropertySymbols(server.app.log).find(
    (symbol) => symbol.description === 'pino.stream',
  )
  const log = server.app.log as unknown as Record<symbol, { write: (line: string) => void }>
  if (!stream || !log[stream]) throw new Error('The logger has no stream to listen to.')
  log[stream].write = (line) => lines.push(line)

  const account = await server.account()
  const { accessToken, refreshToken } = account.token
  await server.signIn(account.email, password)
  await server.signIn(account.email, 'Wrong2026!')
  await server.get(`/api/user/exists/email?email=${account.email}&provider=grove`)
  const next = (await server.refresh(refreshToken)).json().token
  await server.app.inject({
    method: 'POST',
    url: '/api/logout',
    headers: { authorization: `Bearer ${accessToken}` },
    payload: { refreshToken, provider },
  })
  await server.database.close()
  const failed = await server.signIn(account.email, password)
  expect(failed.statusCode).toBeGreaterThanOrEqual(500)
  expect((await server.refresh(next.refreshToken)).statusCode).toBeGreaterThanOrEqual(500)

  const text = lines.join('')
  // One for each response, and more for each failure.
  expect(lines.length).toBeGreaterThan(8)
  const secrets = [password, 'Wrong2026!', accessToken, refreshToken, next.refreshToken]
  for (const secret of [...secrets, next.accessToken, account.email])
    expect(text).not.toContain(secret)
})
