import { expect, test as base, type Page } from '@playwright/test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthClient } from '../../packages/auth-client/src/index.ts'
import { startPlatform } from '../../apps/platform/src/core/testing/platform-process.ts'
import { startForeignServer, type ForeignServer } from './auth-server.ts'
import { callback, deviations, loginParameters, specified } from './specification.ts'

// The console with an authentication service that follows the specification and no more. Every
// request that the service receives is compared with section 7, whatever a test does.

const password = 'Acme2026!'

const test = base.extend<{ foreign: ForeignServer }, { server: ForeignServer; url: string }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const server = await startForeignServer()
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ],
  url: [
    async ({ server }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'grove-foreign-'))
      const { url, stop } = await startPlatform({
        GROVE_DATA: folder,
        GROVE_SERVICES: 'cedar,maple,console',
        GROVE_REALM: server.realm,
        GROVE_AUTH_API_URL: server.origin,
        GROVE_AUTH_JWKS_URL: server.jwksUrl,
        GROVE_AUTH_TOKENS: 'foreign',
        GROVE_AUTH_ISSUER: server.issuer,
        GROVE_AUTH_CLIENT_ID: 'grove-console',
      })
      server.settings.redirect = `${url}/login/callback`
      await use(url)
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ url }, use) => use(url),
  foreign: async ({ server }, use) => {
    server.reset()
    await use(server)
    const calls = [...specified, callback(server.callbackPath)]
    for (const request of server.requests)
      expect([request.method, request.path, deviations(request, calls)]).toEqual([
        request.method,
        request.path,
        [],
      ])
  },
})

// One platform for all of these tests.
test.describe.configure({ mode: 'default' })

async function fillSignIn(page: Page, email: string, secret = password) {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const paths = (foreign: ForeignServer) => foreign.requests.map(({ path }) => path)

test('signing in, working and signing out', async ({ page, foreign }) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  await page.goto('/login?from=/dashboard/cedar/mobile')
  await fillSignIn(page, 'dev@acme.test', 'Wrong2026!')
  await expect(page.getByRole('alert')).toContainText('wrong')
  await fillSignIn(page, 'dev@acme.test')
  await page.waitForURL(/^[^?]+\/dashboard\/cedar\/mobile/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My apps')
  // Cedar verifies the foreign token by its public key, and answers.
  await expect(page.getByRole('heading', { name: 'Publish your first mini-app' })).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/$/)
  await expect.poll(() => foreign.requestsTo('/api/logout').length).toBe(1)
  expect(foreign.requestsTo('/api/logout')[0]?.body?.['provider']).toBe('acme')
})

test('signing up @long', async ({ page, foreign }) => {
  await page.goto('/signup')
  await page.getByRole('textbox', { name: 'Email' }).fill('new@acme.test')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL(/^[^?]+\/dashboard/)
  expect(foreign.requestsTo('/api/signup')).toHaveLength(1)
})

test('external login: there, back, and signed in at the requested page', async ({
  page,
  foreign,
}) => {
  foreign.add('admin@acme.test', password, ['ADMIN'])
  await page.goto('/dashboard/maple/devices')
  await page.waitForURL('**/login?**')
  await page.getByRole('button', { name: /single sign-on/i }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to Acme' })).toBeVisible()
  const [login] = foreign.logins
  expect(Object.keys(login ?? {}).toSorted()).toEqual(loginParameters.toSorted())
  expect(login).toMatchObject({
    client_id: 'grove-console',
    redirect_uri: foreign.settings.redirect,
    response_type: 'code',
    scope: 'profile offline_access openid',
    prompt: 'select_account consent',
  })
  await page.getByRole('link', { name: 'admin@acme.test' }).click()
  await page.waitForURL('**/dashboard/maple/devices**')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(foreign.requestsTo(foreign.callbackPath)).toHaveLength(1)
})

test('external login that is cancelled signs nobody in and says so @long', async ({
  page,
  foreign,
}) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  await page.goto('/login')
  await page.getByRole('button', { name: /single sign-on/i }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page.getByText(/cancelled/i)).toBeVisible()
  expect(paths(foreign)).not.toContain(foreign.callbackPath)
})

