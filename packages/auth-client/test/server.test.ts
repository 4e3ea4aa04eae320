import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AuthError } from '../src/index.ts'
import { type AdminSignInOptions, createAdminSignIn } from '../src/server/index.ts'
import { answer, drop, hold, startAuthServer } from './auth-server.ts'

const PASSWORD = '/api/token/password'
const REFRESH = '/api/token/refresh'

async function setUp(options: AdminSignInOptions = {}) {
  const server = await startAuthServer()
  onTestFinished(() => server.close())
  const time = { now: Date.now() }
  const environment = {
    GROVE_AUTH_URL: server.url,
    GROVE_ADMIN_EMAIL: 'admin@grove.test',
    GROVE_ADMIN_PASSWORD: 'Grove2026!',
    GROVE_AUTH_PROVIDER: 'grove',
  }
  const admin = createAdminSignIn({ environment, clock: () => time.now, ...options })
  const calls = () => server.calls.map((call) => call.path)
  return { server, time, environment, admin, calls }
}

describe('the settings', () => {
  const whole = {
    GROVE_AUTH_URL: 'http://auth.test',
    GROVE_ADMIN_EMAIL: 'admin@grove.test',
    GROVE_ADMIN_PASSWORD: 'Grove2026!',
    GROVE_AUTH_PROVIDER: 'grove',
  }

  test.each(Object.keys(whole))('without %s one sentence names it', (name) => {
    const environment = { ...whole, [name]: undefined }
    const sentence = `${name} is not set: the admin sign-in needs it.`
    expect(() => createAdminSignIn({ environment })).toThrow(sentence)
    expect(() => createAdminSignIn({ environment: { ...whole, [name]: '' } })).toThrow(sentence)
  })

  test('an invalid address is named', () => {
    const environment = { ...whole, GROVE_AUTH_URL: 'auth.test' }
    const named = /^GROVE_AUTH_URL must be an http or https address\.$/
    expect(() => createAdminSignIn({ environment })).toThrow(named)
  })

  test.each(['me:secret', 'secret', ':secret'])('credentials in it (%s) are not shown', (part) => {
    const environment = { ...whole, GROVE_AUTH_URL: `https://${part}@auth.test` }
    const sentence = /^GROVE_AUTH_URL must not carry credentials\.$/
    expect(() => createAdminSignIn({ environment })).toThrow(sentence)
  })

  test('are the process’s own, unless they are given', async () => {
    const { server, environment } = await setUp()
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    await createAdminSignIn({ email: 'given@grove.test' }).getAuthorization()
    expect(server.calls[0]?.body).toEqual({
      email: 'given@grove.test',
      password: 'Grove2026!',
      provider: 'grove',
    })
  })
})

