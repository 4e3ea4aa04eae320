import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildZip } from '../apps/platform/src/services/cedar/package/testing/zip-builder.ts'
import { newDeveloper, testAs } from './support/account.ts'
import {
  createApp,
  createVersion,
  icon,
  largeMiniAppZip,
  liveVersions,
  miniAppZip,
  readVersion,
  screenshot,
} from './support/catalogue.ts'
import { appPage, closeRelease, notice, versionPage, zipFile } from './support/my-apps-pages.ts'
import { limitUploads, startHoldingLine, startRelay } from './support/network.ts'
import { answer, expectDrawn, question } from './support/page-checks.ts'
import { mainFolder } from './support/run-folder.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)

test('an icon and screenshots in both languages are uploaded and shown', async ({
  page,
  account,
}) => {
  const product = await createApp(account, { 'en-US': 'Habit Garden' })
  const app = appPage(page)
  await app.open(product)
  await app.chooseIcon(screenshot('en-1'))
  await expect(app.iconFailure).toContainText('Each side must have 512 to 1024 pixels.')
  await app.chooseIcon(icon)
  await expect(notice(page)).toContainText('The icon is changed.')
  await expectDrawn(app.icon)

  const version = versionPage(page)
  await version.open(await createVersion(account, product, '1.0.0'))
  await version.addScreenshots('en-US', [screenshot('en-1'), screenshot('en-2')])
  await expect(version.screenshots).toHaveCount(2)
  await version.addScreenshots('ru-RU', [screenshot('ru-1')])
  await expect(version.screenshots).toHaveCount(3)
  await page.reload()
  for (const index of [0, 1, 2]) await expectDrawn(version.screenshots.nth(index))

  const first = await version.screenshots.first().getAttribute('src')
  await version.enlarge(1)
  await expect(version.lightbox).toHaveAccessibleName('Screenshot 1 of 2')
  await page.keyboard.press('ArrowRight')
  await expect(version.lightbox).toHaveAccessibleName('Screenshot 2 of 2')
  await expectDrawn(version.lightbox.getByRole('img'))
  await page.keyboard.press('Escape')
  await expect(version.lightbox).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Enlarge screenshot 1' }).first()).toBeFocused()
  await version.handle(1).dragTo(version.screenshots.nth(1))
  await expect(version.screenshots.nth(1)).toHaveAttribute('src', `${first}`)
  await version.handle(2).press('ArrowLeft')
  await expect(version.screenshots.first()).toHaveAttribute('src', `${first}`)
  await expect(version.handle(1)).toBeFocused()
  await version.removeScreenshot(2)
  await answer(page, 'Remove')
  await expect(version.screenshots).toHaveCount(2)
})

const onHoldingLine = test.extend<object>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
  baseURL: async ({}, use) => {
    const path = '/api/storage/productVersion/miniApp'
    const line = await startHoldingLine(process.env['GROVE_E2E_URL'] ?? '', path)
    await use(line.url)
    line.close()
  },
})

for (const [what, entries] of [
  ['would be refused', [{ name: '../evil.js', data: 'x' }]],
  ['would pass', []],
] as const)
  onHoldingLine(
    `a package that ${what} leaves nothing when cancelled while it is checked @long`,
    async ({ page, account }) => {
      const product = await createApp(account, { 'en-US': 'Habit Garden' })
      const created = await createVersion(account, product, '1.0.0')
      const version = versionPage(page)
      await version.open(created)
      const index = { name: 'index.html', data: '<!doctype html><title>Hi</title>' }
      await version.choosePackage(zipFile('habit-garden.zip', buildZip([index, ...entries])))
      await expect(version.package).toContainText('Sent. The package is being checked…')
      await version.cancel()
      await expect(version.progress).toHaveCount(0)
      // The server has finished with it, whatever the outcome.
      await expect.poll(() => readdir(join(mainFolder(), 'objects', 'staged'))).toEqual([])
      expect(await readVersion(account, created)).toMatchObject({
        state: 'no_package',
        package: null,
        lastRefused: null,
      })
      await expect(version.package).toContainText('Drop the mini-app’s zip here')
      await expect(version.package).not.toContainText('refused')
    },
  )

