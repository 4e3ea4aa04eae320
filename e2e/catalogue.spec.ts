import { newDeveloper, type Account } from './support/account.ts'
import { createApp, createVersion, miniAppZip, switchVersion } from './support/catalogue.ts'
import {
  expectAccessible,
  expectDrawn,
  expectNoOverflow,
  phone,
  tabTo,
} from './support/page-checks.ts'
import { describe, newTitle, publish, startPage } from './support/start-page.ts'
import { expect, password, sample, test as base } from './support/test.ts'

/** The browser is nobody's; the account publishes what it sees. */
const test = base.extend<{ publisher: Account }>({
  publisher: async ({ baseURL }, use) => use(await newDeveloper(baseURL ?? '')),
})

test('an anonymous visitor finds the sample apps, and reload and Back restore the search', async ({
  page,
}) => {
  const start = startPage(page)
  await start.open()
  await start.searchBox.fill('TIDE tab')
  await expect(start.link('Tide Table')).toBeVisible()
  await expect.poll(start.titles).toEqual(['Tide Table'])
  await expect(start.card('Tide Table')).toContainText('When the water comes and goes')
  await expectDrawn(start.card('Tide Table').locator('img'))
  await page.reload()
  await expect(start.searchBox).toHaveValue('TIDE tab')
  await expect.poll(start.titles).toEqual(['Tide Table'])
  await start.searchBox.fill('split')
  await expect.poll(start.titles).toEqual(['Split the Bill'])
  await expect(start.card('Split the Bill')).toContainText('Harbour Studio')
  await page.goBack()
  await expect(start.searchBox).toHaveValue('')
  await expect(start.link('Split the Bill')).toBeVisible()
})

test('an app has an address: it opens, and the link copied is the same', async ({
  page,
  context,
  publisher,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const title = newTitle()
  const version = await publish(publisher, { 'en-US': title })
  await describe(publisher, version, [
    {
      localeCode: 'en-US',
      title,
      shortDescription: 'For short',
      description: 'At length.\n\n<b>Not bold</b>',
      whatsNew: 'All of it',
    },
  ])
  const start = startPage(page)
  await start.open({ app: version.productId })
  await expect(start.title).toHaveText(title)
  for (const text of [
    '1.0.0',
    'For short',
    '<b>Not bold</b>',
    'All of it',
    'Independent developer',
  ])
    await expect(start.details).toContainText(text)
  await start.copyLink.click()
  await expect(start.copied).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
  await expect(start.copyLink).toBeVisible()
  await start.close.click()
  await expect(start.details).toHaveCount(0)
  expect(new URL(page.url()).search).toBe('')
  await expect(start.link(title)).toBeFocused()
})

test('an app that is closed by two quick presses leaves the list open', async ({ page }) => {
  const start = startPage(page)
  await start.open({ q: 'tide' })
  await start.link('Tide Table').click()
  await expect(start.details).toBeVisible()
  await start.close.evaluate((button: HTMLElement) => {
    button.click()
    button.click()
  })
  await expect(start.details).toHaveCount(0)
  await expect(start.searchBox).toHaveValue('tide')
})

test('a browser that allows no copying is shown the link', async ({ page, publisher }) => {
  const { productId } = await publish(publisher, { 'en-US': newTitle() })
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  })
  const start = startPage(page)
  await start.open({ app: productId })
  await start.copyLink.click()
  await expect(start.details).toContainText(page.url())
})

test('keys open an app and close it, the focus returns, and Back and Forward do the same', async ({
  page,
  publisher,
}) => {
  const title = newTitle()
  await publish(publisher, { 'en-US': title })
  const start = startPage(page)
  await start.open({ q: title })
  await tabTo(page, start.link(title))
  await page.keyboard.press('Enter')
  await expect(start.title).toHaveText(title)
  await expect(start.close).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(start.details).toHaveCount(0)
  await expect(start.link(title)).toBeFocused()
  await expect(start.searchBox).toHaveValue(title)
  await page.goForward()
  await expect(start.title).toHaveText(title)
  await page.goBack()
  await expect(start.details).toHaveCount(0)
  await expect(start.link(title)).toBeFocused()
})

