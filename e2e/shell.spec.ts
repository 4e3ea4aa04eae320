import type { Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { openAs, openAsNewDeveloper } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, password, sample, signIn, test } from './support/test.ts'

test('an unknown address shows a 404 page with a way out', async ({ page }) => {
  await page.goto('/no/such/page')
  await expect(page.getByText('Page not found')).toBeVisible()
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page).toHaveURL(/\/$/)
})

test('the menu is 236 pixels wide, follows the role, and breadcrumbs follow the route', async ({
  page,
}) => {
  await openAs(page, sample.admin)
  await page.getByRole('link', { name: 'Devices' }).first().click()
  await expect(page).toHaveURL(/\/dashboard\/maple\/devices/)
  const breadcrumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(breadcrumbs).toContainText('Maple')
  await expect(breadcrumbs).toContainText('devices')
  const sidebar = await page.locator('aside').first().boundingBox()
  expect(sidebar?.width).toBe(236)
  await expect(page.locator('aside').first()).toContainText('local')
  // The page that is open is in sight, although the menu is longer than the window.
  await page.goto('/dashboard/system/events')
  await expect(page.locator('aside nav [aria-current]')).toBeInViewport({ ratio: 1 })
})

test('language and colour scheme change at once and are kept', async ({ page }) => {
  await openAsNewDeveloper(page)
  await page.getByRole('button', { name: /account and settings/ }).click()
  await page.getByLabel('Colour scheme').selectOption('dark')
  await page.getByLabel('Language').selectOption('ru-RU')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  await expect(page.getByText('Мои приложения').first()).toBeVisible()
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const [red = 255] = background.match(/\d+/g)?.map(Number) ?? []
  expect(red).toBeLessThan(60)
})

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

test('the foot of the menu names who is signed in', async ({ page }) => {
  await openAs(page, sample.admin)
  const menu = page.getByRole('button', { name: /account and settings/ })
  await expect(menu).toContainText('Administrator')
  await menu.click()
  await expect(page.getByText(sample.admin)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText(sample.admin)).toBeHidden()
  await expect(menu).toBeFocused()
})

test('every group keeps its own hue on the pages of the others', async ({ page }) => {
  await openAs(page, sample.admin)
  const hue = (service: string) =>
    page
      .locator(`aside [data-service=${service}] a svg`)
      .first()
      .evaluate((icon) => getComputedStyle(icon).color)
  await page.goto('/dashboard/maple/devices')
  const onMaple = await hue('account')
  await page.goto('/dashboard/cedar/mobile')
  expect(await hue('account')).toBe(onMaple)
  expect(await hue('maple')).not.toBe(onMaple)
})

test('a closed group of the menu stays closed', async ({ page }) => {
  await openAs(page, sample.admin)
  const devices = page.locator('a[href="/dashboard/maple/devices"]')
  // The first is the group, the second its overview.
  await page.locator('aside').getByText('Maple', { exact: true }).first().click()
  await expect(devices).toBeHidden()
  await page.reload()
  await expect(page.getByRole('link', { name: 'My apps' }).first()).toBeVisible()
  await expect(devices).toBeHidden()
})

test('the address of a group without a page of its own opens the first of its menu', async ({
  page,
}) => {
  await openAs(page, sample.admin, '/dashboard/cedar')
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile$/)
})

test('an unknown address inside the dashboard keeps its menu and leads back into it', async ({
  page,
}) => {
  await openAs(page, sample.admin, '/dashboard/maple/nothing-here')
  await expect(page.getByText('Page not found')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).not.toContainText('Grove')
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile/)
})

test('breadcrumbs never say Grove while a page loads', async ({ page }) => {
  await openAs(page, sample.developer)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/developer/product/*', async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('link', { name: 'Habit Garden' }).first().click()
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(crumbs).toContainText(/my apps/i)
  await expect(crumbs).not.toContainText('Grove')
  release()
})

test('signing in from the start page leads to the dashboard', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.developer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/dashboard\//)
})

test('a customer is not offered a dashboard', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.customer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toHaveCount(0)
})

test('the palette opens pages, apps, devices and people by keyboard', async ({ page }) => {
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
  await open('register a dev', 'Register a device')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Register a device' })).toBeVisible()
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
  await expect(palette.getByText('Nothing found for')).toBeVisible()
})

test('a developer with a live app sees no steps to a first one', async ({ page }) => {
  await openAs(page, sample.developer)
  await expect(page.getByText('Habit Garden').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Your first release' })).toHaveCount(0)
})

test('a question mark lists the keys of the page', async ({ page }) => {
  await openAs(page, sample.developer)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help).toContainText('Search or jump to')
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
})

test('the help of a list names the keys of its rows', async ({ page }) => {
  await openAs(page, sample.admin, '/dashboard/maple/devices')
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const name of ['Search', 'Next row', 'Previous row', 'Open the row', 'Edit the row']) {
    await expect(help.getByText(name, { exact: true })).toBeVisible()
  }
})

test('on a phone the menu opens as a drawer and nothing overflows', async ({ page }) => {
  await page.setViewportSize(phone)
  await openAs(page, sample.admin)
  const opener = page.getByRole('button', { name: /menu/i })
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await opener.click()
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await expect(opener).toBeFocused()
  await opener.click()
  await drawer.getByRole('link', { name: 'Devices' }).first().click()
  await expect(page).toHaveURL(/\/dashboard\/maple\/devices/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectNoOverflow(page)
})

test('the share button appears only when the browser can share', async ({
  page,
  browser,
  baseURL,
}) => {
  await openAs(page, sample.developer)
  await expect(page.getByRole('button', { name: 'Share' })).toHaveCount(0)
  const context = await browser.newContext({ ...(baseURL && { baseURL }) })
  await context.addInitScript(() => {
    Object.defineProperty(navigator, 'share', { value: async () => {} })
  })
  const other = await context.newPage()
  await openAs(other, sample.developer)
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
    await openAs(page, email, path)
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

/** A device that no other test looks for, registered by the page's own session. */
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
