import type { Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { openAs, openAsNewDeveloper } from './support/account.ts'
import { expectAccessible } from './support/page-checks.ts'
import { expect, password, sample, signIn, test } from './support/test.ts'

test('the language chosen in the menu is the account’s too, in every browser', async ({
  page,
  browser,
  baseURL,
}) => {
  const email = await openAsNewDeveloper(page)
  await page.getByRole('button', { name: /account and settings/ }).click()
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().endsWith('/profile'),
  )
  await page.getByLabel('Language').selectOption('ru-RU')
  expect((await saved).ok()).toBe(true)
  await page.goto('/dashboard/cedar/account')
  await expect(page.getByRole('main').getByLabel('Язык')).toHaveValue('ru-RU')

  const context = await browser.newContext({ ...(baseURL && { baseURL }), locale: 'en-US' })
  const other = await context.newPage()
  await signIn(other, email)
  await expect(other.locator('html')).toHaveAttribute('lang', 'ru-RU')
  await context.close()
})

test('signing in from the start page leads to the dashboard @long', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.developer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
})

test('a customer is not offered a dashboard', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.customer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toHaveCount(0)
})

test('the palette opens pages, apps, devices and people with the keyboard @long', async ({
  page,
}) => {
  await openAs(page, sample.admin)
  const { id, name } = await ownDevice(page)
  const palette = page.getByRole('dialog', { name: 'Search or jump to' })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const open = async (text: string, result: string | RegExp) => {
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill(text)
    await expect(palette.getByRole('option', { name: result }).first()).toBeVisible()
    await expect(palette.getByText('Searching…')).toBeHidden()
  }
  await open('people', /People/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/people/)
  await open('register a dev', 'New device')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'New device' })).toBeVisible()
  await open(id, name)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  await palette.getByRole('option', { name }).click()
  await expect(page).toHaveURL(new RegExp(`device=${id}`))
  await open(sample.customer, sample.customer)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('nothing has this name at all')
  await expect(palette.getByText('Nothing has a word that begins with')).toBeVisible()
})

/** A device that no other test looks for, registered with the page's own session. */
async function ownDevice(page: Page) {
  const id = `dev-${randomUUID()}`
  const name = `Palette ${id.slice(4, 12)}`
  const authorization = await page.evaluate(() => {
    const entry = Object.entries(localStorage).find(([, value]) => value.includes('accessToken'))
    const { accessToken } = JSON.parse(entry?.[1] ?? '{}') as { accessToken?: string }
    return `Bearer ${accessToken}`
  })
  const answer = await page.request.post('/api/maple/device', {
    headers: { authorization },
    data: { id, name, type: 'iot' },
  })
  expect(answer.status()).toBe(201)
  return { id, name }
}
