import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { zipFolder } from '../apps/platform/src/sample/zip-folder.ts'
import { keepSignedIn, signedIn, type Account } from './support/account.ts'
import { createApp, createVersion, miniAppZip } from './support/catalogue.ts'
import { keyboardOf } from './support/keyboard.ts'
import { loginPage } from './support/login-page.ts'
import { appList, appPage, closeRelease, versionPage, zipFile } from './support/my-apps-pages.ts'
import { expectAccessible, expectNoOverflow, inRussian, phone } from './support/page-checks.ts'
import { previewPage } from './support/preview-page.ts'
import { programArgs } from '../apps/platform/src/core/testing/run-script.ts'
import { takeDeveloper } from './support/run-folder.ts'
import { test as sending } from './support/sending-platform.ts'
import { expect, password, sample } from './support/test.ts'

// Nobody here uses a mouse, and each story spans many pages.

const sampleApp = fileURLToPath(
  new URL('../apps/platform/src/sample/apps/habit-garden/v1.0.0', import.meta.url),
)
const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))

/** A copy of a mini-app, as on a developer's disk. */
const test = sending.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'grove-story-'))
    await cp(sampleApp, folder, { recursive: true })
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

/** The output of the command line. */
async function publish(url: string, key: string, args: readonly string[]) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    programArgs(main, 'publish', ...args, '--json'),
    { env: { ...process.env, GROVE_URL: url, GROVE_KEY: key, GITHUB_ACTIONS: '' } },
  )
  return JSON.parse(stdout) as { version: string; state: string }
}

/** An account that is already signed in in the browser. */
async function signedInAs(page: Page, url: string, email: string): Promise<Account> {
  const account = await signedIn(url, email)
  await keepSignedIn(page.context(), account, url)
  return account
}

async function expectSound(page: Page) {
  await expectNoOverflow(page)
  await expectAccessible(page)
}

test('a newcomer publishes from the command line, tries the app, shares it and sends a notification @long', async ({
  page,
  baseURL,
  folder,
  fcm,
}) => {
  test.setTimeout(240_000)
  const keys = keyboardOf(page)
  const login = loginPage(page)
  const list = appList(page)
  const app = appPage(page)

  await login.open()
  await keys.start(login.email)
  const email = takeDeveloper()
  await keys.write(login.email, email)
  await keys.write(login.secret, password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/^[^?]+\/dashboard/)
  await expect(page.getByText('Nothing has happened yet.')).toBeVisible()
  await keys.press(page.getByRole('link', { name: 'My apps' }).first())
  await expect(list.newApp).toBeVisible()
  await expectSound(page)
  await keys.press(list.newApp)
  await keys.write(list.titleIn('en-US'), 'Tide Clock')
  await keys.press(list.createButton)
  await expect(app.heading).toHaveText('Tide Clock')
  const productId = new URL(page.url()).pathname.split('/').at(-1) ?? ''

  await keys.press(page.getByRole('link', { name: 'Publish keys' }).last())
  await keys.press(page.getByRole('button', { name: 'New key' }).first())
  await keys.write(page.getByLabel('Name', { exact: true }), 'My laptop')
  await keys.press(page.getByRole('button', { name: 'Create', exact: true }))
  const shown = page.getByRole('dialog', { name: 'Publish key “My laptop”' })
  const key = await shown.getByText('grove_publish_').innerText()
  await keys.press(shown.getByRole('button', { name: 'I have copied it' }))
  await keys.press(
    page
      .getByRole('dialog', { name: 'My laptop' })
      .getByRole('button', { name: 'Close the panel' }),
  )
  await expect(page.getByRole('row', { name: 'My laptop' })).toBeFocused()
  await expectSound(page)
  expect(await publish(baseURL ?? '', key, [folder, '--app', productId])).toMatchObject({
    version: '1.0.0',
    state: 'ready',
  })

  await keys.press(page.getByRole('link', { name: 'My apps' }).first())
  await keys.press(list.row('Tide Clock'))
  await keys.press(app.tab('Versions'))
  await keys.press(app.versions.getByRole('row', { name: '1.0.0', exact: true }))
  await expectSound(page)
  await keys.press(page.getByRole('link', { name: 'Run a preview' }))
  const preview = previewPage(page)
  await expect(preview.state('Running')).toBeVisible()
  await expectFirstField(page)
  await keys.select(page.getByLabel('Colours of the app'), 'Dark')
  await keys.press(preview.tab('Console'), 'ArrowRight')
  await expect(preview.tab('Permissions')).toBeFocused()
  await keys.press(preview.button('Stop'))
  await expectSound(page)
  await keys.press(page.getByRole('link', { name: 'Back to the version' }))
  const version = versionPage(page)
  await keys.press(version.enable)
  await keys.answer('Publish')
  await closeRelease(page, '1.0.0')
  await expect(version.release).toContainText('Live')

  await keys.press(page.getByRole('link', { name: 'All versions' }))
  await keys.press(app.tab('Links'))
  await keys.press(page.getByRole('button', { name: 'Get the link' }))
  const link = page.getByRole('listitem').filter({ hasText: 'Opens the live version' })
  const url = (await link.getByRole('link').getAttribute('href')) ?? ''
  await keys.press(link.getByRole('button', { name: 'Show the QR code' }))
  await expect(page.getByRole('dialog').getByRole('img')).toBeVisible()
  await expectAccessible(page, 'dialog')
  await page.keyboard.press('Escape')
  await expect(link.getByRole('button', { name: 'Show the QR code' })).toBeFocused()
  await expectSound(page)

  const hostApp = await signedIn(baseURL ?? '', email)
  await hostApp.call('/api/notification/device', {
    method: 'POST',
    body: {
      productId,
      token: `token-${productId}`,
      platform: 'android',
      localeCode: 'en-US',
      appVersion: '1.0.0',
    },
  })
  await keys.press(page.getByRole('link', { name: 'Notifications' }).first())
  await keys.press(page.getByRole('button', { name: 'New notification' }).first())
  const form = page.getByRole('dialog', { name: 'New notification' })
  const english = form.getByRole('group', { name: 'English' }).first()
  await keys.write(english.getByLabel('Title'), 'High water')
  await keys.write(english.getByLabel('Text'), 'The harbour is full at 18:05.')
  await expect(form.getByText('Currently reaches 1 device.')).toBeVisible()
  await expectSound(page)
  await page.keyboard.press('Control+Enter')
  await keys.answer('Send')
  const panel = page.getByRole('dialog', { name: 'High water' })
  await expect(panel.getByText('Sent', { exact: true })).toHaveCount(2)
  expect(fcm.received.filter(({ data }) => data['productId'] === productId)).toHaveLength(1)
  await keys.press(panel.getByRole('button', { name: 'Close the panel' }))
  await expect(page.getByRole('row', { name: 'High water' })).toBeFocused()
  await expectSound(page)

  // Anyone with the link can use it without an account.
  await page.goto(url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tide Clock')
  await expectSound(page)
})

/** The first Tab of a page skips the menu. */
async function expectFirstField(page: Page) {
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null))
    .toBe(true)
}

