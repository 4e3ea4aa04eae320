import type { Locator } from '@playwright/test'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion, Release } from '@grove/contract/cedar/product-version'
import { buildZip } from '../../apps/platform/src/services/cedar/package/testing/zip-builder.ts'
import { appAnswers, appOf, versionOf } from '../support/app-answers.ts'
import { largeMiniAppZip, miniAppZip, type Titles } from '../support/catalogue.ts'
import {
  appList,
  appPage,
  chooseLanguage,
  leaveByMenu,
  missing,
  notice,
  versionPage,
  zipFile,
} from '../support/my-apps-pages.ts'
import { limitUploads } from '../support/network.ts'
import { liveSummary, packageAnswers, releaseOf, takePackage } from '../support/package-answers.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  expectWithin,
  phone,
  question,
  tabTo,
} from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const apps: Product[] = []
const versions: ProductVersion[] = []
const test = testAs(people.developer, () => {
  apps.length = 0
  versions.length = 0
  return { ...appAnswers(apps, versions), ...packageAnswers(versions) }
})

function createApp(titles: Titles) {
  const app = appOf(titles)
  apps.push(app)
  return app
}

function createVersion(app: Product, number: string) {
  const version = versionOf(app, number)
  versions.push(version)
  return version
}

const publish = (app: Product, version: ProductVersion) => {
  app.liveVersion = liveSummary(version)
  return Object.assign(version, { enabled: true, state: 'live', isFinal: true })
}

test('an app is created with titles in both languages, and they can be changed', async ({
  page,
}) => {
  const list = appList(page)
  await list.open()
  await list.create({ 'en-US': 'Tide Clock', 'ru-RU': 'Часы приливов' })
  const app = appPage(page)
  await expect(app.heading).toHaveText('Tide Clock')
  await app.tab('Listing').click()
  await app.title('en-US').fill('Tide Watch')
  await app.title('ru-RU').fill('Приливы и отливы')
  await app.save()
  await expect(app.isSaved).toBeVisible()
  await list.open()
  // Languages belong to a version, and there is none yet.
  await expect(list.row('Tide Watch')).not.toContainText('Complete')
  await chooseLanguage(page, 'ru-RU')
  await expect(list.row('Приливы и отливы')).toBeVisible()
})

test('apps are searched, filtered and opened with the same keys as devices', async ({ page }) => {
  createApp({ 'en-US': 'Tide Clock' })
  createApp({ 'en-US': 'Habit Garden' })
  const list = appList(page)
  await page.goto(`${list.path}?status=draft,lost`)
  await expect(page.getByText('Unknown status “lost”')).toBeVisible()
  await expect(list.total).toHaveText('2 apps')
  await page.keyboard.press('/')
  await page.keyboard.type('tide')
  await expect(list.total).toHaveText('1 app')
  await page.goBack()
  await expect(list.total).toHaveText('2 apps')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(appPage(page).heading).toHaveText('Habit Garden')
})

test('the form for a new app has a URL, and Back asks before input is lost', async ({ page }) => {
  const list = appList(page)
  await list.open()
  await list.newApp.click()
  await expect(page).toHaveURL(/create=true/)
  // The form's footer ends at the bottom of the window, and covers none of its fields.
  const bottomOf = async (part: Locator) => {
    const { y = 0, height = 0 } = (await part.boundingBox()) ?? {}
    return y + height
  }
  const gap = (await bottomOf(list.dialog)) - (await bottomOf(list.dialog.locator('footer')))
  expect(gap).toBeLessThanOrEqual(2)
  await list.titleIn('en-US').fill('Tide Clock')
  await page.goBack()
  await answer(page, 'Stay')
  await list.createButton.click()
  await expect(appPage(page).heading).toHaveText('Tide Clock')
  await page.goBack()
  await expect(list.row('Tide Clock')).toBeVisible()
  await expect(list.createButton).toHaveCount(0)
})

