import { expectAccessible, expectNoOverflow, phone, tabTo } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const visitor = testAs(null)
const developer = testAs(people.developer)

visitor(
  'anyone can open the list of guides, a guide, and one that it links to',
  async ({ page }) => {
    await page.goto('/docs')
    await expect(page).toHaveTitle('Help · Grove')
    await expect(page.getByRole('heading', { level: 2, name: 'For developers' })).not.toHaveCount(0)
    const article = page.getByRole('article')
    await article.getByRole('link', { name: 'Publish a mini-app in ten minutes' }).click()
    await expect(page).toHaveURL(/\/docs\/publish$/)
    await expect(page).toHaveTitle('Publish a mini-app in ten minutes · Grove')
    await article.getByRole('link', { name: 'Links', exact: true }).click()
    await expect(page).toHaveURL(/\/docs\/links$/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Links')
    const guides = page.getByRole('navigation', { name: 'Guides' })
    await expect(guides.getByRole('link', { name: 'Links' })).toHaveAttribute(
      'aria-current',
      'page',
    )
  },
)

visitor('a section has a URL, and its code can be copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/docs/publish')
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page
    .getByRole('navigation', { name: 'On this page' })
    .getByRole('link', { name: 'Make it live' })
    .click()
  await expect(page).toHaveURL(/#make-it-live$/)
  const heading = page.getByRole('heading', { name: 'Make it live' })
  await expect(heading).toBeInViewport()
  await page
    .getByRole('article')
    .locator('div')
    .filter({ has: heading })
    .getByRole('button', { name: 'Copy the link to this section' })
    .click()
  await expect.poll(copied).toBe(page.url())
  await page.getByRole('button', { name: 'Copy the code' }).first().click()
  await expect.poll(copied).toMatch(/^mkdir -p tide\n[^]*END$/)
  // As someone else opens it.
  await page.goto('/docs/device-protocol#get-a-secret')
  await expect(page.getByRole('heading', { name: 'Get a secret' })).toBeInViewport()
})

visitor('a search finds sections by their words, and opens one by keyboard', async ({ page }) => {
  await page.goto('/docs/links')
  const box = page.getByRole('searchbox', { name: 'Search the guides' })
  await box.fill('claim code')
  const found = page
    .getByRole('main')
    .getByRole('link', { name: 'Make a product and a claim code' })
  await expect(page.getByText(/^\d+ sections$/)).toBeVisible()
  await expectAccessible(page)
  await tabTo(page, found)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/first-device#make-a-product-and-a-claim-code$/)
  await expect(
    page.getByRole('heading', { name: 'Make a product and a claim code' }),
  ).toBeInViewport()
  await box.fill('xylophone')
  await expect(page.getByText('No guide has words that begin so.')).toBeVisible()
  await box.press('Escape')
  await expect(page.getByRole('article')).toBeVisible()
})

visitor('guides are in Russian if translated, with the same anchors', async ({ page }) => {
  await page.goto('/docs/publish#make-it-live')
  await page.getByLabel('Language').selectOption('Русский')
  const heading = page.getByRole('heading', { name: 'Сделайте версию активной' })
  await expect(heading).toHaveAttribute('id', 'make-it-live')
  await expect(page).toHaveTitle('Публикация мини-приложения за десять минут · Grove')
  await page.getByRole('searchbox').fill('учетная')
  await expect(
    page.getByRole('main').getByRole('link', { name: 'Получите рабочий контур', exact: true }),
  ).toBeVisible()
  await page.getByRole('searchbox').fill('')
  await page.getByRole('link', { name: 'HSM' }).click()
  await expect(page.getByText('Это руководство есть только на английском.')).toBeVisible()
  await expect(page.getByRole('article')).toHaveAttribute('lang', 'en-US')
})

visitor('guides fit a phone and pass the accessibility check @long', async ({ page }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const path of ['/docs', '/docs/publish', '/docs/device-protocol']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectAccessible(page)
    }
  }
  await page.setViewportSize(phone)
  await page.goto('/docs/first-device')
  await page.locator('summary').click()
  await expect(page.getByRole('group').getByRole('link', { name: 'Send a command' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'All guides' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Help' })).toBeVisible()
  await expectNoOverflow(page)
})

visitor('a URL without a guide says so', async ({ page }) => {
  await page.goto('/docs/no-such-guide')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
})

developer('a guide links back to the page that the reader came from', async ({ page }) => {
  await page.goto('/docs/publish?from=/dashboard/cedar/keys')
  await page.getByRole('article').getByRole('link', { name: 'Links', exact: true }).click()
  const back = page.getByRole('link', { name: 'Back to the console' })
  await expect(back).toHaveAttribute('href', '/dashboard/cedar/keys')
  // A URL outside the console is ignored.
  await page.goto('/docs/publish?from=https://example.com/')
  await expect(back).toHaveAttribute('href', '/dashboard')
})

developer(
  'the “?” beside a title links to the section about the page, and back',
  async ({ page, calls }) => {
    calls.answer({ 'GET /api/developer/publishKey': { items: [], next: null, previous: null } })
    await page.goto('/dashboard/cedar/keys?q=build')
    await page.getByRole('main').getByRole('link', { name: 'Help' }).click()
    await expect(page).toHaveURL(/\/docs\/publish\?from=[^#]+#publish-from-the-command-line$/)
    const heading = page.getByRole('heading', { name: 'Publish from the command line' })
    await expect(heading).toBeInViewport()
    await page.getByRole('link', { name: 'Back to the console' }).click()
    await expect(page).toHaveURL(/\/dashboard\/cedar\/keys\?q=build$/)
  },
)

developer('help is in the account menu and in the palette', async ({ page, calls }) => {
  calls.answer({
    'GET /api/developer/publishKey': { items: [], next: null, previous: null },
    'GET /api/developer/product': { items: [], next: null, previous: null },
  })
  await page.goto('/dashboard/cedar/keys')
  await page.getByRole('button', { name: /account and settings/ }).click()
  await expect(page.getByRole('link', { name: 'Help' }).first()).toHaveAttribute(
    'href',
    '/docs?from=%2Fdashboard%2Fcedar%2Fkeys',
  )
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search or jump to' })
  await field.fill('first device')
  const guides = page.getByRole('group', { name: 'Help' }).getByRole('option')
  await expect(guides).toHaveText(['First device in ten minutes'])
  await field.fill('help')
  await expect(guides.first()).toHaveText('Help')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\?from=/)
})