describe('the authorization', () => {
  test('I22: is requested with email, password and provider, once for all callers, and kept', async () => {
    const { server, admin } = await setUp()
    const values = await Promise.all(Array.from({ length: 20 }, () => admin.getAuthorization()))
    expect(new Set(values).size).toBe(1)
    expect(values[0]).toMatch(/^Bearer /)
    expect(await admin.getAuthorization()).toBe(values[0])
    expect(server.calls).toHaveLength(1)
    const [call] = server.callsTo(PASSWORD)
    expect(call?.method).toBe('POST')
    expect(call?.headers['api-version']).toBe('1')
    expect(call?.body).toEqual({
      email: 'admin@grove.test',
      password: 'Grove2026!',
      provider: 'grove',
    })
  })

  test('is refreshed shortly before its end, once for all callers', async () => {
    const { server, admin, time, calls } = await setUp()
    const first = await admin.getAuthorization()
    time.now += 569_000
    expect(await admin.getAuthorization()).toBe(first)
    time.now += 2000
    const values = await Promise.all(Array.from({ length: 20 }, () => admin.getAuthorization()))
    expect(new Set(values).size).toBe(1)
    expect(values[0]).not.toBe(first)
    expect(calls()).toEqual([PASSWORD, REFRESH])
    expect(server.callsTo(REFRESH)[0]?.body).toEqual({
      refreshToken: expect.any(String) as string,
      provider: 'grove',
    })
  })

  test('lives from the time of its request, however long the answer took', async () => {
    const { server, admin, time, calls } = await setUp()
    server.fail(PASSWORD, () => void (time.now += 100_000))
    await admin.getAuthorization()
    time.now += 480_000
    await admin.getAuthorization()
    expect(calls()).toEqual([PASSWORD, REFRESH])
  })

  test.each([2 * 3600, -2 * 3600])('is kept with a clock off by %i seconds', async (ahead) => {
    const { server, admin, time } = await setUp()
    server.settings.ahead = ahead
    const first = await admin.getAuthorization()
    time.now += 500_000
    expect(await admin.getAuthorization()).toBe(first)
  })

  test('is renewed when the clock was set back, since its age is unknown', async () => {
    const { admin, time, calls } = await setUp()
    await admin.getAuthorization()
    time.now -= 7_200_000
    await admin.getAuthorization()
    await admin.getAuthorization()
    expect(calls()).toEqual([PASSWORD, REFRESH])
  })

  test('needs a new sign-in when the refresh token is refused or missing', async () => {
    const { server, admin, time, calls } = await setUp()
    await admin.getAuthorization()
    server.endAllSessions()
    time.now += 601_000
    expect(await admin.getAuthorization()).toMatch(/^Bearer /)
    expect(calls()).toEqual([PASSWORD, REFRESH, PASSWORD])
    const accessToken = await server.sign({ sub: 'admin' })
    server.endAllSessions()
    server.fail(PASSWORD, answer(200, { token: { tokenType: 'Bearer', accessToken } }))
    time.now += 601_000
    expect(await admin.getAuthorization()).toBe(`Bearer ${accessToken}`)
    time.now += 601_000
    await admin.getAuthorization()
    expect(calls().slice(-2)).toEqual([PASSWORD, PASSWORD])
  })

  test('a service that does not rotate keeps its first refresh token', async () => {
    const { server, admin, time, calls } = await setUp()
    await admin.getAuthorization()
    const accessToken = await server.sign({ sub: 'admin' })
    server.fail(REFRESH, answer(200, { token: { tokenType: 'Bearer', accessToken } }))
    for (let life = 0; life < 2; life++) {
      time.now += 601_000
      await admin.getAuthorization()
    }
    expect(calls()).toEqual([PASSWORD, REFRESH, REFRESH])
  })

  test.each([
    ['failing', answer(503, { code: 'database_unavailable' })],
    ['unreachable', drop],
  ])('I23: a %s service returns no expired token', async (_, fault) => {
    const { server, admin, time, calls } = await setUp()
    const first = await admin.getAuthorization()
    time.now += 580_000
    server.fail(REFRESH, fault)
    expect(await admin.getAuthorization()).toBe(first)
    time.now += 2000
    expect(await admin.getAuthorization()).not.toBe(first)
    expect(calls()).toEqual([PASSWORD, REFRESH, REFRESH])
  })

  test('I24: rejects with the server’s body, and retries after a second', async () => {
    const { server, admin, time, calls } = await setUp()
    server.fail(PASSWORD, answer(429, { code: 'too_many_attempts' }))
    const refused = { code: 'too_many_attempts' }
    await expect(admin.getAuthorization()).rejects.toEqual(refused)
    await expect(admin.getAuthorization()).rejects.toEqual(refused)
    expect(calls()).toHaveLength(1)
    time.now += 1000
    expect(await admin.getAuthorization()).toMatch(/^Bearer /)
  })

  test('I23: an expired token and a failing refresh reject as well', async () => {
    const { server, admin, time, calls } = await setUp()
    await admin.getAuthorization()
    time.now += 601_000
    server.fail(REFRESH, answer(503, { code: 'database_unavailable' }))
    await expect(admin.getAuthorization()).rejects.toEqual({ code: 'database_unavailable' })
    time.now += 1000
    expect(await admin.getAuthorization()).toMatch(/^Bearer /)
    expect(calls()).toEqual([PASSWORD, REFRESH, REFRESH])
  })

  test('rejects with the HTTP error without an answer, and for an answer without a token', async () => {
    const { server, admin, time } = await setUp()
    server.fail(PASSWORD, drop, answer(200, {}))
    await expect(admin.getAuthorization()).rejects.toBeInstanceOf(AuthError)
    time.now += 1000
    await expect(admin.getAuthorization()).rejects.toThrow(
      '/api/token/password was answered without a token',
    )
  })

  test('a silent service is given up after ten seconds, or the given time', async () => {
    const { server, admin, environment } = await setUp()
    const never = [hold(), hold()] as const
    server.fail(PASSWORD, never[0].fault, never[1].fault)
    const real = globalThis.setTimeout
    const shortened = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((work: () => void, delay?: number) =>
        real(work, delay === 10_000 ? 50 : delay),
      )
    await expect(admin.getAuthorization()).rejects.toThrow('timeout of 10000ms exceeded')
    shortened.mockRestore()
    const limited = createAdminSignIn({ environment, timeout: 40 }).getAuthorization()
    await expect(limited).rejects.toThrow('timeout of 40ms exceeded')
    for (const { release } of never) release()
  })

  test.each([
    ['400', answer(400, { error: 'invalid_request' })],
    ['401 without a body', answer(401, '')],
    ['403 as a page', answer(403, '<h1>no</h1>')],
    ['404', answer(404, {})],
  ])('a refresh refused with %s is followed by a sign-in with the password', async (_, fault) => {
    const { server, admin, time } = await setUp()
    await admin.getAuthorization()
    time.now += 601_000
    server.fail('/api/token/refresh', fault)
    expect(await admin.getAuthorization()).toMatch(/^Bearer /)
    expect(server.callsTo(PASSWORD)).toHaveLength(2)
  })
})

