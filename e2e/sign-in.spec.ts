import { loginPage } from './support/login-page.ts'
import { expect, sample, signIn, test } from './support/test.ts'

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
