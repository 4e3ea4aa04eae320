import type { Page } from '@playwright/test'
import { refuse } from '../support/answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { loginPage } from '../support/login-page.ts'
import { phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

// The form of `/login` is in the page itself, and accepts typing before the scripts have loaded.

const visitor = testAs(null, () => ({ 'POST /api/token/password': refuse('wrong_credentials') }))
const admin = testAs(people.admin, () => homeAnswers())

const script = /\/assets\/.*\.js$/

/** Opens the sign-in page and delays every script until the returned function is called. */
async function openWithoutScripts(page: Page, address = '/login') {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(script, async (route) => {
    await held
    await route.continue().catch(() => {})
  })
  await page.goto(address, { waitUntil: 'commit' })
  return release
}

const early = (page: Page) => page.locator('#early-form')

/** Waits until the scripts have taken over the form. */
async function untilTaken(page: Page) {
  await expect(page.locator('#root form')).toBeVisible()
  await expect(early(page)).toHaveCount(0)
}

/** The texts and positions of the form's parts. */
const layout = (page: Page) =>
  page.evaluate(() => {
    const parts = 'header > a, h1, label:not(header *), .input, form .primary, .form-links > span'
    return [...document.querySelectorAll<HTMLElement>(parts)].map((part) => {
      const { x, y, width, height } = part.getBoundingClientRect()
      return { part: part.className || part.localName, text: part.innerText, x, y, width, height }
    })
  })

for (const locale of ['en-US', 'ru-RU'])
  for (const viewport of [{ width: 1440, height: 900 }, phone])
    visitor.describe(`in ${locale} at ${viewport.width} pixels`, () => {
      visitor.use({ locale, viewport })
      visitor('the scripts’ form appears exactly where the page’s own was', async ({ page }) => {
        const release = await openWithoutScripts(page, '/login?from=%2Fdashboard%2Fiot')
        const form = early(page)
        await expect(form.locator('[name=email]')).toBeFocused()
        await expect(form.locator('.form-links a')).toHaveAttribute('href', /\?from=%2Fdashboard/)
        const before = await layout(page)
        expect(before.map(({ text }) => text)).toContain(locale === 'ru-RU' ? 'Войти' : 'Sign in')
        release()
        await untilTaken(page)
        expect(await layout(page)).toEqual(before)
      })
    })

visitor('nothing typed before the scripts arrive is lost', async ({ page }) => {
  const release = await openWithoutScripts(page)
  await expect(early(page).locator('[name=email]')).toBeFocused()
  const address = 'somebody.with.a.long.address@grove.test'
  const typing = page.keyboard.type(address, { delay: 25 })
  release()
  await typing
  await untilTaken(page)
  const login = loginPage(page)
  await expect(login.email).toBeFocused()
  await expect(login.email).toHaveValue(address)
  // Kept for the other pages of the sign-in too.
  await page.reload()
  await expect(login.secret).toBeFocused()
  await expect(login.email).toHaveValue(address)
})

visitor('Enter is remembered, and sends what was typed once', async ({ page, calls }) => {
  const release = await openWithoutScripts(page)
  await expect(early(page).locator('[name=email]')).toBeFocused()
  await page.keyboard.type('somebody@grove.test')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Secret2026!')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/login$/)
  release()
  await untilTaken(page)
  await expect(page.getByRole('alert')).toContainText('wrong')
  const login = loginPage(page)
  await expect(login.email).toHaveValue('somebody@grove.test')
  await expect(login.secret).toHaveValue('Secret2026!')
  expect(calls.asked('POST /api/token/password').map(({ body }) => body)).toEqual([
    { email: 'somebody@grove.test', password: 'Secret2026!', provider: 'grove' },
  ])
})

visitor('a page whose scripts fail to load says so', async ({ page }) => {
  await page.route(script, (route) => route.abort())
  await page.goto('/login')
  await expect(page.getByRole('alert')).toContainText('did not load completely')
  await expect(early(page)).toHaveCount(0)
})

admin('someone already signed in sees no form', async ({ page }) => {
  const release = await openWithoutScripts(page)
  await expect(page.locator('#root')).toBeAttached()
  await expect(early(page)).toHaveCount(0)
  release()
  await expect(page).toHaveURL(/\/dashboard$/)
})
