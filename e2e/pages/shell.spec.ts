import type { Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import type { Product } from '@grove/contract/cedar/product'
import type { Answers } from '../support/answers.ts'
import { appAnswers, appOf } from '../support/app-answers.ts'
import { devicesOf, fleetAnswers } from '../support/fleet-answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { keyboardOf } from '../support/keyboard.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const emptyPage = { items: [], next: null, previous: null }
const live: Product['liveVersion'] = {
  productVersionId: randomUUID(),
  version: '1.0.0',
  state: 'live',
  locales: ['en-US'],
}

/** The lists that the pages of these tests show. */
const lists = (): Answers => ({
  ...fleetAnswers(devicesOf(3)),
  ...appAnswers([appOf({ 'en-US': 'Habit Garden' }, { liveVersion: live })]),
  ...homeAnswers(),
  'GET /api/catalogue/product': emptyPage,
  'GET /api/auth/event': { ...emptyPage, actions: [] },
  'GET /api/maple/templates': emptyPage,
})
const admin = testAs(people.admin, lists)
const developer = testAs(people.developer, lists)
const visitor = testAs(null, lists)

/** Delays files of the console until the returned function is called. */
async function hold(page: Page, files: RegExp) {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(files, async (route) => {
    await held
    await route.continue().catch(() => {})
  })
  return release
}

visitor('an unknown URL shows a 404 page with a link out', async ({ page }) => {
  await page.goto('/no/such/page')
  await expect(page.getByText('Page not found')).toBeVisible()
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page).toHaveURL(/\/$/)
})

developer(
  'the focus moves to a new page, unless the reader has tabbed on meanwhile',
  async ({ page }) => {
    const release = await hold(page, /\/home-[^/]*\.js$/)
    const menu = page.getByRole('navigation', { name: 'Main menu' })
    const link = (name: string) => menu.getByRole('link', { name, exact: true })
    await page.goto('/dashboard/cedar/mobile')
    await expect(page.getByText('Habit Garden')).toBeVisible()
    await link('Home').focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/dashboard$/)
    await keyboardOf(page).reach(link('My apps'))
    release()
    await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible()
    await expect(link('My apps')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile/)
    await expect(page.locator('main')).toBeFocused()
  },
)

developer(
  'a language chosen while the account is loading is saved to it',
  async ({ page, calls }) => {
    const releaseProfile = calls.hold('GET /api/user/profile')
    await page.goto('/dashboard/cedar/mobile')
    await expect(page.getByText('Habit Garden')).toBeVisible()
    await expect.poll(() => calls.asked('GET /api/user/profile')).toHaveLength(1)
    await page.getByRole('button', { name: /account and settings/ }).click()
    const releaseTexts = await hold(page, /\/assets\/[^/]*\.js$/)
    await page.getByLabel('Language').selectOption('ru-RU')
    releaseProfile()
    await expect(page.getByRole('button', { name: people.developer.email })).toBeVisible()
    releaseTexts()
    await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
    await expect
      .poll(() => calls.asked('PUT /api/user/profile').map(({ body }) => body))
      .toEqual([{ name: null, locale: 'ru-RU' }])
  },
)

admin('a link pressed while another is loading pages goes where it says', async ({ page }) => {
  const chunk = /\/pages-stage-[^/]*\.js$/
  const releasePages = await hold(page, chunk)
  const releaseTexts = await hold(page, /\/maple-templates-[^/]*\.js$/)
  const link = (path: string) =>
    page
      .getByRole('navigation', { name: 'Main menu' })
      .locator(`a[href="/dashboard/maple/${path}"]`)
  // Its URL is matched while its page has not loaded, and waits for its texts. If the first page
  // takes long, a skeleton replaces the menu: on a slow computer the press may come too late.
  await expect(async () => {
    await page.goto('/dashboard/cedar/mobile')
    const asked = page.waitForRequest(chunk)
    await link('applets').click()
    await asked
    await link('templates').click({ timeout: 1000 })
  }).toPass()
  const pages = page.waitForResponse(chunk)
  releasePages()
  await (await pages).finished()
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
  releaseTexts()
  await expect(page).toHaveURL(/templates/)
  await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
})

