import type { Page } from '@playwright/test'
import { accountPage } from '../support/account-pages.ts'
import { answerElse, drop, refuse, type Answers } from '../support/answers.ts'
import { appAnswers, appOf } from '../support/app-answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { loginPage } from '../support/login-page.ts'
import { dropKeysInPage } from '../support/network.ts'
import { expectAccessible } from '../support/page-checks.ts'
import { expect, people, testAs, type Person } from '../support/page-test.ts'
import { infoOf, signInAnswers, tokenOf, withBroker } from '../support/sign-in-answers.ts'
import { ownPassword, password } from '../support/test.ts'

const emptyPage = { items: [], next: null, previous: null }
/** What the pages of these tests show. */
const lists = (): Answers => ({
  ...appAnswers([appOf({ 'en-US': 'Habit Garden' })]),
  ...homeAnswers(),
  'GET /api/catalogue/product': emptyPage,
})
const visitorTo = (someone: Person) =>
  testAs(null, () => ({ ...lists(), ...signInAnswers(someone) }))

const visitor = visitorTo(people.developer)
const developer = testAs(people.developer, lists)

const myApps = '/dashboard/cedar/mobile'
const { email } = people.developer
const logout = (page: Page) => page.getByRole('button', { name: 'Logout' }).click()

developer('after logout the Back button shows nothing private', async ({ page }) => {
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'My apps' }).first().click()
  await expect(page.getByText('Habit Garden')).toBeVisible()
  await logout(page)
  await expect(page).toHaveURL(/\/$/)
  await page.goBack()
  await expect(page).toHaveURL(/\/login/)
  await expect(page.getByText('Habit Garden')).toHaveCount(0)
  await expect(page).not.toHaveURL(/\/dashboard/)
})

visitorTo(people.admin)(
  'a visit while signed out leads to login and then back, with its query',
  async ({ page, calls }) => {
    calls.answer({
      'GET /api/maple/device': { ...emptyPage, isTruncated: false },
      'GET /api/maple/device/view': { items: [] },
    })
    await page.goto('/dashboard/maple/devices?state=%5B%22online%22%5D&sort=id')
    await expect(page).toHaveURL(/\/login/)
    const query = new URL(page.url()).searchParams.get('from')
    await loginPage(page).fill(people.admin.email)
    await page.waitForURL('**/dashboard/maple/devices**')
    expect(query).toContain('/dashboard/maple/devices?')
    expect(new URL(page.url()).search).toContain('sort=id')
    expect(decodeURIComponent(page.url())).toContain('online')
  },
)

visitor(
  'a sign-in page in a second tab follows the sign-in of the first',
  async ({ page, context }) => {
    const second = await context.newPage()
    await loginPage(second).open('/dashboard/cedar/account')
    await expect(loginPage(second).email).toBeVisible()
    await loginPage(page).open(myApps)
    await loginPage(page).fill(email)
    await expect(second).toHaveURL(/\/dashboard\/cedar\/account$/)
    await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  },
)

visitor('a visit never leads to another site after sign-in', async ({ page, baseURL }) => {
  for (const from of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
  ]) {
    await loginPage(page).open(from)
    await loginPage(page).fill(email)
    await page.waitForURL(/^[^?]+\/dashboard/)
    expect(new URL(page.url()).origin).toBe(new URL(baseURL ?? '').origin)
    await logout(page)
    await expect(page).toHaveURL(/\/$/)
  }
})

visitor(
  'a wrong password, a malformed email and an unreachable service are explained, and the input stays',
  async ({ page, calls }) => {
    const login = loginPage(page)
    await login.open()
    await login.email.fill('not-an-address')
    await login.secret.fill('x')
    await page.keyboard.press('Enter')
    await expect(
      page.getByText('Enter a valid email address, such as name@example.com.'),
    ).toBeVisible()
    await expect(login.email).toBeFocused()
    await login.email.fill('nobody@grove.test')
    await login.secret.fill('Wrong2026!')
    await page.keyboard.press('Enter')
    await expect(
      page.getByText('The email or the password is wrong. Check both and try again.'),
    ).toBeVisible()
    await expect(login.email).toHaveValue('nobody@grove.test')

    calls.answer({ 'POST /api/token/password': drop })
    await login.email.fill(email)
    await login.secret.fill(password)
    await page.keyboard.press('Enter')
    await expect(
      page.getByText('The service cannot be reached. Check your connection and try again.'),
    ).toBeVisible()
    calls.answer(signInAnswers(people.developer))
    await login.signIn.click()
    await page.waitForURL(/^[^?]+\/dashboard/)
  },
)