const onRelay = test.extend<{ relay: Awaited<ReturnType<typeof startRelay>> }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
  relay: async ({}, use) => {
    const relay = await startRelay(process.env['GROVE_E2E_URL'] ?? '')
    await use(relay)
    relay.close()
  },
  baseURL: async ({ relay }, use) => use(relay.url),
})

onRelay(
  'the page says that an upload lost its connection, and the same file can be sent again @long',
  async ({ page, account, relay }) => {
    const product = await createApp(account, { 'en-US': 'Habit Garden' })
    const version = versionPage(page)
    await version.open(await createVersion(account, product, '1.0.0'))
    await limitUploads(page, 200_000)
    await version.choosePackage(zipFile('habit-garden.zip', await largeMiniAppZip()))
    await expect(version.package).toContainText(/[1-9]\d* kB of 1\.5 MB/)
    relay.cut()
    await expect(version.failure).toContainText('The connection was lost during the upload.')
    relay.restore()
    await limitUploads(page)
    await version.tryAgain()
    await expect(version.package).toContainText('The package passed its checks')
  },
)

test('one version is live at a time: the second replaces the first, and two clicks roll back', async ({
  page,
  account,
}) => {
  const product = await createApp(account, { 'en-US': 'Habit Garden' })
  const zip = await miniAppZip()
  await createVersion(account, product, '1.0.0', zip)
  await createVersion(account, product, '1.1.0', zip)
  const app = appPage(page)
  await app.open(product, '/versions')

  // A double click asks once, like a click.
  await app.action('Publish… 1.0.0').dblclick()
  await expect(question(page)).toContainText('No version is live now.')
  await answer(page, 'Publish')
  await closeRelease(page, '1.0.0')
  await expect(app.state('1.0.0')).toHaveText('Live')

  await app.action('Publish… 1.1.0').click()
  await expect(question(page)).toContainText('It immediately replaces 1.0.0, which is now live')
  await answer(page, 'Publish')
  await closeRelease(page, '1.1.0')
  await expect(app.state('1.1.0')).toHaveText('Live')
  await expect(app.state('1.0.0')).toHaveText('Previous')
  await expect(app.live).toHaveCount(1)
  expect(await liveVersions(account, product)).toEqual(['1.1.0'])

  await app.action('Roll back… 1.0.0').click()
  await answer(page, 'Roll back')
  await expect(app.state('1.0.0')).toHaveText('Live')
  await expect(app.live).toHaveCount(1)
  expect(await liveVersions(account, product)).toEqual(['1.0.0'])

  await app.action('Unpublish… 1.0.0').click()
  await expect(question(page)).toContainText('No version will be live')
  await answer(page, 'Cancel')
  expect(await liveVersions(account, product)).toEqual(['1.0.0'])
  await app.action('Unpublish… 1.0.0').click()
  await answer(page, 'Unpublish')
  await expect(app.live).toHaveCount(0)
  expect(await liveVersions(account, product)).toEqual([])
})

test.describe('in Russian', () => {
  test.use({ locale: 'ru-RU' })
  test('a package is downloaded byte for byte under its Cyrillic title @long', async ({
    page,
    account,
  }) => {
    await page.addInitScript(() => localStorage.setItem('grove.locale', 'ru-RU'))
    const titles = { 'en-US': 'Tide Clock', 'ru-RU': 'Часы «Прилив»: море' }
    const version = versionPage(page)
    const product = await createApp(account, titles)
    const created = await createVersion(account, product, '2.10.0', await miniAppZip())
    await version.open(created)
    await version.download()
    const started = page.waitForEvent('download')
    await answer(page, 'Скачать')
    const download = await started
    // Windows does not allow a colon in a file name.
    expect(download.suggestedFilename()).toBe('Часы «Прилив» море - v2.10.0.zip')
    // The platform repacks each package, so its bytes differ from the upload.
    const hash = createHash('sha256').update(await readFile(await download.path()))
    expect(hash.digest('hex')).toBe((await readVersion(account, created)).package?.sha256)
  })
})