test('the steps to a first release stay until an app is live', async ({ page }) => {
  const list = appList(page)
  createApp({ 'en-US': 'Tide Clock' })
  await list.open()
  const steps = page.getByRole('region', { name: 'Your first release' })
  await expect(steps.getByRole('listitem').filter({ has: page.getByLabel('Done') })).toHaveCount(1)
  await steps.getByRole('link', { name: 'Create a version' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Tide Clock')
})

test('a version takes texts in English and Russian and keeps them', async ({ page }) => {
  const app = appPage(page)
  await app.open(createApp({ 'en-US': 'Tide Clock', 'ru-RU': 'Часы приливов' }), '/versions')
  await app.createVersion('1.2.0')
  const version = versionPage(page)
  await expect(version.heading).toContainText('1.2.0')
  await expect(version.title('ru-RU')).toHaveValue('Часы приливов')
  await version.field('en-US', 'Short description').fill('High and low water for your pier.')
  await version.field('en-US', 'What’s new').fill('The first version.')
  await version.field('ru-RU', 'Description').fill('Прилив — в 6:12.\nОтлив — в 12:30.')
  await version.save()
  await expect(version.isSaved).toBeVisible()
  await page.reload()
  await expect(version.field('en-US', 'Short description')).toHaveValue(
    'High and low water for your pier.',
  )
  await expect(version.field('en-US', 'What’s new')).toHaveValue('The first version.')
  await expect(version.field('ru-RU', 'Description')).toHaveValue(
    'Прилив — в 6:12.\nОтлив — в 12:30.',
  )
})

test('a package shows its upload progress, leaves nothing when cancelled, and arrives when sent again', async ({
  page,
  calls,
}) => {
  const created = createVersion(createApp({ 'en-US': 'Habit Garden' }), '1.0.0')
  const version = versionPage(page)
  await version.open(created)
  const zip = zipFile('habit-garden.zip', await largeMiniAppZip())

  await limitUploads(page, 200_000)
  await version.choosePackage(zip)
  const shown = () => version.progress.evaluate((bar: HTMLProgressElement) => bar.value)
  await expect.poll(shown).toBeGreaterThan(0)
  const first = await shown()
  await expect.poll(shown).toBeGreaterThan(first)
  expect(await shown()).toBeLessThan(zip.buffer.length)
  await expect(version.package).toContainText(/\d+ kB of 1\.5 MB/)
  await version.cancel()
  await expect(version.progress).toHaveCount(0)
  await limitUploads(page)
  await expect(version.package).toContainText('Drop the mini-app’s zip here')
  expect(calls.asked('POST /api/storage/productVersion/miniApp')).toEqual([])

  await version.choosePackage(zip)
  await expect(version.package).toContainText('The package passed its checks')
  await expect(version.step('Package')).toContainText('Done')
  await expect(version.step('Release')).toContainText('Ready')
  expect(created.package?.bytes).toBe(zip.buffer.length)
})

test('a refused package is explained by rule, path and fix, in English and in Russian', async ({
  page,
}) => {
  const version = versionPage(page)
  await version.open(createVersion(createApp({ 'en-US': 'Habit Garden' }), '1.0.0'))
  const climbing = buildZip([
    { name: 'index.html', data: '<!doctype html>' },
    { name: '../outside.js', data: 'alert(1)' },
  ])
  await version.choosePackage(zipFile('climbing.zip', climbing))
  await expect(version.package).toContainText('The package was rejected')
  const climbs = version.finding.filter({ hasText: 'path-traversal' })
  await expect(climbs).toContainText('This path climbs out of the package folder.')
  await expect(climbs).toContainText('../outside.js')
  await expect(climbs).toContainText('Zip the folder itself, so that no path contains “..”.')
  await expect(version.release).toContainText('Checks failed')
  await expect(version.step('Package')).toContainText('Rejected')
  // A file that is rejected before it is sent replaces the earlier refusal.
  await version.choosePackage({ ...zipFile('notes.txt', climbing), mimeType: 'text/plain' })
  await expect(version.failure).toContainText('This is neither a .zip nor a .ma file.')
  await expect(version.package.getByRole('heading', { name: 'was rejected' })).toHaveCount(0)
  await version.package.getByText('climbing.zip was rejected before that').click()
  await expect(climbs).toBeVisible()
  await version.package.getByRole('button', { name: 'Close' }).click()
  await expect(version.package.getByRole('heading', { name: 'was rejected' })).toBeVisible()
  await expect(version.enable).toHaveAttribute('aria-disabled', 'true')
  await chooseLanguage(page, 'ru-RU')
  await expect(climbs).toContainText('Этот путь выходит за пределы папки пакета.')
  await expect(climbs).toContainText('Упакуйте саму папку, чтобы ни в одном пути не было «..».')

  const nested = buildZip([
    { name: 'dist/index.html', data: '<!doctype html>' },
    { name: 'dist/app.js', data: 'let on' },
  ])
  await version.choosePackage(zipFile('nested.zip', nested))
  const inside = version.finding.filter({ hasText: 'nested-in-folder' })
  await expect(inside).toContainText('Все файлы лежат в папке «dist/».')
  await expect(inside).toContainText('Упакуйте содержимое папки «dist», а не саму папку.')
  await expect(climbs).toHaveCount(0)
  await chooseLanguage(page, 'en-US')
  await expect(inside).toContainText('All files are inside “dist/”.')
  await expect(inside).toContainText('Zip the contents of “dist”, not the folder itself.')
})

test('a hundred backslashes are one finding, and the package is repaired with consent', async ({
  page,
}) => {
  const created = createVersion(createApp({ 'en-US': 'Habit Garden' }), '1.0.0')
  const version = versionPage(page)
  await version.open(created)
  const windows = buildZip([
    { name: 'dist\\index.html', data: '<!doctype html>' },
    ...Array.from({ length: 100 }, (_, index) => ({ name: `dist\\${index}.js`, data: 'x' })),
    { name: '__MACOSX/x', data: 'x' },
  ])
  await version.choosePackage(zipFile('windows.zip', windows))
  const backslashes = version.finding.filter({ hasText: 'path-backslash' })
  await expect(backslashes).toHaveCount(1)
  await expect(backslashes).toContainText('101 times')
  await expect(backslashes).toContainText('and 91 more')
  expect((await version.package.boundingBox())?.height).toBeLessThan(1500)

  await expect(version.package).toContainText('Move 101 files out of the folder')
  await version.package.getByText('Leave out 1 file that macOS or Windows added').click()
  await expect(version.package.getByText('__MACOSX/x').first()).toBeVisible()
  expect(created.package).toBeNull()
  await version.repair()
  await expect(version.package).toContainText('The package passed its checks')
  await version.package.getByText('Moved 101 files to the root of the package').click()
  await expect(version.package.getByText('dist\\0.js').first()).toBeVisible()
  expect(created.package?.files).toBe(101)
})

test('the warnings in Publish are those of the package it releases', async ({ page }) => {
  const app = createApp({ 'en-US': 'Habit Garden' })
  const warned = buildZip([
    { name: 'index.html', data: '<!doctype html>' },
    { name: '.DS_Store', data: 'x' },
  ])
  const refused = buildZip([
    { name: 'index.html', data: '<!doctype html>' },
    { name: '../a', data: 'x' },
    { name: '../b', data: 'x' },
  ])
  const version = versionPage(page)
  const first = createVersion(app, '1.0.0')
  await takePackage(first, 'warned.zip', warned)
  await version.open(first)
  await version.choosePackage(zipFile('refused.zip', refused))
  await expect(version.package).toContainText('The package was rejected')
  await expect(version.finding.filter({ hasText: 'system-files' })).toBeVisible()
  await version.enable.click()
  await expect(question(page)).toContainText('The package check has 1 warning.')
  await answer(page, 'Cancel')
  const clean = createVersion(app, '1.1.0')
  await takePackage(clean, 'clean.zip', await miniAppZip())
  await version.open(clean)
  await version.choosePackage(zipFile('refused.zip', refused))
  await expect(version.package).toContainText('The accepted package stays in place.')
  await version.enable.click()
  await expect(question(page)).toContainText('Publish 1.1.0?')
  await expect(question(page)).not.toContainText('warning')
})

test('the texts of a live version are published immediately, and the button says so beforehand', async ({
  page,
}) => {
  const app = createApp({ 'en-US': 'Habit Garden' })
  const created = createVersion(app, '1.0.0')
  const version = versionPage(page)
  await version.open(created)
  await expect(version.saveButton).toBeVisible()
  publish(app, created)
  await page.reload()
  await expect(page.getByText('what you publish is visible to everyone at once')).toBeVisible()
  await expect(version.saveButton).toHaveCount(0)
  await version.title('en-US').fill('Habit Meadow')
  await version.publish()
  await expect(notice(page)).toContainText('Published.')
})

test('a rollback needs a reason, and the history shows it', async ({ page, calls }) => {
  const app = createApp({ 'en-US': 'Habit Garden' })
  const old = createVersion(app, '1.0.0')
  await takePackage(old, 'old.zip', await miniAppZip())
  old.state = 'previous'
  publish(app, createVersion(app, '1.1.0'))
  const releases: Release[] = [releaseOf('1.1.0', '1.0.0'), releaseOf('1.0.0')]
  calls.answer({
    'GET /api/developer/product/{id}/release': () => ({
      items: releases,
      next: null,
      previous: null,
    }),
    'PUT /api/developer/productVersion/{id}': ({ body: { enabled, reason = null } }) => {
      expect(enabled).toBe(true)
      releases.unshift({ ...releaseOf('1.0.0', '1.1.0'), action: 'rollback', reason })
      return publish(app, old)
    },
  })
  const opened = appPage(page)
  await opened.open(app, '/versions')
  await expect(opened.history.first()).toContainText('1.1.0 went live and replaced 1.0.0.')
  await opened.action('Roll back… 1.0.0').click()
  await question(page).getByRole('textbox').fill('Crashes on start')
  await answer(page, 'Roll back')
  await expect(opened.history.first()).toContainText('Rolled back from 1.1.0 to 1.0.0.')
  await expect(opened.history.first()).toContainText('Crashes on start')
})

test('a new version shows what it changes from the live one', async ({ page }) => {
  const app = createApp({ 'en-US': 'Habit Garden' })
  publish(app, createVersion(app, '1.0.0'))
  const version = versionPage(page)
  await version.open(createVersion(app, '1.1.0'))
  await expect(version.changes).toContainText('None yet')
  await version.step('Listing').click()
  await expect(version.part('Listing')).toBeFocused()
  await version.field('en-US', 'Description').fill('More of it.')
  await expect(version.preview).toContainText('More of it.')
  await version.title('ru-RU').fill('Сад привычек')
  await expect(version.preview).toContainText('Сад привычек')
  await expect(version.release).toContainText('No changes from 1.0.0')
  await version.save()
  await expect(version.release).toContainText('2 changes from 1.0.0')
  await expect(version.changes).toContainText('English: Description')
})

test('an app is deleted by typing its title, but not while a version is live; Back does not return to it', async ({
  page,
}) => {
  const product = createApp({ 'en-US': 'Habit Garden' })
  publish(product, createVersion(product, '1.0.0'))
  product.rights.delete = 'product_is_live'
  const app = appPage(page)
  await page.goto('/dashboard/cedar/account')
  await app.open(product)
  await expect(app.deletion).toContainText('Version 1.0.0 is live. Unpublish it first.')
  await app.deleteApp.click({ force: true })
  await expect(question(page)).toHaveCount(0)

  Object.assign(product, { liveVersion: null, rights: { ...product.rights, delete: null } })
  await page.reload()
  await app.deleteApp.click()
  const agree = question(page).getByRole('button', { name: 'Delete' })
  await expect(agree).toBeDisabled()
  await question(page).getByRole('textbox').fill('Habit')
  await expect(agree).toBeDisabled()
  await question(page).getByRole('textbox').fill('Habit Garden')
  await answer(page, 'Delete')
  await expect(notice(page)).toContainText('Habit Garden is deleted.')
  await expect(appList(page).newApp).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(/\/dashboard\/cedar\/account/)
})

test('titles with HTML, emoji and right-to-left text are shown as typed', async ({ page }) => {
  const titles = ['<img src=x onerror=alert(1)>', '👩‍🚀 🌊 {0} %s & "', 'لعبة <b>x</b>']
  page.on('dialog', (dialog) => {
    throw new Error(`A title ran as a script: ${dialog.message()}`)
  })
  const list = appList(page)
  await list.open()
  await list.create({ 'en-US': 'a\u202Eb' })
  await expect(list.dialog).toContainText('Remove the invisible characters')
  await list.titleIn('en-US').fill(titles[0] ?? '')
  await list.createButton.click()
  const app = appPage(page)
  await expect(app.heading).toHaveText(titles[0] ?? '')
  for (const title of titles.slice(1)) createApp({ 'en-US': title })
  await list.open()
  for (const title of titles) {
    await list.link(title).click()
    await expect(app.heading).toHaveText(title)
    await expect.poll(() => page.title()).toContain(title)
    await app.deleteApp.click()
    await expect(question(page)).toContainText(`Delete ${title}?`)
    await answer(page, 'Cancel')
    await page.goBack()
  }
})

test('the second to save sees what the first wrote, and chooses', async ({ page, context }) => {
  const product = createApp({ 'en-US': 'Tide Clock' })
  const mine = appPage(page)
  await mine.open(product, '/listing')
  const theirs = appPage(await context.newPage())
  await theirs.open(product, '/listing')
  await mine.title('en-US').fill('Mine')
  await theirs.title('en-US').fill('Theirs')
  await theirs.save()
  await expect(theirs.isSaved).toBeVisible()

  await mine.save()
  await expect(mine.conflict.text).toBeVisible()
  await expect(mine.conflict.field('English, Title')).toContainText(/Theirs.*Theirs.*Yours.*Mine/)
  await expect(mine.conflict.field('English, Title')).toBeFocused()
  await expect(mine.title('en-US')).toHaveValue('Mine')
  // Nothing is overwritten before the person has chosen.
  await mine.save()
  await expect(mine.heading).not.toHaveText('Mine')
  await mine.conflict.choose('English, Title', 'Yours')
  await mine.save()
  await expect(mine.heading).toHaveText('Mine')

  await theirs.title('en-US').fill('Theirs again')
  await theirs.save()
  await theirs.conflict.choose('English, Title', 'Theirs')
  await expect(theirs.title('en-US')).toHaveValue('Mine')
  await theirs.save()
  await expect(theirs.conflict.text).toHaveCount(0)
  await expect(theirs.isSaved).toBeVisible()
})

test('unsaved changes are not lost through a link, a sign-out or a closed tab', async ({
  page,
}) => {
  const app = appPage(page)
  await app.open(createApp({ 'en-US': 'Tide Clock' }), '/listing')
  await app.title('en-US').fill('Tide Watch')
  await leaveByMenu(page)
  await expect(question(page)).toContainText('Your changes on this page have not been saved.')
  await answer(page, 'Stay')
  await expect(app.title('en-US')).toHaveValue('Tide Watch')

  await page.getByRole('button', { name: 'Logout' }).click()
  await answer(page, 'Stay')

  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await expect(app.title('en-US')).toHaveValue('Tide Watch')

  await leaveByMenu(page)
  await answer(page, 'Leave')
  await expect(appList(page).row('Tide Clock')).toBeVisible()
})

test('the URL of another developer’s app or version says that it does not exist', async ({
  page,
}) => {
  const theirs = appOf({ 'en-US': 'Not yours' })
  await appPage(page).open(theirs)
  await expect(missing(page)).toBeVisible()
  await versionPage(page).open(versionOf(theirs, '1.0.0'))
  await expect(missing(page)).toBeVisible()
})

test('an app and its first version are created without a mouse', async ({ page }) => {
  const list = appList(page)
  await list.open()
  await tabTo(page, list.newApp)
  await page.keyboard.press('Enter')
  await tabTo(page, list.titleIn('en-US'))
  await page.keyboard.type('Tide Clock')
  await tabTo(page, list.titleIn('ru-RU'))
  await page.keyboard.type('Часы приливов')
  await tabTo(page, list.createButton)
  await page.keyboard.press('Enter')
  const app = appPage(page)
  await expect(app.heading).toHaveText('Tide Clock')
  await tabTo(page, app.newVersion)
  await page.keyboard.press('Enter')
  await tabTo(page, app.versionNumber)
  await page.keyboard.press('Enter')
  await expect(versionPage(page).heading).toContainText('1.0.0')
})

const widths = [375, 768, 1024, 1440, 1920]

test('nothing in the list, an app or a version overflows, however wide the screen is', async ({
  page,
}) => {
  await page.setViewportSize(phone)
  const title = 'W'.repeat(30)
  const number = '100000000.100000000.100000000'
  const product = createApp({ 'en-US': title, 'ru-RU': 'Щ'.repeat(30) })
  const long = buildZip([{ name: `dist/${'a'.repeat(200)}.html`, data: '<a href="/x">' }])
  const version = createVersion(product, number)
  await takePackage(version, 'long.zip', long)
  const { state, productVersionId } = version
  product.newestVersion = { productVersionId, version: number, state, locales: ['en-US'] }
  await appList(page).open()
  await expect(appList(page).link(title)).toBeVisible()
  await expectNoOverflow(page)
  await appPage(page).open(product, '/versions')
  await expect(appPage(page).action(`Publish… ${number}`)).toBeVisible()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoOverflow(page)
    await expectWithin(appPage(page).versions, page.getByRole('main'))
  }
  await versionPage(page).open(version)
  await expect(versionPage(page).finding.first()).toBeVisible()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoOverflow(page)
  }
})

test('an app’s and a version’s page pass the accessibility check, light and dark', async ({
  page,
}) => {
  const product = createApp({ 'en-US': 'Habit Garden' })
  const live = createVersion(product, '1.0.0')
  await takePackage(live, 'live.zip', await miniAppZip())
  publish(product, live)
  const refused = buildZip([{ name: 'dist/index.html', data: '<!doctype html>' }])
  const version = createVersion(product, '1.1.0')
  await takePackage(version, 'refused.zip', refused)
  const accessible = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page)
    }
  }
  await appPage(page).open(product)
  await expect(appPage(page).checklist).toBeVisible()
  await accessible()
  await appPage(page).tab('Versions').click()
  await expect(appPage(page).live).toBeVisible()
  await accessible()
  await versionPage(page).open(version)
  await expect(versionPage(page).finding.first()).toBeVisible()
  await accessible()
})