visitor.describe('in Russian', () => {
  visitor.use({ locale: 'ru-RU' })
  visitor('the same failures are explained in Russian', async ({ page, calls }) => {
    await page.goto('/login')
    await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
    await page.locator('#root [name=email]').fill('nobody@grove.test')
    await page.locator('#root [name=password]').fill('Wrong2026!')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText(/[а-яё]{4}/i)
    calls.answer({ 'POST /api/token/password': drop })
    await page.locator('#root [name=password]').press('Enter')
    await expect(page.getByRole('alert')).toContainText('соединение')
  })
})

visitor(
  'pressing twice signs in once, and the form stays disabled until the requested page has loaded',
  async ({ page, calls }) => {
    const login = loginPage(page)
    await login.open(myApps)
    await login.email.fill(email)
    await login.secret.fill(password)
    const words = await login.signIn.evaluateHandle((button) => {
      const seen: (string | null)[] = []
      const options = { subtree: true, childList: true, characterData: true }
      new MutationObserver(() => seen.push(button.textContent)).observe(button, options)
      return seen
    })
    await login.signIn.dblclick()
    await expect(page.getByText('Habit Garden')).toBeVisible()
    expect(await words.jsonValue()).toEqual(['Signing in…'])
    expect(calls.asked('POST /api/token/password')).toHaveLength(1)
  },
)

developer('a page gets its title once its texts have loaded', async ({ page }) => {
  let release = () => {}
  const arrival = new Promise<void>((done) => (release = done))
  await page.route('**/assets/account-*.js', async (route) => {
    await arrival
    await route.continue()
  })
  const asked = page.waitForRequest('**/assets/account-*.js')
  await page.goto(myApps)
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await asked
  await expect(page).not.toHaveTitle('Account · Grove')
  release()
  await expect(page).toHaveTitle('Account · Grove')
})

developer('a page whose texts fail to load says so, and retries', async ({ page }) => {
  await page.route('**/assets/cedar-*.js', (route) => route.abort())
  await page.goto(myApps)
  await expect(page.getByRole('heading', { name: 'This page could not be shown' })).toBeVisible()
})

visitor('notices to one person are gone when the next signs in', async ({ page, calls }) => {
  const someone = { ...people.customer, email: 'alder@grove.test', roles: ['DEVELOPER'] }
  calls.answer({ ...signInAnswers(someone), 'POST /api/signup': tokenOf(someone) })
  const login = loginPage(page)
  await page.goto('/signup')
  await login.email.fill(someone.email)
  await login.secret.fill(ownPassword)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await expect(page.getByText(`We sent an email to ${someone.email}.`)).toBeVisible()
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  const own = accountPage(page)
  await own.name.fill('Alder')
  await own.save.click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await logout(page)
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByText(someone.email)).toHaveCount(0)
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await expect(login.email).toHaveValue('')
  calls.answer(signInAnswers(people.developer))
  await login.fill(email)
  await expect(page).toHaveURL(/\/dashboard$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
  await expect(page.getByText('Saved', { exact: true })).toHaveCount(0)
})

visitor(
  'a new developer signs up, and the rules are ticked as they are met',
  async ({ page, calls }) => {
    calls.answer({ 'POST /api/signup': tokenOf(people.developer) })
    const login = loginPage(page)
    const create = page.getByRole('button', { name: 'Create an account' })
    await page.goto('/signup')
    await login.email.fill(email)
    const rules = page.getByRole('list', { name: 'Password rules' })
    await login.secret.fill('abc')
    await expect(rules.getByText('a lowercase letter')).toContainText('met')
    await expect(rules.getByText('a digit')).toContainText('not met yet')
    await create.click()
    await expect(page.getByText('The password must meet every rule.')).toBeVisible()
    await login.secret.fill(ownPassword)
    await expect(rules.getByText('not met yet')).toHaveCount(0)
    await create.click()
    await page.waitForURL('**/dashboard')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
    expect(calls.asked('POST /api/signup').map(({ body }) => body)).toEqual([
      { email, password: ownPassword, provider: 'grove', locale: 'en-US', role: 'DEVELOPER' },
    ])
  },
)

visitorTo(people.customer)(
  'a customer sees why the dashboard is closed, can sign out, and without a visit gets the start page',
  async ({ page }) => {
    const login = loginPage(page)
    await page.goto('/dashboard')
    await login.fill(people.customer.email)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('no role of your account opens the dashboard')).toBeVisible()
    await page
      .getByRole('button', { name: /Logout|Sign out/ })
      .first()
      .click()
    await expect(page).toHaveURL(/\/$/)
    await login.open()
    await login.fill(people.customer.email)
    await expect(page).toHaveURL(/\/$/)
    await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  },
)

