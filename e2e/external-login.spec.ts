import { accountPage } from './support/account-pages.ts'
import { loginPage, providerPage } from './support/login-page.ts'
import { mailedLink } from './support/mailbox.ts'
import { notice } from './support/my-apps-pages.ts'
import { test } from './support/own-platform.ts'
import { answer, expectAccessible } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

// All users of the provider share its identities, so the tests run one after the other.
test.describe.configure({ mode: 'serial' })

const newPassword = 'Meadow2027&'
const devices = '/dashboard/cedar/mobile?sort=title'

test('an unlinked identity signs in at the requested page, and Back shows no callback', async ({
  page,
}) => {
  const login = loginPage(page)
  await page.goto(devices)
  await page.waitForURL('**/login?**')
  await login.broker.click()
  await providerPage(page).choose('Iris')
  await page.waitForURL('**/dashboard/cedar/mobile**')
  expect(page.url()).not.toContain('code=')
  await expect(page.getByText('Publish your first mini-app')).toBeVisible()
  await page.goBack()
  await page.goBack()
  await page.waitForURL('**/dashboard/cedar/mobile**')
  await page.reload()
  await expect(page.getByText('Publish your first mini-app')).toBeVisible()
})

test('an identity whose email is an account’s is linked only after the owner signs in', async ({
  page,
  context,
}) => {
  const login = loginPage(page)
  const offer = page.getByText(`An account with ${sample.developer} already exists.`)
  await login.open('/dashboard/cedar/mobile')
  await login.broker.click()
  await providerPage(page).choose('Dana')
  await expect(offer).toBeVisible()
  await expect(login.email).toHaveValue(sample.developer)
  await expect(login.secret).toBeFocused()
  await expectAccessible(page)

  // It is not linked to another person's account.
  await login.fill(sample.admin)
  await expect(page.getByText('Sample identity was not linked')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()

  await login.open('/dashboard/cedar/mobile')
  await expect(offer).toHaveCount(0)
  await login.broker.click()
  await providerPage(page).choose('Dana')
  await expect(offer).toBeVisible()
  await login.secret.fill('Wrong2026!')
  await login.signIn.click()
  await expect(page.getByRole('alert')).toContainText('wrong')
  await login.fill(sample.developer)
  await expect(page.getByText('Linked: from now on you can also sign in')).toBeVisible()
  await expect(page.getByText('Habit Garden')).toBeVisible()

  // From now on the identity alone is enough.
  await context.clearCookies()
  await page.getByRole('button', { name: 'Logout' }).click()
  await login.open('/dashboard/cedar/mobile')
  await login.broker.click()
  await providerPage(page).choose('Dana')
  await page.waitForURL('**/dashboard/cedar/mobile**')
  await expect(page.getByText('Habit Garden')).toBeVisible()
})

// Must run last: Iris has no identity here afterwards.
test('an identity that is the only way to sign in stays; with a password it can be unlinked', async ({
  page,
  platform,
}) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with Sample identity' }).click()
  await page.getByRole('button', { name: /Iris Identity/ }).click()
  await page.waitForURL(/^[^?]+\/dashboard/)
  const own = accountPage(page)
  await own.open()
  await expect(own.profile.getByText('iris@identity.test')).toBeVisible()
  await expect(own.profile.getByText('Validated', { exact: true })).toBeVisible()
  await expect(own.secret).toContainText('This account has no password')
  await expect(own.linked.getByRole('listitem')).toContainText('iris@identity.test')
  await expect(own.linked).toContainText('It is your only way to sign in.')
  await expect(own.unlink).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)

  const sent = page.waitForResponse('**/api/send/resetPassword')
  await own.secret.getByRole('button', { name: 'Email me a link to set one' }).click()
  expect((await sent).status()).toBe(204)
  const link = await mailedLink(platform.folder, 'iris@identity.test', '/login/reset')
  const token = new URL(link).hash.slice(1)
  const set = await page.request.post('/api/user/resetPassword', {
    data: { token, password: newPassword, provider: 'grove' },
  })
  expect(set.status()).toBe(200)

  // The new password ended the session of the identity; the first call of a page finds out.
  await page.goto('/dashboard')
  await expect(page).toHaveURL(/\/login/)
  await page.getByRole('textbox', { name: 'Email' }).fill('iris@identity.test')
  await page.getByLabel('Password', { exact: true }).fill(newPassword)
  await page.keyboard.press('Enter')
  await page.waitForURL(/^[^?]+\/dashboard/)
  await own.open()
  await own.unlink.click()
  await answer(page, 'Unlink')
  await expect(notice(page)).toContainText('Sample identity no longer signs you in.')
  await expect(own.unlink).toHaveCount(0)
  await expect(own.present).toBeVisible()
})
