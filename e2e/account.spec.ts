import type { Browser, BrowserContext } from '@playwright/test'
import type { Profile } from '@grove/contract/auth/profile'
import { accountPage, detailsPage, storedToken } from './support/account-pages.ts'
import { newDeveloper, signedIn, testAs } from './support/account.ts'
import { notice } from './support/my-apps-pages.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
  tabTo,
} from './support/page-checks.ts'
import { expect, password, sample, signIn } from './support/test.ts'

const test = testAs(newDeveloper)
const newPassword = 'Meadow2027&'

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'

/** Another browser, signed in through its own login page. */
async function otherBrowser(browser: Browser, baseURL: string | undefined, email: string) {
  const context = await browser.newContext({
    ...(baseURL && { baseURL }),
    storageState: { cookies: [], origins: [] },
    userAgent: firefox,
  })
  const page = await context.newPage()
  await signIn(page, email)
  return { context, page }
}

const withClipboard = (context: BrowserContext) =>
  context.grantPermissions(['clipboard-read', 'clipboard-write'])

test('name and language are saved, stay after a reload, and switch the console', async ({
  page,
}) => {
  const own = accountPage(page)
  await own.open()
  await expect(own.save).toHaveAttribute('aria-disabled', 'true')
  await own.name.fill('Rowan Ясень')
  await own.language.selectOption('ru-RU')
  await own.save.click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Учётная запись')
  await expect(page.getByText('Сохранено', { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Имя' })).toHaveValue('Rowan Ясень')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  const back = page.getByRole('region', { name: 'Профиль' })
  await back.getByRole('combobox').selectOption('en-US')
  await back.getByRole('button', { name: 'Сохранить' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US')
})

test('the page shows nothing of one account when another tab puts a second in its place', async ({
  page,
  context,
  baseURL,
}) => {
  const own = accountPage(page)
  await own.open()
  await own.name.fill('Not saved')
  const other = await signedIn(baseURL ?? '', sample.admin)
  const tab = await context.newPage()
  await tab.goto('/')
  await tab.evaluate((items) => {
    for (const { name, value } of items) localStorage.setItem(name, value)
  }, other.storage)
  await expect(own.profile.getByText(sample.admin)).toBeVisible()
  await expect(own.name).not.toHaveValue('Not saved')
})

test('leaving with a name that is not saved asks first', async ({ page }) => {
  const own = accountPage(page)
  await own.open()
  await own.name.fill('Rowan')
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'My apps' }).click()
  await answer(page, 'Stay')
  await expect(own.name).toHaveValue('Rowan')
})

test('the colour scheme is the one of the menu', async ({ page }) => {
  const own = accountPage(page)
  await own.open()
  await own.scheme('Dark').check()
  await expect(page.locator('html')).toHaveAttribute('data-scheme', 'dark')
  await page.getByRole('button', { name: /account and settings/ }).click()
  const menu = page.getByRole('combobox', { name: 'Colour scheme' })
  await expect(menu).toHaveValue('dark')
  await menu.selectOption('light')
  await expect(own.scheme('Light')).toBeChecked()
})

test('a new password ends the session of another browser, and opens the account', async ({
  page,
  browser,
  baseURL,
  account,
}) => {
  const { email } = await account.call<Profile>('/api/user/profile')
  const other = await otherBrowser(browser, baseURL, email ?? '')
  const own = accountPage(page)
  await own.open()

  await own.present.fill('Wrong2026!')
  await own.next.fill('short')
  await own.changePassword()
  await expect(own.next).toBeFocused()
  await expect(own.secret.getByText('The password must meet every rule.')).toBeVisible()
  await own.next.fill(newPassword)
  await own.changePassword()
  await expect(own.secret.getByText('Your current password is incorrect.')).toBeVisible()
  await expect(own.present).toBeFocused()
  await own.present.fill(password)
  await own.changePassword()
  await expect(notice(page)).toContainText('Your password is changed.')
  await expect(own.present).toHaveValue('')
  await expect(own.sessions).toHaveCount(1)

  const elsewhere = detailsPage(other.page)
  await elsewhere.open()
  // A call of the page finds out, before anybody renews the session by hand.
  await expect(other.page).toHaveURL(/\/login/)
  await other.page.getByRole('textbox', { name: 'Email' }).fill(email ?? '')
  await other.page.getByLabel('Password', { exact: true }).fill(newPassword)
  await other.page.keyboard.press('Enter')
  await other.page.waitForURL(/^[^?]+\/dashboard/)
  await other.context.close()
})

test('another browser is listed, and its session ends within seconds', async ({
  page,
  browser,
  baseURL,
  account,
}) => {
  const { email } = await account.call<Profile>('/api/user/profile')
  const other = await otherBrowser(browser, baseURL, email ?? '')
  const own = accountPage(page)
  await own.open()
  await expect(own.sessions).toHaveCount(2)
  const theirs = own.session('Firefox on Windows')
  await expect(theirs).toContainText('127.0.0.0/24')
  await expect(theirs).not.toContainText('This session')
  await expect(own.session('This session').getByRole('button')).toHaveAttribute(
    'aria-disabled',
    'true',
  )

  const end = theirs.getByRole('button', { name: 'End Firefox on Windows…' })
  await end.click()
  await answer(page, 'Cancel')
  await expect(own.sessions).toHaveCount(2)
  await tabTo(page, end)
  await page.keyboard.press('Enter')
  await answer(page, 'End session')
  await expect(own.sessions).toHaveCount(1)

  await expect(async () => {
    await detailsPage(other.page).open()
    await expect(other.page).toHaveURL(/\/login/, { timeout: 1000 })
  }).toPass()
  await other.context.close()
})

test('all other sessions end at once; one that another tab has ended is no failure', async ({
  page,
  browser,
  baseURL,
  account,
}) => {
  const { email } = await account.call<Profile>('/api/user/profile')
  const other = await otherBrowser(browser, baseURL, email ?? '')
  const own = accountPage(page)
  await own.open()
  await own.session('Firefox on Windows').getByRole('button').click()
  await expect(question(page)).toBeVisible()
  await account.call('/api/user/session', { method: 'DELETE' })
  await answer(page, 'End session')
  await expect(notice(page)).toContainText('The session has ended.')
  await expect(own.sessions).toHaveCount(1)
  await expect(own.endOthers).toHaveAttribute('aria-disabled', 'true')

  await other.context.close()
  const third = await otherBrowser(browser, baseURL, email ?? '')
  await page.reload()
  await own.endOthers.click()
  await answer(page, 'End sessions')
  await expect(notice(page)).toContainText('1 session has ended.')
  await expect(own.sessions).toHaveCount(1)
  await third.context.close()
})

test('the mail that validates the address is sent on request, with a pause before the next', async ({
  page,
}) => {
  const own = accountPage(page)
  await own.open()
  await expect(own.profile.getByText('Not validated')).toBeVisible()
  const sent = page.waitForResponse('**/api/send/validateEmail')
  await own.mailLink.click()
  expect((await sent).status()).toBe(204)
  await expect(own.profile.getByText(/We sent an email to .*@grove\.test/)).toBeVisible()
  await expect(own.mailLink).toHaveAttribute('aria-disabled', 'true')
  await expect(own.mailLink).toContainText(/0:5\d|1:00/)
})

test('a refusal to send another mail says how long to wait', async ({ page, account }) => {
  const { email } = await account.call<Profile>('/api/user/profile')
  const send = () =>
    account.fetch('/api/send/validateEmail', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, provider: 'grove' }),
    })
  await expect.poll(async () => (await send()).status).toBe(429)
  const own = accountPage(page)
  await own.open()
  await own.mailLink.click()
  await expect(own.profile.getByRole('alert').first()).toContainText(/Try again in \d+ minutes?\./)
  await expect(own.mailLink).toHaveAttribute('aria-disabled', 'true')
})