describe('fetch', () => {
  test('carries the authorization and the api-version', async () => {
    const { server, admin } = await setUp()
    const response = await admin.fetch(`${server.url}/thing`, { apiVersion: '1.7' })
    expect(response.status).toBe(200)
    expect(server.callsTo('/thing')[0]?.headers['api-version']).toBe('1.7')
  })

  test('answers a 401 with one renewal for all callers, and one retry', async () => {
    const { server, admin, time, calls } = await setUp()
    await admin.getAuthorization()
    server.forgetAccessTokens()
    time.now += 11_000
    const tries = Array.from({ length: 5 }, () => admin.fetch(`${server.url}/thing`))
    const statuses = (await Promise.all(tries)).map((response) => response.status)
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(calls().filter((path) => path === REFRESH)).toHaveLength(1)
  })

  test('I25: a token refused on arrival is not renewed over and over', async () => {
    const { server, admin, calls } = await setUp()
    await admin.getAuthorization()
    server.fail('/thing', answer(401, {}), answer(401, {}))
    for (let call = 0; call < 2; call++) {
      expect((await admin.fetch(`${server.url}/thing`)).status).toBe(401)
    }
    expect(calls()).toEqual([PASSWORD, '/thing', '/thing'])
  })

  test('signs in again after a 401 when the session is over; a failing service passes on the 401', async () => {
    const { server, admin, time, calls } = await setUp()
    await admin.getAuthorization()
    server.endAllSessions()
    time.now += 11_000
    server.fail(REFRESH, answer(503, {}))
    expect((await admin.fetch(`${server.url}/thing`)).status).toBe(401)
    time.now += 11_000
    expect((await admin.fetch(`${server.url}/thing`)).status).toBe(200)
    expect(calls().slice(-4)).toEqual(['/thing', REFRESH, PASSWORD, '/thing'])
  })
})