visitor(
  'the typed email is kept for the other sign-in pages and back, the password never',
  async ({ page }) => {
    const login = loginPage(page)
    await login.open(myApps)
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
    expect(new URL(page.url()).searchParams.get('from')).toBe(myApps)
  },
)

visitor(
  'an expired session leads to login, which says so, and back to the same page',
  async ({ page, calls }) => {
    const login = loginPage(page)
    await login.open(`${myApps}?sort=title`)
    await login.fill(email)
    await expect(page.getByText('Habit Garden')).toBeVisible()
    // The service ends the session; its access token is one that no key verifies.
    calls.answer({
      'POST /api/token/refresh': refuse('invalid_refresh_token'),
      'GET /api/user/info': infoOf(people.developer, { is_valid: false }),
    })
    await page.evaluate(() => {
      for (const [key, text] of Object.entries(localStorage)) {
        if (!key.includes('/user/')) continue
        const record = JSON.parse(text as string) as { accessToken: string; receivedAt: number }
        record.accessToken = record.accessToken.replace(/.{6}$/, 'AAAAAA')
        // A token that was just received is not refreshed.
        record.receivedAt -= 60_000
        localStorage.setItem(key, JSON.stringify(record))
      }
    })
    await page.reload()
    await expect(login.ended).toBeVisible()
    await expect(login.email).toHaveValue(email)
    expect(new URL(page.url()).searchParams.get('from')).toContain(myApps)
    expect(calls.asked('GET /api/user/info').length).toBeLessThanOrEqual(2)
    await expectAccessible(page)
    await login.secret.fill(password)
    await login.signIn.click()
    await page.waitForURL(`**${myApps}**`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  },
)

developer(
  'a service that cannot confirm a session keeps it and offers a retry',
  async ({ page, calls }) => {
    await dropKeysInPage(page)
    await page.route('**/.well-known/jwks.json', (route) => route.abort('connectionrefused'))
    calls.answer({ 'GET /api/user/info': answerElse(503, '{}') })
    const unchecked = page.getByRole('heading', { name: /could not be checked/ })
    const apps = page.getByRole('heading', { name: 'My apps' })
    await page.goto(myApps)
    await expect(unchecked).toBeVisible()
    await expect(apps).toHaveCount(0)
    // A token is valid only once a key verifies it, whatever the service says about it.
    calls.answer({ 'GET /api/user/info': infoOf(people.developer) })
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(unchecked).toBeVisible()
    await expect(apps).toHaveCount(0)
    // The page retries on its own.
    await page.unroute('**/.well-known/jwks.json')
    await expect(apps).toBeVisible({ timeout: 30_000 })
  },
)

visitor(
  'the page says that it is offline and disables the form; the input is sent once it is back online',
  async ({ page, context }) => {
    const login = loginPage(page)
    await login.open(myApps)
    await expect(login.signUp).toBeVisible()
    await login.email.fill(email)
    await login.secret.fill(password)
    await context.setOffline(true)
    await expect(login.offline).toBeVisible()
    await expect(login.signIn).toHaveAttribute('aria-disabled', 'true')
    await expectAccessible(page)
    await login.secret.press('Enter')
    await expect(login.signIn).toBeVisible()
    await context.setOffline(false)
    await expect(login.offline).toHaveCount(0)
    await expect(login.email).toHaveValue(email)
    await expect(login.secret).toHaveValue(password)
    await login.signIn.click()
    await page.waitForURL(`**${myApps}**`)
  },
)

visitor(
  'a service that does not announce its sign-in methods still takes a password',
  async ({ page, calls }) => {
    calls.answer({ 'GET /api/stage/auth': drop })
    await loginPage(page).open()
    await loginPage(page).fill(email)
    await page.waitForURL(/^[^?]+\/dashboard/)
  },
)

visitor('the sign-in methods arrive late without moving the form', async ({ page, calls }) => {
  calls.answer(withBroker())
  const release = calls.hold('GET /api/stage/auth')
  const login = loginPage(page)
  await login.open()
  await expect(login.signIn).toBeVisible()
  const places = () =>
    Promise.all(
      [login.email, login.secret, login.signIn, login.signUp].map((part) => part.boundingBox()),
    )
  const before = await places()
  await expect(login.broker).toHaveCount(0)
  release()
  await expect(login.broker).toBeVisible()
  expect(await places()).toEqual(before)
})

developer(
  'signing out in one tab closes the private pages of another',
  async ({ page, calls, context }) => {
    await page.goto(myApps)
    const second = await context.newPage()
    await second.goto(myApps)
    await expect(second.getByText('Habit Garden')).toBeVisible()
    calls.allowNoToken()
    await logout(page)
    await expect(second).toHaveURL(/\/(login.*)?$/)
    await expect(second.getByText('Habit Garden')).toHaveCount(0)
  },
)