test('a guest gets an anonymous token and sees the public catalogue @long', async ({
  page,
  foreign,
}) => {
  await page.goto('/login')
  await page.getByRole('link', { name: /guest/i }).click()
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByText('Nothing is published yet')).toBeVisible()
  expect(foreign.requestsTo('/api/token/anonymous')).toHaveLength(1)
})

test('an expired access token is refreshed once for a page full of calls @long', async ({
  page,
  foreign,
}) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  foreign.settings.lifetime = 3
  await page.goto('/login')
  await fillSignIn(page, 'dev@acme.test')
  await page.waitForURL(/^[^?]+\/dashboard/)
  for (let round = 1; round <= 2; round += 1) {
    // Only time counts here: the token has to expire.
    await page.waitForTimeout(3500)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
    expect(foreign.requestsTo('/api/token/refresh')).toHaveLength(round)
  }
})

test('a service that is down keeps the session; one that ended it leads back to the login @long', async ({
  page,
  foreign,
}) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  foreign.settings.lifetime = 2
  await page.goto('/login')
  await fillSignIn(page, 'dev@acme.test')
  await page.waitForURL(/^[^?]+\/dashboard/)
  await page.waitForTimeout(2500)
  foreign.settings.isDown = true
  await page.reload()
  await expect(page.getByRole('button', { name: /try again/i })).toBeVisible()
  foreign.settings.isDown = false
  await page.getByRole('button', { name: /try again/i }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
  await page.waitForTimeout(2500)
  foreign.endAllSessions()
  await page.reload()
  await page.waitForURL('**/login?**')
})

for (const [name, status] of [
  ['refused', 400],
  ['not answered', 503],
] as const)
  test(`after a refresh that is ${name} the sign-in page is still reachable @long`, async ({
    page,
    foreign,
  }) => {
    foreign.add('dev@acme.test', password, ['DEVELOPER'])
    foreign.settings.lifetime = 2
    await page.goto('/login')
    await fillSignIn(page, 'dev@acme.test')
    await page.waitForURL(/^[^?]+\/dashboard/)
    // Only time counts here: the token has to expire.
    await page.waitForTimeout(2500)
    await page.route('**/api/token/refresh', (route) =>
      route.fulfill({
        status,
        json: { message: 'Not now.' },
        headers: { 'access-control-allow-origin': '*' },
      }),
    )
    await page.goto('/login')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    foreign.settings.lifetime = 300
    await fillSignIn(page, 'dev@acme.test')
    await page.waitForURL(/^[^?]+\/dashboard/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
    expect(new URL(page.url()).pathname).not.toBe('/login')
  })

test('a customer has no dashboard, and nothing is requested that the service does not have @long', async ({
  page,
  foreign,
}) => {
  foreign.add('customer@acme.test', password, ['CUSTOMER'])
  await page.goto('/login')
  await expect(page.getByRole('link', { name: /forgotten/i })).toHaveCount(0)
  await page.goto('/dashboard')
  await fillSignIn(page, 'customer@acme.test')
  await expect(page.getByText('no role of your account opens the dashboard')).toBeVisible()
})

test('the account pages show the contents of a bare token @long', async ({ page, foreign }) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  await page.goto('/login')
  await fillSignIn(page, 'dev@acme.test')
  await page.waitForURL(/^[^?]+\/dashboard/)
  await page.goto('/dashboard/cedar/account')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto('/dashboard/cedar/account/details')
  await expect(page.getByText('DEVELOPER').first()).toBeVisible()
  await expect(page.getByText('acme').first()).toBeVisible()
})

