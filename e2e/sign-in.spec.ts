import { randomUUID } from 'node:crypto'
import { accountPage } from './support/account-pages.ts'
import { loginPage } from './support/login-page.ts'
import { dropKeysInPage } from './support/network.ts'
import { expectAccessible } from './support/page-checks.ts'
import {
  expect,
  ownPassword,
  password,
  sample,
  signIn,
  signInAsNewDeveloper,
  test,
} from './support/test.ts'

test('a developer signs in, sees the dashboard, and logs out to the start page', async ({
  page,
}) => {
  await signIn(page, sample.developer)
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile/)
  const menu = page.getByRole('navigation').first()
  await expect(menu.getByText('My apps')).toBeVisible()
  await expect(menu.getByText('Devices')).toHaveCount(0)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
})

test('after logout the Back button shows nothing private', async ({ page }) => {
  await signIn(page, sample.developer)
  await expect(page.getByText('Habit Garden')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/$/)
  await page.goBack()
  await expect(page.getByText('Habit Garden')).toHaveCount(0)
  await expect(page).not.toHaveURL(/\/dashboard/)
})

test('a visit while signed out leads to login and afterwards back, with its query', async ({
  page,
}) => {
  await page.goto('/dashboard/maple/devices?state=%5B%22online%22%5D&sort=id')
  await expect(page).toHaveURL(/\/login/)
  const query = new URL(page.url()).searchParams.get('from')
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.admin)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard/maple/devices**')
  expect(query).toContain('/dashboard/maple/devices?')
  expect(new URL(page.url()).search).toContain('sort=id')
  expect(decodeURIComponent(page.url())).toContain('online')
})

test('a sign-in page that waits in a second tab follows the sign-in of the first', async ({
  page,
  context,
}) => {
  const second = await context.newPage()
  await second.goto('/login?from=%2Fdashboard%2Fcedar%2Faccount')
  await expect(second.getByRole('textbox', { name: 'Email' })).toBeVisible()
  await signIn(page, sample.developer)
  await expect(second).toHaveURL(/\/dashboard\/cedar\/account$/)
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
})

test('a visit never leads to another site after sign-in', async ({ page, baseURL }) => {
  for (const from of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
  ]) {
    await page.goto(`/login?from=${encodeURIComponent(from)}`)
    await page.getByRole('textbox', { name: 'Email' }).fill(sample.developer)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/^[^?]+\/dashboard/)
    expect(new URL(page.url()).origin).toBe(new URL(baseURL ?? '').origin)
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/$/)
  }
})

test('a wrong password and a malformed email are explained, and what was typed stays', async ({
  page,
}) => {
  await page.goto('/login')
  const email = page.getByRole('textbox', { name: 'Email' })
  const secret = page.getByLabel('Password', { exact: true })
  await email.fill('not-an-address')
  await secret.fill('x')
  await page.keyboard.press('Enter')
  await expect(
    page.getByText('Enter a valid email address, such as name@example.com.'),
  ).toBeVisible()
  await expect(email).toBeFocused()
  await email.fill('nobody@grove.test')
  await secret.fill('Wrong2026!')
  await page.keyboard.press('Enter')
  await expect(
    page.getByText('The email or the password is wrong. Check both and try again.'),
  ).toBeVisible()
  await expect(email).toHaveValue('nobody@grove.test')
})

test.describe('in Russian', () => {
  test.use({ locale: 'ru-RU' })
  test('the same failures are explained in Russian', async ({ page }) => {
    await page.goto('/login')
    await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
    await page.locator('[name=email]').fill('nobody@grove.test')
    await page.locator('[name=password]').fill('Wrong2026!')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText(/[а-яё]{4}/i)
    await page.route('**/api/token/password', (route) => route.abort('connectionrefused'))
    await page.locator('[name=password]').press('Enter')
    await expect(page.getByRole('alert')).toContainText('соединение')
  })
})

test('the page says that the service is out of reach, and signing in works once it answers', async ({
  page,
}) => {
  await page.goto('/login')
  await page.route('**/api/token/password', (route) => route.abort('connectionrefused'))
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.developer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(
    page.getByText('The service cannot be reached. Check your connection and try again.'),
  ).toBeVisible()
  await page.unroute('**/api/token/password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/^[^?]+\/dashboard/)
})

test('pressing twice signs in once', async ({ page }) => {
  let calls = 0
  await page.route('**/api/token/password', async (route) => {
    calls++
    await route.continue()
  })
  await page.goto('/login')
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.developer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).dblclick()
  await page.waitForURL(/^[^?]+\/dashboard/)
  expect(calls).toBe(1)
})

