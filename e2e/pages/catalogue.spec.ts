import { answerElse } from '../support/answers.ts'
import { catalogueAnswers, liveApp } from '../support/catalogue-answers.ts'
import {
  expectAccessible,
  expectDrawn,
  expectNoOverflow,
  phone,
  tabTo,
} from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'
import { signInAnswers } from '../support/sign-in-answers.ts'
import { startPage } from '../support/start-page.ts'
import { password } from '../support/test.ts'

const tides = liveApp(
  {
    localeCode: 'en-US',
    title: 'Tide Table',
    shortDescription: 'When the water comes and goes',
    description: 'At length.\n\n<b>Not bold</b>',
    whatsNew: 'All of it',
  },
  {
    localeCode: 'ru-RU',
    title: 'Таблица приливов',
    shortDescription: 'Когда приходит и уходит вода',
    whatsNew: 'Кривая прилива за сутки',
  },
)
const bill = liveApp({ localeCode: 'en-US', title: 'Split the Bill' })
const apps = catalogueAnswers([tides, bill])
const test = testAs(null, () => ({ ...signInAnswers(people.customer), ...apps }))

test('an app has a URL: it opens, and the copied link is the same', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const start = startPage(page)
  await start.open({ app: tides.productId })
  await expect(start.title).toHaveText('Tide Table')
  for (const text of [
    '1.0.0',
    'When the water comes and goes',
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
  await expect(start.link('Tide Table')).toBeFocused()
})

test('a browser that does not allow copying shows the link', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  })
  const start = startPage(page)
  await start.open({ app: tides.productId })
  await start.copyLink.click()
  await expect(start.details).toContainText(page.url())
})

test('keys open and close an app, the focus returns, and Back and Forward do the same', async ({
  page,
}) => {
  const start = startPage(page)
  await start.open({ q: 'tide' })
  await tabTo(page, start.link('Tide Table'))
  await page.keyboard.press('Enter')
  await expect(start.title).toHaveText('Tide Table')
  await expect(start.close).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(start.details).toHaveCount(0)
  await expect(start.link('Tide Table')).toBeFocused()
  await expect(start.searchBox).toHaveValue('tide')
  await page.goForward()
  await expect(start.title).toHaveText('Tide Table')
  await page.goBack()
  await expect(start.details).toHaveCount(0)
  await expect(start.link('Tide Table')).toBeFocused()
})

test('an app closed by two quick presses leaves the list open', async ({ page }) => {
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

test.describe('in Russian', () => {
  test.use({ locale: 'ru-RU' })

  test('the catalogue, an app and its screenshots are in Russian; anything untranslated is in English and marked for screen readers', async ({
    page,
  }) => {
    const start = startPage(page)
    await start.open()
    await expect.poll(start.titles).toEqual(['Таблица приливов', 'Split the Bill'])
    const heading = start.catalogue.getByRole('heading', { name: 'Split the Bill' })
    await expect(heading).toHaveAttribute('lang', 'en-US')
    await start.searchBox.fill('приливов')
    await expect.poll(start.titles).toEqual(['Таблица приливов'])
    await start.link('Таблица приливов').click()
    await expect(start.title).toHaveText('Таблица приливов')
    for (const text of ['Что нового', 'Кривая прилива за сутки', 'Обновлено', 'Независимый'])
      await expect(start.details).toContainText(text)
    await expect(start.screenshots).toHaveCount(2)
    await expectDrawn(start.screenshots.first())
  })
})

test('pages follow each other without a gap, also after reload and Back', async ({
  page,
  calls,
}) => {
  const all = Array.from({ length: 26 }, (_, at) => `App ${at}`)
  calls.answer(catalogueAnswers(all.map((title) => liveApp({ localeCode: 'en-US', title }))))
  const start = startPage(page)
  await start.open({ q: 'app' })
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
  await start.open({ q: 'app', cursor: 'made-up' })
  await expect(start.problem).toContainText('This page of the list has expired.')
  await page.getByRole('button', { name: 'Go to the first page' }).click()
  await expect.poll(start.titles).toEqual(all.slice(0, 24))
})

test('offline it says so, and recovers automatically', async ({ page, context }) => {
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

test('the page says that the service has failed, and its button retries', async ({
  page,
  calls,
}) => {
  calls.answer({ 'GET /api/catalogue/product': answerElse(503, '<h1>Bad gateway</h1>') })
  const start = startPage(page)
  await start.open({ q: 'tide' })
  await expect(start.problem).toContainText('The service is not responding correctly.')
  calls.answer(apps)
  await start.tryAgain.click()
  await expect.poll(start.titles).toEqual(['Tide Table'])
})

test('without the catalogue’s code the page still lets people sign in, and retries', async ({
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

test('an empty catalogue says what will appear there', async ({ page, calls }) => {
  calls.answer(catalogueAnswers([]))
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
  await page.getByRole('textbox', { name: 'Email' }).fill(people.customer.email)
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
  calls,
}) => {
  const title = 'W'.repeat(30)
  calls.answer(
    catalogueAnswers([
      liveApp({
        localeCode: 'en-US',
        title,
        shortDescription: 'Ж'.repeat(80),
        description: 'W'.repeat(4000),
        whatsNew: 'й'.repeat(500),
      }),
    ]),
  )
  await page.setViewportSize(phone)
  const start = startPage(page)
  await start.open({ q: title })
  await expect(start.link(title)).toBeVisible()
  await expectNoOverflow(page)
  await start.link(title).click()
  await expect(start.details).toContainText('What’s new')
  await expectNoOverflow(page)
})

test('the list and an app pass the accessibility check, light and dark', async ({ page }) => {
  const start = startPage(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await start.open({ q: 'tide' })
    await expect(start.link('Tide Table')).toBeVisible()
    await expectAccessible(page)
    await start.link('Tide Table').click()
    await expect(start.screenshots).toHaveCount(2)
    await expectAccessible(page)
  }
})
