import type { Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { loginPage } from './support/login-page.ts'
import { mailedLink } from './support/mailbox.ts'
import { test } from './support/own-platform.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, ownPassword } from './support/test.ts'

const newPassword = 'Larch2027!'

async function signUp(page: Page) {
  const email = `${randomUUID()}@grove.test`
  await page.goto('/signup')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(ownPassword)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL('**/dashboard')
  return email
}

async function askForLink(page: Page, email: string) {
  const login = loginPage(page)
  await login.open()
  await login.email.fill(email)
  await login.forgotten.click()
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText(`If an account uses ${email}, we have sent an email.`)).toBeVisible()
}

test('a forgotten password is replaced by the mailed link, once', async ({ page, platform }) => {
  const email = await signUp(page)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/$/)
  await askForLink(page, email)
  await expect(page.getByRole('button', { name: /Send again in \d+ seconds?/ })).toBeVisible()
  await expectAccessible(page)

  const link = await mailedLink(platform.folder, email, '/login/reset')
  await page.goto(link)
  const field = page.getByLabel('New password', { exact: true })
  await expect(field).toBeFocused()
  expect(new URL(page.url()).hash).toBe('')
  await expectAccessible(page)
  const change = page.getByRole('button', { name: 'Change the password' })
  await field.fill('short')
  await change.click()
  await expect(page.getByText('The password must meet every rule.')).toBeVisible()
  await field.fill('Passw0rd!')
  await change.click()
  await expect(page.getByText('This password is too easy to guess.')).toBeVisible()
  await expect(field).toBeFocused()
  await field.fill(newPassword)
  await change.click()

  const login = loginPage(page)
  await expect(page.getByText('Your password is changed')).toBeVisible()
  await expect(login.email).toHaveValue(email)
  await login.fill(email, ownPassword)
  await expect(page.getByRole('alert')).toContainText('wrong')
  await login.fill(email, newPassword)
  await page.waitForURL(/^[^?]+\/dashboard/)
  await page.getByRole('button', { name: 'Logout' }).click()

  // A used link says so before anything is typed.
  await page.goto(link)
  await expect(page.getByText('This link is no longer valid')).toBeVisible()
  await expect(field).toHaveCount(0)
  await page.getByRole('link', { name: 'Send a new link' }).click()
  await expect(page).toHaveURL(/\/login\/forgotten/)
})

/** Links of these tests were never mailed; the page takes them for ones that work. */
const trustLinks = (page: Page) =>
  page.route('**/api/user/checkEmailToken', (route) => route.fulfill({ status: 204 }))

test('a page whose code does not load says so in its frame, and keeps the link', async ({
  page,
}) => {
  await trustLinks(page)
  await page.route('**/assets/sign-in-*.js', (route) => route.abort('connectionrefused'))
  await page.goto('/login/reset#token')
  const main = page.getByRole('main')
  await expect(main.getByText('The service cannot be reached.')).toBeVisible()
  await page.unroute('**/assets/sign-in-*.js')
  await main.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible()
})

test('an address that nobody uses gets the same answer', async ({ page }) => {
  await askForLink(page, 'nobody@grove.test')
})

test('a link opened in the tab of an older one takes its place; a reload has lost it', async ({
  page,
}) => {
  await trustLinks(page)
  await page.goto('/login/reset#first')
  const field = page.getByLabel('New password', { exact: true })
  await field.fill('abc')
  await page.goto('/login/reset#second')
  await expect(field).toHaveValue('')
  expect(new URL(page.url()).hash).toBe('')
  await page.reload()
  await expect(page.getByText('Open the link in the email again')).toBeVisible()
})

test('a new password ends the session of this browser too', async ({ page, platform }) => {
  const email = await signUp(page)
  await page.request.post('/api/send/resetPassword', { data: { email, provider: 'grove' } })
  await page.goto(await mailedLink(platform.folder, email, '/login/reset'))
  await page.getByLabel('New password', { exact: true }).fill(newPassword)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('Your password is changed')).toBeVisible()
  await loginPage(page).fill(email, newPassword)
  await page.waitForURL(/^[^?]+\/dashboard/)
})

test('someone signed in to another account sees that the password is changed', async ({
  page,
  platform,
}) => {
  const email = await signUp(page)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/$/)
  await signUp(page)
  await page.request.post('/api/send/resetPassword', { data: { email, provider: 'grove' } })
  await page.goto(await mailedLink(platform.folder, email, '/login/reset'))
  await page.getByLabel('New password', { exact: true }).fill(newPassword)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.waitForURL(/^[^?]+\/dashboard/)
  await expect(page.getByText(`The password of ${email} is changed.`)).toBeVisible()
})

test('a new account confirms its address by the button, not by opening the link', async ({
  page,
  platform,
}) => {
  const email = await signUp(page)
  await expect(page.getByText(`We sent an email to ${email}.`)).toBeVisible()
  const link = await mailedLink(platform.folder, email, '/login/email')
  let calls = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/user/validateEmail')) calls += 1
  })
  await page.goto(link)
  const confirm = page.getByRole('button', { name: 'Confirm this address' })
  await expect(confirm).toBeVisible()
  await expectAccessible(page)
  expect(calls).toBe(0)
  expect(new URL(page.url()).hash).toBe('')
  await confirm.click()
  await expect(page.getByText(`${email} is confirmed.`)).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/^[^?]+\/dashboard/)

  await page.goto(link)
  await expect(page.getByText('This link is no longer valid')).toBeVisible()
  await expect(confirm).toHaveCount(0)
})

test('a mail that confirms the address is sent again', async ({ page, platform }) => {
  const email = await signUp(page)
  await mailedLink(platform.folder, email, '/login/email')
  await page.goto('/login/email')
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText('we have sent an email')).toBeVisible()
  const link = await mailedLink(platform.folder, email, '/login/email', 2)
  await page.goto(link)
  await page.getByRole('button', { name: 'Confirm this address' }).click()
  await expect(page.getByText('is confirmed').first()).toBeVisible()
})

test('sign-up refuses a password that is easy to guess, beside the field', async ({ page }) => {
  await page.goto('/signup')
  await page.getByRole('textbox', { name: 'Email' }).fill(`${randomUUID()}@grove.test`)
  await page.getByLabel('Password', { exact: true }).fill('Passw0rd!')
  await page.getByRole('button', { name: 'Create an account' }).click()
  await expect(page.getByText('This password is too easy to guess.')).toBeVisible()
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
})

test.describe('in Russian on a phone', () => {
  test.use({ locale: 'ru-RU', viewport: phone })
  for (const [path, heading] of [
    ['/login/forgotten', 'Восстановление пароля'],
    ['/login/reset', 'Новый пароль'],
    ['/login/reset#token', 'Новый пароль'],
    ['/login/email', 'Подтверждение адреса'],
    ['/login/email#token', 'Подтверждение адреса'],
  ] as const)
    test(`${path} has no fault that can be found by machine`, async ({ page }) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
        await expectNoOverflow(page)
        await expectAccessible(page)
      }
    })
})