test('a developer publishes an update in the browser of a phone, compares it and rolls it back @long', async ({
  page,
  baseURL,
  folder,
}) => {
  test.setTimeout(240_000)
  const account = await signedInAs(page, baseURL ?? '', takeDeveloper())
  await page.setViewportSize(phone)
  await page.emulateMedia({ colorScheme: 'dark' })
  const keys = keyboardOf(page)
  const app = appPage(page)
  const version = versionPage(page)
  const product = await createApp(account, { 'en-US': 'Tide Clock', 'ru-RU': 'Часы приливов' })
  const first = await createVersion(account, product, '1.0.0', await miniAppZip())
  await account.call(`/api/developer/productVersion/${first.productVersionId}`, {
    method: 'PUT',
    body: { enabled: true },
  })
  await writeFile(join(folder, 'tide.js'), 'let tide = "low"')

  await app.open(product)
  await keys.start(app.tab('Versions'))
  await page.keyboard.press('Enter')
  await expectSound(page)
  await keys.press(app.newVersion)
  const dialog = page.getByRole('dialog', { name: 'New version' })
  await keys.press(dialog.getByRole('button', { name: '1.1.0' }))
  await expect(app.versionNumber).toHaveValue('1.1.0')
  await keys.press(dialog.getByRole('button', { name: 'Create' }))
  await expect(version.heading).toContainText('1.1.0')
  await keys.choose(
    version.package.getByRole('button', { name: /^Choose/ }),
    zipFile('tide.zip', await zipFolder(folder)),
  )
  await expect(version.package).toContainText('The package passed its checks')
  await keys.write(version.field('en-US', 'What’s new'), 'Tides for Lisbon')
  await keys.press(version.saveButton)
  await expect(version.isSaved).toBeVisible()
  await expectSound(page)
  await keys.back(version.enable)
  await page.keyboard.press('Enter')
  await keys.answer('Publish')
  await closeRelease(page, '1.1.0')
  await expect(version.release).toContainText('Live')

  await keys.press(page.getByRole('link', { name: 'Compare with…' }))
  await expect(app.heading).toHaveText('Changes from 1.0.0 to 1.1.0')
  const file = page
    .getByRole('region', { name: 'Files' })
    .getByRole('listitem')
    .filter({ has: page.locator('summary', { hasText: 'tide.js' }) })
  await keys.press(file.locator('summary'))
  await expect(file).toContainText('let tide = "low"')
  await expectSound(page)

  await keys.press(page.getByRole('link', { name: 'Back to 1.1.0' }))
  await keys.press(page.getByRole('link', { name: 'All versions' }))
  await keys.press(app.action('Roll back… 1.0.0'))
  await keys.write(page.getByRole('alertdialog').getByRole('textbox'), 'The tides are wrong')
  await keys.answer('Roll back')
  await expect(app.state('1.0.0')).toHaveText('Live')
  await expect(app.history.first()).toContainText('The tides are wrong')
  await expectSound(page)
  await keys.press(app.tab('Activity'))
  await expect(page.getByRole('list', { name: 'Activity' })).toContainText('The tides are wrong')
  await expectSound(page)
})