admin(
  'the menu is 236 pixels wide, follows the role, and breadcrumbs follow the route',
  async ({ page }) => {
    await page.goto('/dashboard/cedar/mobile')
    const menu = page.getByRole('navigation', { name: 'Main menu' })
    await menu.locator('a[href="/dashboard/maple/devices"]').click()
    await expect(page).toHaveURL(/\/dashboard\/maple\/devices/)
    const breadcrumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
    await expect(breadcrumbs).toContainText('Maple')
    await expect(breadcrumbs).toContainText('devices')
    const sidebar = await page.locator('aside').first().boundingBox()
    expect(sidebar?.width).toBe(236)
    await expect(page.locator('aside').first()).toContainText('local')
    // The current page is in view, although the menu is longer than the window.
    await page.goto('/dashboard/system/events')
    await expect(page.locator('aside nav [aria-current]')).toBeInViewport({ ratio: 1 })
  },
)

developer('language and colour scheme change immediately and are remembered', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
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

admin('the bottom of the menu shows who is signed in', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  const menu = page.getByRole('button', { name: /account and settings/ })
  await expect(menu).toContainText('Administrator')
  await menu.click()
  await expect(page.getByText(people.admin.email)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText(people.admin.email)).toBeHidden()
  await expect(menu).toBeFocused()
})

admin('every group keeps its own hue on other groups’ pages', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
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

admin('a collapsed group of the menu stays collapsed', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  const devices = page.locator('a[href="/dashboard/maple/devices"]')
  await page.locator('aside').getByText('Maple', { exact: true }).click()
  await expect(devices).toBeHidden()
  await page.reload()
  await expect(page.getByRole('link', { name: 'My apps' }).first()).toBeVisible()
  await expect(devices).toBeHidden()
})

admin(
  'the URL of a group without its own page opens the first one in its menu',
  async ({ page }) => {
    await page.goto('/dashboard/cedar')
    await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile$/)
  },
)

admin(
  'an unknown URL inside the dashboard keeps the menu and links back into it',
  async ({ page }) => {
    await page.goto('/dashboard/maple/nothing-here')
    await expect(page.getByText('Page not found')).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).not.toContainText('Grove')
    await page.getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(page).toHaveURL(/\/dashboard$/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
  },
)

developer('breadcrumbs never say Grove while a page is loading', async ({ page, calls }) => {
  await page.goto('/dashboard/cedar/mobile')
  const release = calls.hold('GET /api/developer/product/{id}')
  await page.getByRole('link', { name: 'Habit Garden' }).first().click()
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(crumbs).toContainText(/my apps/i)
  await expect(crumbs).not.toContainText('Grove')
  release()
})

developer('a developer with a live app sees no steps to a first release', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  await expect(page.getByText('Habit Garden').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Your first release' })).toHaveCount(0)
})

developer('a question mark lists the keyboard shortcuts of the page', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help).toContainText('Search or jump to')
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
})

admin('the help of a list names the shortcuts of its rows', async ({ page }) => {
  await page.goto('/dashboard/maple/devices')
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const name of ['Search', 'Next row', 'Previous row', 'Open the row', 'Edit the row']) {
    await expect(help.getByText(name, { exact: true })).toBeVisible()
  }
})

admin('on a phone the menu opens as a drawer and nothing overflows', async ({ page }) => {
  await page.setViewportSize(phone)
  await page.goto('/dashboard/cedar/mobile')
  const opener = page.getByRole('button', { name: /menu/i })
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await opener.click()
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await expect(opener).toBeFocused()
  await opener.click()
  await drawer.locator('a[href="/dashboard/maple/devices"]').click()
  await expect(page).toHaveURL(/\/dashboard\/maple\/devices/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectNoOverflow(page)
})

developer('the share button appears only when the browser can share', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const share = page.getByRole('button', { name: 'Share' })
  await expect(share).toHaveCount(0)
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'share', { value: async () => {} })
  })
  await page.reload()
  await expect(share).toBeVisible()
})

for (const [test, scheme, path] of [
  [developer, 'light', '/dashboard/cedar/mobile'],
  [developer, 'dark', '/dashboard/cedar/mobile'],
  [admin, 'light', '/dashboard/maple/devices'],
  [admin, 'dark', '/dashboard/maple/devices'],
] as const)
  test(`${path} passes the accessibility check, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme })
    await page.goto(path)
    await expect(page.getByRole('table')).toBeVisible()
    await expectAccessible(page)
  })

for (const path of ['/login', '/signup', '/'])
  visitor(`${path} passes the accessibility check`, async ({ page }) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectAccessible(page)
    }
  })
