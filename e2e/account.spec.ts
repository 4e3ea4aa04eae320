import type { Browser, BrowserContext } from '@playwright/test'
import type { Profile } from '@grove/contract/auth/profile'
import { accountPage, detailsPage, storedToken } from './support/account-pages.ts'
import { newDeveloper, testAs } from './support/account.ts'
import { notice } from './support/my-apps-pages.ts'
import { answer, tabTo } from './support/page-checks.ts'
import { expect, password, signIn } from './support/test.ts'

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
  // A call of the page finds out, before anyone renews the session manually.
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

test('details show the contents of the token, and the token itself is shown and copied on request', async ({
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
  // The time zone of the test's browser.
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
  // A new token is hidden, even if the previous one was shown.
  await expect(details.token).toContainText('The token is hidden.')

  await details.fact('user_id').getByRole('button').click()
  const id = await page.evaluate(() => navigator.clipboard.readText())
  await expect(details.fact('user_id')).toContainText(id)
})
