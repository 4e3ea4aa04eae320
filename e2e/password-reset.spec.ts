import type { Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { loginPage } from './support/login-page.ts'
import { mailedLink } from './support/mailbox.ts'
import { test } from './support/own-platform.ts'
import { expectAccessible } from './support/page-checks.ts'
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

test('a new account confirms its email with the button, not by opening the link', async ({
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

test('a confirmation mail is sent again @long', async ({ page, platform }) => {
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