test('a silent service can be given up, and the message of a refusing one is shown @long', async ({
  page,
}) => {
  let answer: { status: number; json: object } | undefined
  await page.route('**/api/token/password', async (route) => {
    // Without an answer the call stays open until the page gives up.
    const headers = { 'access-control-allow-origin': '*' }
    if (answer) await route.fulfill({ ...answer, headers })
  })
  await page.goto('/login')
  await fillSignIn(page, 'dev@acme.test')
  await page.getByRole('button', { name: 'Cancel' }).click()
  const problem = page.getByRole('alert').filter({ hasText: /./ })
  await expect(problem).toContainText('cancelled')
  const send = page.getByRole('button', { name: 'Sign in', exact: true })
  answer = { status: 403, json: { message: 'Acme is closed on Sundays.' } }
  await send.click()
  await expect(problem).toContainText('closed on Sundays')
  answer = { status: 200, json: {} }
  await send.click()
  await expect(problem).toContainText('gave no session')
})

test('a Cedar that answers a bare list, or has no catalogue, breaks no page', async ({
  page,
  foreign,
}) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  await page.route(/\/api\/developer\/product\?/, (route) => route.fulfill({ json: [] }))
  await page.route(/\/api\/catalogue/, (route) => route.fulfill({ status: 404, json: {} }))
  await page.goto('/login?from=/dashboard/cedar/mobile')
  await fillSignIn(page, 'dev@acme.test')
  await expect(page.getByRole('heading', { name: 'Publish your first mini-app' })).toBeVisible()
  await page.goto('/')
  await expect(page.getByText('This service has no public catalogue.')).toBeVisible()
})

test('a token that no key of the service verifies signs out, and shows nothing private @long', async ({
  page,
  foreign,
}) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  await page.goto('/login')
  await fillSignIn(page, 'dev@acme.test')
  await page.waitForURL(/^[^?]+\/dashboard/)
  await page.evaluate(() => {
    for (const [key, text] of Object.entries(localStorage)) {
      if (!key.includes('/user/')) continue
      const record = JSON.parse(text as string) as { accessToken: string }
      const [head, , signature] = record.accessToken.split('.')
      const claims = JSON.parse(atob(record.accessToken.split('.')[1] ?? '')) as object
      const forged = btoa(JSON.stringify({ ...claims, roles: ['ADMIN'] })).replaceAll('=', '')
      localStorage.setItem(
        key,
        JSON.stringify({ ...record, accessToken: `${head}.${forged}.${signature}` }),
      )
    }
  })
  await page.reload()
  await expect(page).toHaveURL(/\/login/)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('every call of the client follows the specification', async ({ foreign }) => {
  foreign.add('dev@acme.test', password, ['DEVELOPER'])
  const items = new Map<string, string>()
  const client = createAuthClient({
    authUrl: foreign.origin,
    realm: foreign.realm,
    stage: 'foreign',
    storage: {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
    },
    verification: { jwksUrl: foreign.jwksUrl },
  })
  const body = { email: 'dev@acme.test', password, provider: foreign.realm }
  await client.stageAuth()
  await client.info('acme')
  await client.globalInfo('acme')
  expect(await client.emailExists('dev@acme.test')).toBe(true)
  await client.sendEmailValidation('dev@acme.test')
  expect(await client.getAnonymousAuthorization()).toMatch(/^Bearer /)
  expect(await client.signUp({ ...body, email: 'other@acme.test' })).toBe(true)
  expect(await client.signIn(body)).toBe(true)
  expect(await client.refresh()).toBe(true)
  expect(await client.tokenDetails()).toMatchObject({ is_valid: true, provider: 'acme' })
  await client.signOut()
  await expect.poll(() => foreign.requestsTo('/api/logout').length).toBe(1)
  const called = new Set(paths(foreign))
  expect(specified.filter(({ path }) => !called.has(path))).toEqual([])
  client.close()
})