const userOf = async (account: Account) =>
  (await account.call<{ user_id: string }>('/api/user/info')).user_id

test('an administrator gives a provider fares, rights and limits, transfers apps to it and back, and disables it @long', async ({
  page,
  baseURL,
}) => {
  test.setTimeout(240_000)
  await signedInAs(page, baseURL ?? '', sample.admin)
  await page.emulateMedia({ colorScheme: 'dark' })
  await inRussian(page)
  const developer = await signedIn(baseURL ?? '', takeDeveloper())
  await createApp(developer, { 'ru-RU': 'Часы приливов' })
  const keys = keyboardOf(page)
  const name = `Приливы ${randomUUID().slice(0, 8)}`
  const panel = page.getByRole('dialog', { name })
  const button = (text: string) => panel.getByRole('button', { name: text, exact: true })
  const tab = async (text: string) => {
    await keys.reach(panel.getByRole('tab', { selected: true }))
    for (let presses = 0; presses < 8; presses += 1) {
      if (await panel.getByRole('tab', { name: text, selected: true }).isVisible()) break
      await page.keyboard.press('ArrowRight')
    }
    await expect(panel.getByRole('tab', { name: text, selected: true })).toBeFocused()
  }
  const save = async (section: string) => {
    const button = panel
      .getByRole('region', { name: section })
      .getByRole('button', { name: 'Сохранить', exact: true })
    await keys.press(button)
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toBeFocused()
  }
  const soundAtBothWidths = async () => {
    await expectSound(page)
    await page.setViewportSize(phone)
    await expectNoOverflow(page)
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  await page.goto('/dashboard')
  await keys.start(page.getByRole('link', { name: 'Поставщики' }).first())
  await page.keyboard.press('Enter')
  await keys.press(page.getByRole('button', { name: 'Новый поставщик' }).first())
  await keys.write(page.getByLabel('Название', { exact: true }), name)
  await keys.press(page.getByRole('button', { name: 'Создать', exact: true }))
  await tab('Участники')
  await expect(panel.getByText('1 из 100')).toBeVisible()
  await soundAtBothWidths()
  await tab('Обзор')

  await keys.press(button('Изменить'))
  await keys.write(page.getByLabel('Лимит приложений'), '5')
  await soundAtBothWidths()
  await page.keyboard.press('Control+Enter')
  await expect(panel.getByText('0 из 5, активных: 0')).toBeVisible()

  await tab('Права и ключи')
  await keys.select(panel.getByLabel('Камера'), 'Можно требовать')
  await keys.select(panel.getByLabel('Сеть'), 'Необязательно')
  await keys.write(panel.getByLabel('Хосты, к которым'), 'api.tides.example')
  await save('Разрешения мини-приложений')
  await soundAtBothWidths()

  await tab('Обзор')
  await keys.press(button('Добавить тариф'))
  await keys.write(panel.getByLabel('Название на русском'), 'Гавань')
  await keys.write(panel.getByLabel('Сумма'), '49.00')
  await keys.write(panel.getByLabel('Валюта'), 'EUR')
  await save('Тарифы')
  await soundAtBothWidths()

  await keys.press(button('Передать сюда приложения…'))
  const transfer = page.getByRole('dialog', { name: `Передать приложения поставщику ${name}` })
  await keys.press(transfer.getByRole('button', { name: 'Разработчик:' }))
  await page.keyboard.insertText(await userOf(developer))
  await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await soundAtBothWidths()
  await keys.press(transfer.getByRole('button', { name: 'Передать…' }))
  await keys.answer('Передать')
  await expect(panel.getByText('1 из 5, активных: 0')).toBeVisible()
  await keys.press(button('Отменить…'))
  await keys.answer('Отменить передачу')
  await expect(panel.getByText('0 из 5, активных: 0')).toBeVisible()

  await keys.press(button('Отключить…'))
  await keys.answer('Отключить')
  await expect(panel.getByText('Отключён')).toBeVisible()
  await keys.press(button('Включить…'))
  await keys.answer('Включить')
  await expect(panel.getByText('Включён')).toBeVisible()

  await tab('Активность')
  await expect(panel.getByRole('list', { name: 'Активность' })).toContainText('Изменён поставщик')
  await soundAtBothWidths()
  await keys.press(button('Закрыть панель'))
  await expect(page.getByRole('row', { name })).toBeFocused()
  await soundAtBothWidths()
})