test('the form stays closed until the page that was asked for is there', async ({ page }) => {
  const login = loginPage(page)
  await login.open('/dashboard/cedar/mobile')
  const words = await login.signIn.evaluateHandle((button) => {
    const seen: (string | null)[] = []
    const options = { subtree: true, childList: true, characterData: true }
    new MutationObserver(() => seen.push(button.textContent)).observe(button, options)
    return seen
  })
  await login.fill(sample.developer)
  await expect(page.getByText('Habit Garden')).toBeVisible()
  expect(await words.jsonValue()).toEqual(['Signing in…'])
})

test('a page is named once its words have come', async ({ page }) => {
  let release = () => {}
  const arrival = new Promise<void>((done) => (release = done))
  await page.route('**/assets/account-*.js', async (route) => {
    await arrival
    await route.continue()
  })
  const asked = page.waitForRequest('**/assets/account-*.js')
  await signIn(page, sample.developer)
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await asked
  await expect(page).not.toHaveTitle('Account · Grove')
  release()
  await expect(page).toHaveTitle('Account · Grove')
})

test('a page whose words do not arrive says so, and tries again', async ({ page }) => {
  await signIn(page, sample.developer)
  await page.route('**/assets/cedar-*.js', (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This page could not be shown' })).toBeVisible()
})

test('what was told to one person is gone when the next signs in', async ({ page }) => {
  const email = `${randomUUID()}@grove.test`
  await page.goto('/signup')
  await loginPage(page).email.fill(email)
  await loginPage(page).secret.fill(ownPassword)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await expect(page.getByText(`We sent an email to ${email}.`)).toBeVisible()
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  const own = accountPage(page)
  await own.name.fill('Alder')
  await own.save.click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByText(email)).toHaveCount(0)
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await expect(loginPage(page).email).toHaveValue('')
  await loginPage(page).fill(sample.developer)
  await expect(page).toHaveURL(/\/dashboard$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
  await expect(page.getByText('Saved', { exact: true })).toHaveCount(0)
})

test('a new developer signs up with the rules shown as they are met', async ({ page }) => {
  await page.goto('/signup')
  await page.getByRole('textbox', { name: 'Email' }).fill(`${randomUUID()}@grove.test`)
  const rules = page.getByRole('list', { name: 'Password rules' })
  const secret = page.getByLabel('Password', { exact: true })
  await secret.fill('abc')
  await expect(rules.getByText('a lowercase letter')).toContainText('met')
  await expect(rules.getByText('a digit')).toContainText('not met yet')
  await page.getByRole('button', { name: 'Create an account' }).click()
  await expect(page.getByText('The password must meet every rule.')).toBeVisible()
  await secret.fill(ownPassword)
  await expect(rules.getByText('not met yet')).toHaveCount(0)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL('**/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
})

test('a customer sees why the dashboard is closed and can sign out', async ({ page }) => {
  await page.goto('/dashboard')
  await loginPage(page).fill(sample.customer)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('no role of your account opens the dashboard')).toBeVisible()
  await page
    .getByRole('button', { name: /Logout|Sign out/ })
    .first()
    .click()
  await expect(page).toHaveURL(/\/$/)
})

test('a customer who asked for no page comes to the start page', async ({ page }) => {
  await loginPage(page).open()
  await loginPage(page).fill(sample.customer)
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
})

test('a guest sees the start page with an anonymous token, and can sign in later', async ({
  page,
}) => {
  const answer = page.waitForResponse('**/api/token/anonymous')
  await loginPage(page).open('/dashboard/cedar/mobile')
  await loginPage(page).guest.click()
  await expect(page).toHaveURL(/\/$/)
  expect((await answer).ok()).toBe(true)
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await loginPage(page).fill(sample.developer)
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
})

test('the email typed follows to the other sign-in pages and back, the password never', async ({
  page,
}) => {
  const login = loginPage(page)
  await login.open('/dashboard/cedar/mobile')
  await login.email.fill('half@grove.test')
  await login.secret.fill('Half2026!')
  await login.signUp.click()
  await expect(login.email).toHaveValue('half@grove.test')
  await expect(login.secret).toHaveValue('')
  await login.email.fill('whole@grove.test')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(login.email).toHaveValue('whole@grove.test')
  await expect(login.secret).toHaveValue('')
  await expect(login.secret).toBeFocused()
  await login.forgotten.click()
  await expect(login.email).toHaveValue('whole@grove.test')
  await page.getByRole('link', { name: 'Back to sign in' }).click()
  await page.reload()
  await expect(login.email).toHaveValue('whole@grove.test')
  expect(new URL(page.url()).searchParams.get('from')).toBe('/dashboard/cedar/mobile')
})

test('a session that has ended leads to login, says so, and back to where it was', async ({
  page,
}) => {
  await signInAsNewDeveloper(page)
  const email = await page.evaluate(() => sessionStorage.getItem('grove.email'))
  await page.goto('/dashboard/cedar/mobile?sort=title')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  // The service ends it; the access token is one that nobody verifies.
  const calls: string[] = []
  page.on('request', (request) => calls.push(new URL(request.url()).pathname))
  await page.route('**/api/token/refresh', (route) =>
    route.fulfill({ status: 401, json: { code: 'invalid_refresh_token', status: 401 } }),
  )
  await page.evaluate(() => {
    for (const [key, text] of Object.entries(localStorage)) {
      if (!key.includes('/user/')) continue
      const record = JSON.parse(text as string) as { accessToken: string; receivedAt: number }
      record.accessToken = record.accessToken.replace(/.{6}$/, 'AAAAAA')
      // A token that has just come is not refreshed.
      record.receivedAt -= 60_000
      localStorage.setItem(key, JSON.stringify(record))
    }
  })
  await page.reload()
  const login = loginPage(page)
  await expect(login.ended).toBeVisible()
  await expect(login.email).toHaveValue(email ?? '')
  expect(new URL(page.url()).searchParams.get('from')).toContain('/dashboard/cedar/mobile')
  expect(calls.filter((path) => path === '/api/user/info').length).toBeLessThanOrEqual(2)
  await expectAccessible(page)
  await page.unroute('**/api/token/refresh')
  await login.secret.fill(password)
  await login.signIn.click()
  await page.waitForURL('**/dashboard/cedar/mobile**')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('a service that cannot say whether a session is good keeps it and offers another try', async ({
  page,
}) => {
  await signInAsNewDeveloper(page)
  await dropKeysInPage(page)
  await page.route('**/.well-known/jwks.json', (route) => route.abort('connectionrefused'))
  await page.route('**/api/user/info', (route) => route.fulfill({ status: 503, json: {} }))
  await page.reload()
  await expect(page.getByRole('heading', { name: /could not be checked/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'My apps' })).toHaveCount(0)
  // A token is good once it is verified by a key, whatever the service says of it.
  await page.unroute('**/api/user/info')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: /could not be checked/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'My apps' })).toHaveCount(0)
  // The page asks again by itself.
  await page.unroute('**/.well-known/jwks.json')
  await expect(page.getByRole('heading', { name: 'My apps' })).toBeVisible({ timeout: 30_000 })
})

test('the page says that it is offline and closes the form; what was typed is sent when it is back', async ({
  page,
  context,
}) => {
  const login = loginPage(page)
  await login.open('/dashboard/cedar/mobile')
  await expect(login.broker).toBeVisible()
  await login.email.fill(sample.developer)
  await login.secret.fill(password)
  await context.setOffline(true)
  await expect(login.offline).toBeVisible()
  await expect(login.signIn).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)
  await login.secret.press('Enter')
  await expect(login.signIn).toBeVisible()
  await context.setOffline(false)
  await expect(login.offline).toHaveCount(0)
  await expect(login.email).toHaveValue(sample.developer)
  await expect(login.secret).toHaveValue(password)
  await login.signIn.click()
  await page.waitForURL('**/dashboard/cedar/mobile**')
})