test('details tell what the token says, and it is shown and copied on request', async ({
  page,
  context,
}) => {
  await withClipboard(context)
  const details = detailsPage(page)
  await details.open()
  const breadcrumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(breadcrumbs.getByRole('listitem')).toHaveText(['Account', 'Details'])
  await expect(details.fact('is_valid')).toContainText('Yes')
  await expect(details.fact('is_expired')).toHaveText('No')
  await expect(details.fact('is_developer')).toHaveText('Yes')
  await expect(details.fact('is_admin')).toHaveText('No')
  await expect(details.fact('roles')).toHaveText('DEVELOPER')
  await expect(details.fact('provider')).toHaveText('grove')
  // The zone of the test's browser.
  await expect(details.fact('exp')).toContainText(/GMT\+[12]/)
  await expect(details.fact('exp').getByRole('timer')).toHaveText(/^(9:\d\d|10:00) remaining$/)
  await expect(details.fact('Checked by the service')).toContainText('Same result')

  const token = (await storedToken(page)) ?? ''
  expect(token).not.toBe('')
  await expect(details.token).not.toContainText(token.slice(0, 20))
  await details.copyToken()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)
  await expect(details.token.getByRole('button', { name: 'Copied' })).toBeVisible()
  await expect(details.token.getByRole('button', { name: 'Copy the access token' })).toBeVisible()
  await details.show()
  await expect(details.token).toContainText(token)

  await details.refresh()
  await expect(notice(page)).toContainText('You have a new token.')
  expect(await storedToken(page)).not.toBe(token)
  // A new token is hidden, whatever was shown before.
  await expect(details.token).toContainText('The token is hidden.')

  await details.fact('user_id').getByRole('button').click()
  const id = await page.evaluate(() => navigator.clipboard.readText())
  await expect(details.fact('user_id')).toContainText(id)
})