test.describe('in Russian', () => {
  test.use({ locale: 'ru-RU' })

  test('the catalogue, an app and its screenshots are Russian', async ({ page }) => {
    const start = startPage(page)
    await start.open({ q: 'приливов' })
    await expect.poll(start.titles).toEqual(['Таблица приливов'])
    await start.link('Таблица приливов').click()
    await expect(start.title).toHaveText('Таблица приливов')
    for (const text of ['Что нового', 'Кривая прилива за сутки', 'Обновлено', 'Независимый'])
      await expect(start.details).toContainText(text)
    await expect(start.screenshots).toHaveCount(2)
    await expectDrawn(start.screenshots.first())
  })

  test('what has no Russian is shown in English and says so to a screen reader', async ({
    page,
    publisher,
  }) => {
    const title = newTitle()
    await publish(publisher, { 'en-US': title })
    const start = startPage(page)
    await start.open({ q: title })
    const heading = start.catalogue.getByRole('heading', { name: title })
    await expect(heading).toHaveAttribute('lang', 'en-US')
  })
})

test('a draft is not there, and what is disabled disappears, its link too', async ({
  page,
  publisher,
}) => {
  const title = newTitle()
  const live = await publish(publisher, { 'en-US': `${title} live` })
  const draft = await createApp(publisher, { 'en-US': `${title} draft` })
  await createVersion(publisher, draft, '1.0.0', await miniAppZip())
  const start = startPage(page)
  await start.open({ q: title })
  await expect.poll(start.titles).toEqual([`${title} live`])
  await switchVersion(publisher, live, false)
  await page.reload()
  await expect(start.catalogue).toContainText(`Nothing found for “${title}”`)
  for (const app of [live.productId, draft.productId, 'no-id']) {
    await start.open({ q: title, app })
    await expect(start.details).toContainText('not in the catalogue')
    await start.details.getByRole('button', { name: 'Show all mini-apps' }).click()
    await expect(start.details).toHaveCount(0)
  }
  await start.showAll.click()
  await expect(start.searchBox).toHaveValue('')
})

test('pages follow each other without a gap, also after reload and Back', async ({
  page,
  publisher,
}) => {
  const prefix = newTitle()
  const all: string[] = []
  for (let number = 1; number <= 26; number++) {
    all.unshift(`${prefix} ${number}`)
    await publish(publisher, { 'en-US': all[0] ?? '' })
  }
  const start = startPage(page)
  await start.open({ q: prefix })
  await expect.poll(start.titles).toEqual(all.slice(0, 24))
  await start.next.click()
  await expect.poll(start.titles).toEqual(all.slice(24))
  await expect(start.next).toBeDisabled()
  await page.reload()
  await expect.poll(start.titles).toEqual(all.slice(24))
  await page.goBack()
  await expect.poll(start.titles).toEqual(all.slice(0, 24))
  await page.goForward()
  await start.previous.click()
  await expect.poll(start.titles).toEqual(all.slice(0, 24))
  await start.open({ q: prefix, cursor: 'made-up' })
  await expect(start.problem).toContainText('This page of the list has expired.')
  await page.getByRole('button', { name: 'Go to the first page' }).click()
  await expect.poll(start.titles).toEqual(all.slice(0, 24))
})

test('offline it says so, and comes back by itself', async ({ page, context }) => {
  const start = startPage(page)
  await start.open()
  await expect(start.searchBox).toBeVisible()
  await context.setOffline(true)
  await start.searchBox.fill('tide')
  await expect(start.problem).toContainText('The service cannot be reached.')
  await start.tryAgain.click()
  await expect(start.problem).toBeVisible()
  await context.setOffline(false)
  await expect.poll(start.titles).toEqual(['Tide Table'])
})