test('a service that does not tell its ways to sign in takes a password all the same', async ({
  page,
}) => {
  await page.route('**/api/stage/auth', (route) => route.abort('connectionrefused'))
  const login = loginPage(page)
  await login.open()
  await login.fill(sample.developer)
  await page.waitForURL(/^[^?]+\/dashboard/)
})

test('the ways to sign in arrive late without moving the form', async ({ page }) => {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  await page.route('**/api/stage/auth', async (route) => {
    await promise
    await route.continue()
  })
  const login = loginPage(page)
  await login.open()
  await expect(login.signIn).toBeVisible()
  const places = () =>
    Promise.all(
      [login.email, login.secret, login.signIn, login.signUp].map((part) => part.boundingBox()),
    )
  const before = await places()
  await expect(login.broker).toHaveCount(0)
  resolve()
  await expect(login.broker).toBeVisible()
  expect(await places()).toEqual(before)
})

test('signing out in one tab closes the private pages of another', async ({ context }) => {
  const first = await context.newPage()
  await signIn(first, sample.developer)
  const second = await context.newPage()
  await second.goto('/dashboard/cedar/mobile')
  await expect(second.getByText('Habit Garden')).toBeVisible()
  await first.getByRole('button', { name: 'Logout' }).click()
  await expect(second).toHaveURL(/\/(login.*)?$/)
  await expect(second.getByText('Habit Garden')).toHaveCount(0)
})
