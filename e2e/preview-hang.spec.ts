import { newDeveloper, testAs } from './support/account.ts'
import { createApp, createVersion } from './support/catalogue.ts'
import { hostileApp } from './support/hostile-app.ts'
import { previewPage } from './support/preview-page.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper).extend({
  // The browser reports what it blocks of a hostile app as console errors.
  page: async ({ context }, use) => use(await context.newPage()),
})
// Like every desktop browser, unlike the headless shell: a page that hangs affects only itself.
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: [...(launchOptions.args ?? []), '--site-per-process'] }),
})

test('an app that hangs or floods is stopped, and the console stays responsive @long', async ({
  page,
  account,
  baseURL,
}) => {
  const product = await createApp(account, { 'en-US': 'Loud' })
  const preview = previewPage(page)
  await preview.open(await createVersion(account, product, '1.0.0', hostileApp(baseURL ?? '', 9)))
  const isQuick = async () => {
    await preview.tab('Permissions').click({ timeout: 3000 })
    await expect(preview.tab('Permissions')).toHaveAttribute('aria-selected', 'true')
    await preview.tab('Console').click({ timeout: 3000 })
  }
  await preview.act('hang')
  await isQuick()
  await expect(page.getByText('has not responded for five seconds')).toBeVisible()
  await preview.button('Stop the app').click()
  await expect(preview.element).toHaveCount(0)

  await preview.button('Start').click()
  await preview.act('lines')
  await expect(page.getByText('came too fast')).toBeVisible()
  await isQuick()
  await preview.button('Reload').click()
  await preview.act('alerts')
  await isQuick()
  await expect(preview.state('Running')).toBeVisible()

  await preview.button('Reload').click()
  await preview.act('flood')
  await expect(preview.state('too many messages')).toBeVisible()
  await expect(preview.element).toHaveCount(0)
  await isQuick()
})
