import { qrCode } from '../apps/console/src/features/cedar/link/qr-code.ts'
import { newDeveloper, testAs } from './support/account.ts'
import { createApp, createVersion, miniAppZip, switchVersion } from './support/catalogue.ts'
import { notice } from './support/my-apps-pages.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)

test('an app is shared by a link that anyone opens without scripts, until it is removed @long', async ({
  page,
  account,
  browser,
}) => {
  const product = await createApp(account, { 'en-US': 'Tide Clock', 'ru-RU': 'Часы приливов' })
  const version = await createVersion(account, product, '1.0.0', await miniAppZip())
  await switchVersion(account, version, true)
  await page.goto(`/dashboard/cedar/mobile/${product.productId}/links`)
  await page.getByRole('button', { name: 'Get the link' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Opens the live version' })
  const url = (await row.getByRole('link').getAttribute('href')) ?? ''
  expect(new URL(url).pathname).toMatch(/^\/[1-9A-HJ-NP-Za-km-z]{7}$/)
  await expect(page.getByRole('region', { name: 'Opens per day: table' })).toBeVisible()
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Show the QR code' }).click()
  const code = page.getByRole('dialog').getByRole('img', { name: `QR code of ${url}` })
  await expect(code.locator('path')).toHaveAttribute('d', qrCode(url).path)
  const [svg] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'SVG' }).click(),
  ])
  expect(svg.suggestedFilename()).toBe('Tide Clock QR.svg')
  await expectAccessible(page, 'dialog')
  await page.keyboard.press('Escape')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)

  for (const [locale, title, text] of [
    ['en-US', 'Tide Clock', 'Independent developer'],
    ['ru-RU', 'Часы приливов', 'Независимый разработчик'],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      const stranger = await browser.newContext({ locale, colorScheme, javaScriptEnabled: false })
      const visit = await stranger.newPage()
      await visit.goto(url)
      await expect(visit.getByRole('heading', { level: 1 })).toHaveText(title)
      await expect(visit.getByText(text)).toBeVisible()
      await stranger.close()
      // The check itself needs scripts; the page has none.
      const reader = await browser.newContext({ locale, colorScheme, viewport: phone })
      const seen = await reader.newPage()
      await seen.goto(url)
      await expectAccessible(seen)
      await expectNoOverflow(seen)
      await reader.close()
    }

  await row.getByRole('button', { name: 'Remove the link' }).click()
  await expect(question(page)).toContainText('including printed codes')
  await answer(page, 'Remove')
  await expect(notice(page)).toContainText('The link is removed.')
  await expect(page.getByRole('button', { name: 'Get the link' })).toBeVisible()
  await expect
    .poll(async () => (await page.request.get(url)).status(), { timeout: 10_000 })
    .toBe(410)
  expect(await (await page.request.get(url)).text()).toContain('This link no longer works')
})

test('a link stays with a version and leads to a place in the app', async ({ page, account }) => {
  const product = await createApp(account, { 'en-US': 'Tide Clock' })
  const zip = await miniAppZip()
  await switchVersion(account, await createVersion(account, product, '1.0.0', zip), true)
  await account.call(`/api/developer/product/${product.productId}/link`, { method: 'PUT' })
  await page.goto(`/dashboard/cedar/mobile/${product.productId}/links`)
  await page.getByRole('button', { name: 'New link' }).click()
  await page.getByRole('combobox', { name: 'Version' }).selectOption('Always 1.0.0')
  await page.getByRole('textbox', { name: 'Place in the app' }).fill('harbours/brest?day=2')
  await page.keyboard.press('Enter')
  const row = page.getByRole('listitem').filter({ hasText: 'Always opens version 1.0.0' })
  await expect(row).toContainText('/harbours/brest?day=2')
  const url = (await row.getByRole('link').getAttribute('href')) ?? ''
  await switchVersion(account, await createVersion(account, product, '1.1.0', zip), true)
  const { origin, pathname } = new URL(url)
  const read = async () => (await page.request.get(`${origin}/api${pathname}`)).json()
  await expect.poll(async () => (await read()).isPinned).toBe(true)
  expect(await read()).toMatchObject({ version: '1.0.0', target: '/harbours/brest?day=2' })
  await expect(page.getByRole('region', { name: 'Opens per day: table' })).toBeVisible()
})
