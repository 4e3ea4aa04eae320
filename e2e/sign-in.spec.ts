import { randomUUID } from 'node:crypto'
import { expect, password, sample, signIn, test } from './support/test.ts'

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
    await page.waitForURL('**/dashboard/**')
    expect(new URL(page.url()).origin).toBe(new URL(baseURL ?? '').origin)
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/$/)
  }
})

test('a wrong password and a malformed email are told in plain words, and what was typed stays', async ({
  page,
}) => {
  await page.goto('/login')
  const email = page.getByRole('textbox', { name: 'Email' })
  const secret = page.getByLabel('Password', { exact: true })
  await email.fill('not-an-address')
  await secret.fill('x')
  await page.keyboard.press('Enter')
  await expect(
    page.getByText('This is no email address. It should look like name@example.com.'),
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
  test('the same failures are told in Russian', async ({ page }) => {
    await page.goto('/login')
    await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
    await page.locator('[name=email]').fill('nobody@grove.test')
    await page.locator('[name=password]').fill('Wrong2026!')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText(/[а-яё]{4}/i)
    await page.route('**/api/token/password', (route) => route.abort('connectionrefused'))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText('соединение')
  })
})

test('an unreachable service is told, and signing in works once it answers again', async ({
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
  await page.waitForURL('**/dashboard/**')
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
  await page.waitForURL('**/dashboard/**')
  expect(calls).toBe(1)
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
  await secret.fill(password)
  await expect(rules.getByText('not met yet')).toHaveCount(0)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL('**/dashboard/cedar/mobile**')
})

test('a customer is told why the dashboard is closed and can sign out', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.customer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard**')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText(/customer/i).first()).toBeVisible()
  await page
    .getByRole('button', { name: /Logout|Sign out/ })
    .first()
    .click()
  await expect(page).toHaveURL(/\/$/)
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