test('the page says that the service fails, and its button asks again', async ({ page }) => {
  const list = '**/api/catalogue/product?*'
  await page.route(list, (route) => route.fulfill({ status: 503, body: '<h1>Bad gateway</h1>' }))
  const start = startPage(page)
  await start.open({ q: 'tide' })
  await expect(start.problem).toContainText('The service is not responding correctly.')
  await page.unroute(list)
  await start.tryAgain.click()
  await expect.poll(start.titles).toEqual(['Tide Table'])
})

test('without the catalogue’s code the page still lets people sign in, and tries again', async ({
  page,
}) => {
  const code = '**/assets/catalogue-*.js'
  await page.route(code, (route) => route.abort())
  const start = startPage(page)
  await start.open({ q: 'tide' })
  await expect(start.problem).toBeVisible({ timeout: 20_000 })
  await expect(start.signIn).toBeVisible()
  await page.unroute(code)
  await start.tryAgain.click()
  await expect.poll(start.titles).toEqual(['Tide Table'])
})

test('an empty catalogue says what will be there', async ({ page }) => {
  const nothing = { items: [], next: null, previous: null }
  await page.route('**/api/catalogue/product?*', (route) => route.fulfill({ json: nothing }))
  const start = startPage(page)
  await start.open()
  await expect(start.catalogue).toContainText('Nothing is published yet')
})

test('signing in returns to the same place, and Logout leaves the catalogue open', async ({
  page,
}) => {
  const start = startPage(page)
  await start.open({ q: 'tide' })
  await expect.poll(start.titles).toEqual(['Tide Table'])
  await start.signIn.click()
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.customer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(start.logout).toBeVisible()
  expect(new URL(page.url()).search).toBe('?q=tide')
  await expect.poll(start.titles).toEqual(['Tide Table'])
  await start.logout.click()
  await expect(start.signIn).toBeVisible()
  await start.searchBox.fill('split')
  await expect.poll(start.titles).toEqual(['Split the Bill'])
})

test('nothing moves while the catalogue is loading', async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(globalThis, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as { value?: number }).value ?? 0)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  for (const part of ['**/assets/catalogue-*.js', '**/api/catalogue/product?*'])
    await page.route(part, async (route) => {
      // Long enough for its placeholder to be painted.
      await new Promise((resolve) => setTimeout(resolve, 400))
      await route.continue()
    })
  const start = startPage(page)
  await start.open()
  await expect(start.catalogue.getByRole('heading', { level: 3 }).first()).toBeVisible()
  const shifts = await page.evaluate(() => (globalThis as { shifts?: number[] }).shifts ?? [])
  expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.02)
})

test('on a phone neither the list nor an app overflows, however long its texts are', async ({
  page,
  publisher,
}) => {
  await page.setViewportSize(phone)
  const title = newTitle().padEnd(30, 'W')
  const version = await publish(publisher, { 'en-US': title })
  await describe(publisher, version, [
    {
      localeCode: 'en-US',
      title,
      shortDescription: 'Ж'.repeat(80),
      description: 'W'.repeat(4000),
      whatsNew: 'й'.repeat(500),
    },
  ])
  const start = startPage(page)
  await start.open({ q: title })
  await expect(start.link(title)).toBeVisible()
  await expectNoOverflow(page)
  await start.link(title).click()
  await expect(start.details).toContainText('What’s new')
  await expectNoOverflow(page)
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`the list and an app have no accessibility fault that can be found by machine, ${colorScheme}`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme })
    const start = startPage(page)
    await start.open({ q: 'tide' })
    await expect(start.link('Tide Table')).toBeVisible()
    await expectAccessible(page)
    await start.link('Tide Table').click()
    await expect(start.screenshots).toHaveCount(2)
    await expectAccessible(page)
  })