test('a token that has ended while the service is away is called expired, and then renewed', async ({
  page,
}) => {
  await page.clock.install()
  const details = detailsPage(page)
  await details.open()
  await expect(details.fact('is_valid')).toContainText('Yes')
  await page.route('**/api/token/refresh', (route) => route.abort('connectionrefused'))
  await page.clock.fastForward('11:00')
  await expect(details.fact('is_valid')).toContainText('No, it has expired')
  await expect(details.fact('is_expired')).toHaveText('Yes')
  await expect(details.fact('roles')).toHaveText('Not known until it is verified')
  await expect(details.fact('exp').getByRole('timer')).toHaveText('expired')
  await details.refresh()
  await expect(notice(page)).toContainText('A new token could not be issued.')
  await page.unroute('**/api/token/refresh')
  await page.clock.fastForward('02:00')
  await details.refresh()
  await expect(details.fact('is_valid')).toContainText('Yes')
})

test('a token is shown as not verified while its keys are out of reach', async ({ page }) => {
  const details = detailsPage(page)
  await details.open()
  await expect(details.fact('is_valid')).toContainText('Yes')
  const token = (await storedToken(page)) ?? ''
  await page.route('**/api/user/info', (route) => route.abort('connectionrefused'))
  // A signature that no key of ours fits.
  await page.route('**/api/token/refresh', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { token: { accessToken: string } }
    const [head, claims] = body.token.accessToken.split('.')
    body.token.accessToken = [head, claims, token.split('.')[2]].join('.')
    await route.fulfill({ response, json: body })
  })
  await details.refresh()
  await expect(details.fact('is_valid')).toContainText('No, it is not verified')
  await expect(details.fact('user_id')).toHaveText('Not known until it is verified')
})

test('the page says that the account is out of reach, and shows it once the service answers', async ({
  page,
}) => {
  await page.route('**/api/user/profile', (route) => route.abort('connectionrefused'))
  const own = accountPage(page)
  await own.open()
  await expect(page.getByRole('alert').getByText('The service cannot be reached.')).toBeVisible({
    timeout: 15_000,
  })
  await page.unroute('**/api/user/profile')
  // The menu asks for the account too, and may bring it before the button is pressed.
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 })
    await expect(own.name).toBeVisible({ timeout: 2_000 })
  }).toPass()
})

test('an authentication service that lists no methods is asked for nothing else', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.route('**/api/stage/auth', (route) =>
    route.fulfill({ json: { urls: { login: '', redirect: '', callback: '' }, realm: 'grove' } }),
  )
  const own = accountPage(page)
  await own.open()
  await expect(own.profile).toContainText('manages its own accounts')
  await expect(own.profile).toContainText('DEVELOPER')
  await expect(own.scheme('Dark')).toBeVisible()
  await expect(own.secret).toHaveCount(0)
  expect(asked.filter((path) => path.startsWith('/api/user/'))).toEqual([])
})

test('the account comes last in the menu, and only one page of it is marked', async ({ page }) => {
  await accountPage(page).open()
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await expect(menu.getByRole('link').last()).toHaveText('Details')
  await menu.getByRole('link', { name: 'Details' }).click()
  await expect(page).toHaveURL(/\/account\/details$/)
  await expect(menu.locator('[aria-current=page]')).toHaveText('Details')
  await expect(menu.getByRole('link', { name: 'People' })).toHaveCount(0)
})

for (const path of ['/dashboard/cedar/account', '/dashboard/cedar/account/details']) {
  for (const colorScheme of ['light', 'dark'] as const)
    test(`${path} has no accessibility fault that can be found by machine, ${colorScheme}`, async ({
      page,
    }) => {
      await page.emulateMedia({ colorScheme })
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 2 })).not.toHaveCount(0)
      await expect(page.getByLabel('Loading')).toHaveCount(0)
      await expectAccessible(page)
    })

  test(`${path} needs no scrolling sideways on a phone, in Russian`, async ({ page }) => {
    await page.setViewportSize(phone)
    await page.addInitScript(() => localStorage.setItem('grove.locale', 'ru-RU'))
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 2 })).not.toHaveCount(0)
    await expect(page.getByLabel('Загрузка')).toHaveCount(0)
    await expectNoOverflow(page)
  })
}
