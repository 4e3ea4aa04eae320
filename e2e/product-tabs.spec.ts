import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildZip } from '../apps/platform/src/services/cedar/package/testing/zip-builder.ts'
import { newDeveloper, testAs } from './support/account.ts'
import { programArgs } from '../apps/platform/src/core/testing/run-script.ts'
import { createApp, createVersion, icon, miniAppZip, screenshot } from './support/catalogue.ts'
import { appPage, closeRelease, versionPage, zipFile } from './support/my-apps-pages.ts'
import {
  answer,
  expectAccessible,
  expectDrawn,
  expectNoOverflow,
  phone,
} from './support/page-checks.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)

test('the checklist leads a new app to its release, and is quiet when nothing is missing @long', async ({
  page,
  account,
}) => {
  const app = appPage(page)
  const version = versionPage(page)
  await app.open(await createApp(account, { 'en-US': 'Tide Clock' }))
  const item = (name: string) => app.checklist.getByRole('listitem').filter({ hasText: name })
  await expect(item('Add an icon')).toContainText('Recommended')
  await expect(item('Upload a package')).toContainText('To do')
  await item('Add an icon').getByRole('link').click()
  await expect(page.getByRole('button', { name: 'Add an icon' })).toBeFocused()
  await app.chooseIcon(icon)
  await expect(item('Add an icon')).toContainText('Done')
  await item('Name the app').getByRole('link').click()
  await app.title('ru-RU').fill('Часы приливов')
  await app.save()
  await expect(app.isSaved).toBeVisible()
  await page.goBack()
  await expect(item('Name the app')).toContainText('Done')
  await item('Create a version').getByRole('link').click()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(version.heading).toContainText('1.0.0')

  await page.getByRole('link', { name: 'All versions' }).click()
  await app.tab('Overview').click()
  await item('Upload a package').getByRole('link').click()
  await expect(page).toHaveURL(/#package$/)
  await version.choosePackage(zipFile('clock.zip', await miniAppZip()))
  await expect(version.package).toContainText('The package passed its checks')
  await version.package.getByText('Largest files').click()
  await expect(
    version.package.getByRole('table', { name: 'Files of the package by size' }),
  ).toContainText('index.html')
  await version.addScreenshots('en-US', [screenshot('en-1')])
  await expect(version.screenshots).toHaveCount(1)
  await version.field('en-US', 'Description').fill('High and low water.')
  await version.field('ru-RU', 'Description').fill('Прилив и отлив.')
  await version.save()
  await expect(version.isSaved).toBeVisible()
  await version.enable.click()
  await answer(page, 'Publish')
  await closeRelease(page, '1.0.0')
  await expect(version.release).toContainText('Live')
  await page.getByRole('link', { name: 'All versions' }).click()
  await app.tab('Overview').click()
  await expect(page.getByText('Nothing is missing: version 1.0.0 is live.')).toBeVisible()
  await expect(app.checklist).toHaveCount(0)
  await app.deletion.getByRole('button', { name: 'Hide the app…' }).click()
  await answer(page, 'Unpublish')
  await expect(app.checklist).toBeVisible()
})

test('two versions are compared by files, lines, images, texts and permissions @long', async ({
  page,
  account,
}) => {
  const product = await createApp(account, { 'en-US': 'Tide Clock' })
  const lines = (changed: string) =>
    Array.from({ length: 60 }, (_, at) => (at === 30 ? changed : `line ${at}`)).join('\n')
  const pixel = (bytes: string) => Buffer.from(bytes, 'base64')
  const zip = (changed: string, logo: string, permission: string, folder: string) =>
    buildZip([
      { name: 'index.html', data: '<!doctype html><title>Tide</title>' },
      { name: 'app.js', data: lines(changed) },
      { name: `${folder}/tide.css`, data: 'body { color: teal }' },
      { name: 'logo.png', data: pixel(logo) },
      { name: 'manifest.json', data: JSON.stringify({ reqPermissions: [{ name: permission }] }) },
      { name: 'packed.js', data: `${changed}${'x'.repeat(700_000)}`, method: 0 },
    ])
  const white =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII='
  const black =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await createVersion(account, product, '1.0.0', zip('low', white, 'camera', 'css'))
  const fresh = await createVersion(account, product, '1.1.0', zip('high', black, 'push', 'style'))
  await versionPage(page).open(fresh)
  await page.getByRole('link', { name: 'Compare with…' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Changes from 1.0.0 to 1.1.0')
  const files = page.getByRole('region', { name: 'Files' })
  const file = (name: string) =>
    files.getByRole('listitem').filter({ has: page.locator('summary', { hasText: name }) })
  await expect(file('style/tide.css')).toContainText('Moved')
  await file('app.js').getByText('app.js').click()
  await expect(file('app.js')).toContainText('1 line added, 1 line removed')
  await expect(file('app.js')).toContainText('Removed: low')
  await expect(file('app.js')).toContainText('Added: high')
  await expect(file('app.js').getByText('line 5', { exact: true })).toHaveCount(0)
  await file('app.js').getByRole('button', { name: 'Show 27 unchanged lines' }).press('Enter')
  await expect(file('app.js').getByText('line 5', { exact: true })).toBeVisible()
  await file('logo.png').getByText('logo.png').click()
  await expect(file('logo.png').getByRole('figure')).toHaveCount(2)
  await expectDrawn(file('logo.png').locator('img').first())
  await file('packed.js').getByText('packed.js').click()
  await expect(file('packed.js')).toContainText('This file is too large to be shown here.')
  const download = page.waitForEvent('download')
  await file('packed.js').getByRole('button', { name: 'Download from 1.1.0' }).click()
  expect((await download).suggestedFilename()).toBe('packed.js')
  const permissions = page.getByRole('region', { name: 'Permissions' })
  await expect(permissions).toContainText('Newly requested: push')
  await expect(permissions).toContainText('No longer requested: camera')
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.getByLabel('From').selectOption('1.1.0')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Changes from 1.1.0 to 1.0.0')
  await page.reload()
  await expect(file('css/tide.css')).toContainText('Moved')
})

const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))
const sampleApp = fileURLToPath(
  new URL('../apps/platform/src/sample/apps/habit-garden/v1.0.0', import.meta.url),
)

test('a version published from the command line is live in the browser, compared and rolled back @long', async ({
  page,
  account,
  baseURL,
}) => {
  const product = await createApp(account, { 'en-US': 'Tide Clock' })
  const app = appPage(page)
  await app.open(product)
  await expect(page.getByRole('link', { name: 'Publish keys' }).last()).toBeVisible()
  await expect(page.getByText(`--app ${product.productId}`)).toBeVisible()
  const { key } = await account.call<{ key: string }>('/api/developer/publishKey', {
    method: 'POST',
    body: { providerId: product.providerId, name: 'Build server' },
  })
  const folder = await mkdtemp(join(tmpdir(), 'grove-publish-'))
  const publish = async (...options: string[]) => {
    const args = programArgs(main, 'publish', folder, '--app', product.productId)
    const env = { ...process.env, GROVE_URL: baseURL, GROVE_KEY: key, GITHUB_ACTIONS: '' }
    const run = promisify(execFile)(process.execPath, [...args, '--json', ...options], { env })
    const { stdout, code = 0 } = (await run.catch(
      (error: { stdout: string; code: number }) => error,
    )) as { stdout: string; code?: number }
    return [code, JSON.parse(stdout) as { version: string; isNew: boolean; state: string }]
  }
  try {
    await cp(sampleApp, folder, { recursive: true })
    const first = { version: '1.0.0', state: 'live' }
    expect(await publish('--enable')).toMatchObject([0, { ...first, isNew: true }])
    expect(await publish('--enable')).toMatchObject([0, { ...first, isNew: false }])
    await writeFile(join(folder, 'tide.js'), 'let tide = "low"')
    const notes = ['--notes', 'Tides', '--enable']
    expect(await publish(...notes)).toMatchObject([0, { version: '1.0.1', state: 'live' }])
    await cp(join(folder, 'index.html'), join(folder, 'nested.zip'))
    expect(await publish()).toMatchObject([3, { version: '1.0.2', state: 'refused' }])
  } finally {
    await rm(folder, { recursive: true })
  }
  await app.open(product, '/versions')
  await expect(app.state('1.0.1')).toHaveText('Live')
  await expect(app.state('1.0.2')).toHaveText('Checks failed')
  await expect(app.history.first()).toContainText('1.0.1 went live and replaced 1.0.0.')
  await expect(app.history.first()).toContainText('Tides')
  await app.versions.getByRole('link', { name: '1.0.1' }).click()
  await page.getByRole('link', { name: 'Compare with…' }).click()
  await expect(page.getByRole('region', { name: 'Files' })).toContainText('tide.js')
  await app.open(product, '/versions')
  await app.action('Roll back… 1.0.0').click()
  await answer(page, 'Roll back')
  await expect(app.state('1.0.0')).toHaveText('Live')
})
