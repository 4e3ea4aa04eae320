import type { BrowserContext } from '@playwright/test'
import { appAnswers } from '../support/app-answers.ts'
import { drop, type Answers } from '../support/answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { loginPage, providerPage } from '../support/login-page.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, frameOf, people, testAs } from '../support/page-test.ts'
import { tokenOf, withBroker } from '../support/sign-in-answers.ts'

const someone = people.developer
const signedIn = (): Answers => ({ 'POST /api/token/external/{broker}': tokenOf(someone) })

const visitor = testAs(null, () => ({
  ...frameOf(someone),
  ...homeAnswers(),
  ...appAnswers([]),
  ...signedIn(),
})).extend<{ provider: void }>({
  provider: [
    async ({ calls, context, baseURL }, use) => {
      calls.answer(withBroker(baseURL))
      await openProvider(context)
      await use()
    },
    { auto: true },
  ],
})

/** The page of an identity provider, which sends back what its user chooses. */
const openProvider = (context: BrowserContext) =>
  context.route('https://identity.test/authorize?*', (route) => {
    const asked = new URL(route.request().url()).searchParams
    const back = (answer: Record<string, string>) => {
      const query = new URLSearchParams({ ...answer, state: asked.get('state') ?? '' })
      return `location.href = '${asked.get('redirect_uri')}?${query}'`
    }
    return route.fulfill({
      contentType: 'text/html',
      body: `<h1>Choose a sample identity</h1>
        <button onclick="${back({ code: 'code' })}">Iris</button>
        <button onclick="${back({ error: 'access_denied' })}">Cancel</button>`,
    })
  })

visitor('a cancelled login signs nobody in; the input and the visit are kept', async ({ page }) => {
  const login = loginPage(page)
  await login.open('/dashboard/cedar/mobile')
  await login.email.fill('someone@grove.test')
  await login.broker.click()
  await providerPage(page).cancel()
  await expect(login.cancelled).toBeVisible()
  await expect(login.email).toHaveValue('someone@grove.test')
  expect(new URL(page.url()).searchParams.get('from')).toBe('/dashboard/cedar/mobile')
  await login.broker.click()
  await expect(providerPage(page).heading).toBeVisible()
  await page.goBack()
  await expect(login.broker).toBeEnabled()
  await expect(login.broker).toHaveAttribute('aria-disabled', 'false')
})

visitor('two tabs sign in at the same time, each to its own page', async ({ context }) => {
  const tabs = [await context.newPage(), await context.newPage()] as const
  const places = ['/dashboard/cedar/mobile?sort=title', '/dashboard/cedar/mobile?sort=updatedAt']
  for (const [index, tab] of tabs.entries()) {
    await loginPage(tab).open(places[index])
    await loginPage(tab).broker.click()
    await expect(providerPage(tab).heading).toBeVisible()
  }
  await Promise.all(tabs.map((tab) => providerPage(tab).choose('Iris')))
  for (const [index, tab] of tabs.entries()) {
    await tab.waitForURL(`**${places[index]}`)
    await expect(tab.getByText('Publish your first mini-app')).toBeVisible()
  }
})

visitor(
  'a callback URL works once, and only in the tab that started the login',
  async ({ page, context }) => {
    const login = loginPage(page)
    let callback = ''
    page.on('request', (request) => {
      if (request.url().includes('/login/callback?')) callback = request.url()
    })
    await login.open()
    await login.broker.click()
    await providerPage(page).choose('Iris')
    await page.waitForURL(/^[^?]+\/dashboard/)
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/$/)

    await page.goto(callback)
    const failure = page.getByRole('alert').filter({ hasText: 'The sign-in did not work' })
    await expect(failure).toContainText('This sign-in has already been used.')
    expect(page.url()).not.toContain('code=')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(providerPage(page).heading).toBeVisible()

    const other = await context.newPage()
    await other.goto(callback)
    await expect(other.getByText('This tab did not start this sign-in')).toBeVisible()
    await other.getByRole('link', { name: 'Back to sign in' }).click()
    await expect(loginPage(other).broker).toBeVisible()
    await other.goto('/login/callback')
    await expect(other.getByText('the URL contains none')).toBeVisible()
  },
)

visitor(
  'the page says that a login failed at its end, and a retry works',
  async ({ page, calls }) => {
    calls.answer({ 'POST /api/token/external/{broker}': drop })
    const login = loginPage(page)
    await login.open('/dashboard/cedar/mobile')
    await login.broker.click()
    await providerPage(page).choose('Iris')
    await expect(page.getByText('The service cannot be reached.')).toBeVisible()
    calls.answer(signedIn())
    await page.getByRole('button', { name: 'Try again' }).click()
    await providerPage(page).choose('Iris')
    await page.waitForURL('**/dashboard/cedar/mobile**')
  },
)

visitor.describe('in Russian on a phone', () => {
  visitor.use({ locale: 'ru-RU', viewport: phone })
  visitor('the login is cancelled, and nothing overflows', async ({ page }) => {
    await page.goto('/login')
    await page.getByRole('button', { name: 'Войти через «Sample identity»' }).click()
    await providerPage(page).cancel()
    await expect(page.getByText('Вы отменили вход. Ничего не изменилось.')).toBeVisible()
    await expectNoOverflow(page)
    await expectAccessible(page)
    await page.goto('/login/callback')
    await expect(page.getByRole('heading', { name: 'Войти не удалось' })).toBeVisible()
    await expectNoOverflow(page)
  })
})
