import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample, signIn, test } from './support/test.ts'

test('an unknown address shows a 404 page with a way out', async ({ page }) => {
  await page.goto('/no/such/page')
  await expect(page.getByText('There is no page at this address')).toBeVisible()
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page).toHaveURL(/\/$/)
})

test('the menu is 236 pixels wide, follows the role, and breadcrumbs follow the route', async ({
  page,
}) => {
  await signIn(page, sample.admin)
  await page.getByRole('link', { name: 'Devices' }).click()
  await expect(page).toHaveURL(/\/dashboard\/maple\/devices/)
  const breadcrumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(breadcrumbs).toContainText('Maple')
  await expect(breadcrumbs).toContainText('devices')
  const sidebar = await page.locator('aside').first().boundingBox()
  expect(sidebar?.width).toBe(236)
  await expect(page.locator('aside').first()).toContainText('local')
})

test('language and colour scheme change at once and are kept', async ({ page }) => {
  await signIn(page, sample.developer)
  await page.locator('header').getByLabel('Language').selectOption('ru-RU')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  await expect(page.getByText('Мои приложения').first()).toBeVisible()
  await page.locator('header').getByLabel('Цветовая схема').selectOption('dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const [red = 255] = background.match(/\d+/g)?.map(Number) ?? []
  expect(red).toBeLessThan(60)
})

test('on a phone the menu opens as a drawer and nothing overflows', async ({ page }) => {
  await page.setViewportSize(phone)
  await signIn(page, sample.admin)
  await page.getByRole('button', { name: /menu/i }).click()
  await page.getByRole('link', { name: 'Devices' }).click()
  await expect(page).toHaveURL(/\/dashboard\/maple\/devices/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectNoOverflow(page)
})

test('the share button appears only when the browser can share', async ({
  page,
  browser,
  baseURL,
}) => {
  await signIn(page, sample.developer)
  await expect(page.getByRole('button', { name: 'Share' })).toHaveCount(0)
  const context = await browser.newContext({ ...(baseURL && { baseURL }) })
  await context.addInitScript(() => {
    Object.defineProperty(navigator, 'share', { value: async () => {} })
  })
  const other = await context.newPage()
  await signIn(other, sample.developer)
  await expect(other.getByRole('button', { name: 'Share' })).toBeVisible()
  await context.close()
})

for (const [scheme, path, email] of [
  ['light', '/dashboard/cedar/mobile', sample.developer],
  ['dark', '/dashboard/cedar/mobile', sample.developer],
  ['light', '/dashboard/maple/devices', sample.admin],
  ['dark', '/dashboard/maple/devices', sample.admin],
] as const)
  test(`${path} has no accessibility fault that can be found by machine, ${scheme}`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme: scheme })
    await signIn(page, email)
    await page.goto(path)
    await expect(page.getByRole('table')).toBeVisible()
    await expectAccessible(page)
  })

for (const path of ['/login', '/signup', '/'])
  test(`${path} has no accessibility fault that can be found by machine`, async ({ page }) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectAccessible(page)
    }
  })
