import type { Locator, Page } from '@playwright/test'
import { newDeveloper, signedIn, testAs, type Account } from './support/account.ts'
import { accountPage } from './support/account-pages.ts'
import { createApp, createVersion } from './support/catalogue.ts'
import { devicePanel, devicesPage } from './support/devices-page.ts'
import { createDevice, newPrefix, readDevice } from './support/fleet.ts'
import { loginPage } from './support/login-page.ts'
import { appList, appPage, leaveByMenu, notice, versionPage } from './support/my-apps-pages.ts'
import { answer, phone, question } from './support/page-checks.ts'
import { expect, password, sample } from './support/test.ts'

const test = testAs(newDeveloper)
const adminTest = testAs((url) => signedIn(url, sample.admin))

const problem = (page: Page) => page.locator('.form-problem')
const restored = (page: Page) => page.getByText('Restored what you typed.')

/** Whole within the window, and nothing over it. */
async function expectInView(target: Locator) {
  await expect(target).toBeVisible()
  await expect
    .poll(() =>
      target.evaluate((element) => {
        const { top, bottom, left, right } = element.getBoundingClientRect()
        const isWithin = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
        const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return isWithin && element.contains(over)
      }),
    )
    .toBe(true)
}

/** Answers the next saves of a path with a status, or with no answer. */
async function refuse(page: Page, path: string, status: number | 'offline') {
  await page.route(path, (route) => {
    if (route.request().method() !== 'PUT') return route.fallback()
    if (status === 'offline') return route.abort('internetdisconnected')
    return route.fulfill({ status, headers: { 'retry-after': '30' }, body: '' })
  })
}

/** Ends every session of an account, as a new password elsewhere does. */
async function endSessions(account: Account) {
  const { items } = await account.call<{ items: { id: string }[] }>('/api/user/session')
  for (const { id } of items) await account.fetch(`/api/user/session/${id}`, { method: 'DELETE' })
}

const emailOf = async (account: Account) =>
  (await account.call<{ email: string }>('/api/user/profile')).email

for (const [name, size] of Object.entries({ desktop: { width: 1440, height: 900 }, phone }))
  test(`a refused save of a long form shows its problem beside the buttons, ${name}`, async ({
    page,
    account,
  }) => {
    await page.setViewportSize(size)
    const titles = { 'en-US': 'Tide Clock', 'ru-RU': 'Часы приливов' }
    const product = await createApp(account, titles)
    const version = versionPage(page)
    await version.open(await createVersion(account, product, '1.0.0'))
    const news = version.field('ru-RU', 'What’s new')
    await news.fill('Быстрее')
    for (const status of [500, 503, 429, 'offline'] as const) {
      await refuse(page, '**/api/developer/productVersion/*', status)
      await version.save()
      await expectInView(problem(page))
      await expect(problem(page)).toBeFocused()
      await expect(news).toHaveValue('Быстрее')
      await page.unroute('**/api/developer/productVersion/*')
    }
    await version.save()
    await expect(version.isSaved).toBeVisible()
    await expectInView(version.isSaved)
    await expect(problem(page)).toHaveCount(0)
  })

test('a field that is refused takes the focus, and no banner repeats it', async ({
  page,
  account,
}) => {
  const app = appPage(page)
  await app.open(await createApp(account, { 'en-US': 'Tide Clock' }), '/listing')
  await app.title('en-US').fill('')
  await app.save()
  await expect(app.title('en-US')).toBeFocused()
  await expect(page.getByText('Enter a title in at least one language.')).toBeVisible()
  await expect(problem(page)).toHaveCount(0)

  await page.route('**/api/developer/product/*', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({
          status: 400,
          json: {
            code: 'invalid_request',
            errors: [
              {
                path: 'translations.0.title',
                code: 'maxLength',
                message: 'at most 9',
                params: { limit: 9 },
              },
            ],
          },
        })
      : route.fallback(),
  )
  await app.title('en-US').fill('Ten letters')
  await app.save()
  await expect(page.getByText('At most 9 characters.')).toBeVisible()
  await expect(app.title('en-US')).toBeFocused()
  await expect(problem(page)).toHaveCount(0)
  await app.title('en-US').fill('Shorter')
  await expect(page.getByText('At most 9 characters.')).toHaveCount(0)
})

test('Ctrl+S and Ctrl+Enter save, also on a Russian keyboard', async ({ page }) => {
  const own = accountPage(page)
  await own.open()
  const saved = own.profile.getByText('Saved', { exact: true })
  for (const [index, keys] of ['Control+KeyS', 'Control+Enter', 'Meta+KeyS'].entries()) {
    await own.name.fill(`Alder ${index}`)
    await expect(saved).toHaveCount(0)
    await own.name.press(keys)
    await expect(saved).toBeVisible()
  }
})

test('what was typed survives an ended session, and is removed by a save', async ({
  page,
  account,
}) => {
  const product = await createApp(account, { 'en-US': 'Tide Clock' })
  const version = versionPage(page)
  await version.open(await createVersion(account, product, '1.0.0'))
  await version.field('en-US', 'Description').fill('Tides of every coast.')
  await expect(version.unsaved).toBeVisible()
  const email = await emailOf(account)
  await endSessions(account)
  // A service that asks whether the session still lives refuses the token before it expires.
  const saves = '**/api/developer/productVersion/*'
  await page.route(saves, (route) =>
    route.fulfill({ status: 401, json: { code: 'unauthorized', status: 401 } }),
  )
  await version.save()
  await page.waitForURL('**/login?**')
  await page.unroute(saves)
  await loginPage(page).fill(email)
  await expect(version.field('en-US', 'Description')).toHaveValue('Tides of every coast.')
  await expect(restored(page)).toBeVisible()
  await version.save()
  await expect(version.isSaved).toBeVisible()
  await page.reload()
  await expect(version.field('en-US', 'Description')).toHaveValue('Tides of every coast.')
  await expect(restored(page)).toHaveCount(0)
})

test('what was typed survives a sign-out in another tab, and Discard has an undo', async ({
  page,
  context,
  account,
}) => {
  const app = appPage(page)
  const email = await emailOf(account)
  await app.open(await createApp(account, { 'en-US': 'Tide Clock' }), '/listing')
  await app.title('en-US').fill('Tide Watch')
  await expect(app.unsaved).toBeVisible()
  const other = await context.newPage()
  await accountPage(other).open()
  await other.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/login?**')
  await expect(question(page)).toHaveCount(0)
  await loginPage(page).fill(email)
  await expect(app.title('en-US')).toHaveValue('Tide Watch')
  await expect(restored(page)).toBeVisible()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(app.title('en-US')).toHaveValue('Tide Clock')
  await notice(page).getByRole('button', { name: 'Undo' }).click()
  await expect(app.title('en-US')).toHaveValue('Tide Watch')
})

test('another person never sees a draft', async ({ page, account, baseURL, context }) => {
  const app = appPage(page)
  await app.open(await createApp(account, { 'en-US': 'Tide Clock' }))
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  const own = accountPage(page)
  await own.name.fill('Secretly typed')
  await expect(own.profile.getByText('Unsaved changes')).toBeVisible()
  const other = await context.newPage()
  await accountPage(other).open()
  await other.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/login?**')
  const stranger = await newDeveloper(baseURL ?? '')
  await loginPage(page).fill(await emailOf(stranger))
  await expect(own.name).toHaveValue('')
  await expect(restored(page)).toHaveCount(0)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Secretly')
})

test('passwords are in no draft, and one’s own sign-out removes every draft', async ({ page }) => {
  const own = accountPage(page)
  await own.open()
  await own.present.fill(password)
  await own.next.fill('Another2026!')
  await own.name.fill('Alder')
  await expect(own.profile.getByText('Unsaved changes')).toBeVisible()
  const stored = () => page.evaluate(() => JSON.stringify(sessionStorage))
  expect(await stored()).toContain('Alder')
  expect(await stored()).not.toContain('2026!')
  await page.getByRole('button', { name: 'Logout' }).click()
  await answer(page, 'Leave')
  await expect(page).toHaveURL(/\/$/)
  expect(await stored()).not.toContain('Alder')
})

test('leaving a form for good removes its draft', async ({ page, account }) => {
  const app = appPage(page)
  const product = await createApp(account, { 'en-US': 'Tide Clock' })
  await app.open(product, '/listing')
  await app.title('en-US').fill('Tide Watch')
  await leaveByMenu(page)
  await answer(page, 'Leave')
  await appList(page).link('Tide Clock').click()
  await app.tab('Listing').click()
  await expect(app.title('en-US')).toHaveValue('Tide Clock')
})

test('two clicks in one frame create one app', async ({ page, account }) => {
  const list = appList(page)
  await list.open()
  await list.newApp.click()
  await list.titleIn('en-US').fill('Only once')
  await list.createButton.evaluate((button: HTMLButtonElement) => {
    button.click()
    button.click()
  })
  await expect(appPage(page).heading).toHaveText('Only once')
  const { items } = await account.call<{ items: unknown[] }>('/api/developer/product?q=Only')
  expect(items).toHaveLength(1)
})

test('the focus returns to what opened a dialog, and Escape asks once', async ({ page }) => {
  const list = appList(page)
  await list.open()
  await list.newApp.click()
  await expect(list.titleIn('en-US')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(list.newApp).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(list.newApp).toBeFocused()

  await list.newApp.click()
  await list.titleIn('en-US').fill('Half')
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question(page)).toHaveCount(0)
  await expect(list.titleIn('en-US')).toBeFocused()
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(list.newApp).toBeFocused()
})

test('a press beside a dialog closes it as Escape does', async ({ page }) => {
  const list = appList(page)
  await list.open()
  await list.newApp.click()
  await list.titleIn('en-US').fill('Half')
  await page.mouse.click(5, 5)
  await answer(page, 'Stay')
  await expect(list.titleIn('en-US')).toHaveValue('Half')
  // Text selected from inside to outside is no press beside it.
  const box = await list.titleIn('en-US').boundingBox()
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 10)
  await page.mouse.down()
  await page.mouse.move(5, 5)
  await page.mouse.up()
  await expect(question(page)).toHaveCount(0)
})

adminTest('Escape in a changed form of the panel asks once', async ({ page, account }) => {
  const device = await createDevice(account, { name: newPrefix() })
  const panel = devicePanel(page)
  await devicesPage(page).open({ device: device.id })
  await panel.edit()
  await expect(panel.name).toBeFocused()
  await panel.name.fill('Renamed')
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeVisible()
  await answer(page, 'Stay')
  await expect(panel.name).toBeFocused()
  await expect(panel.name).toHaveValue('Renamed')
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')
  await expect(panel.panel).toHaveCount(0)
})

adminTest(
  'after Edit, Save and a confirm the focus stays in the panel',
  async ({ page, account }) => {
    const device = await createDevice(account, { name: newPrefix() })
    const panel = devicePanel(page)
    const edit = panel.panel.getByRole('button', { name: 'Edit' })
    await devicesPage(page).open({ device: device.id })
    await panel.edit()
    await expect(panel.name).toBeFocused()
    await panel.name.fill(`${device.name} gate`)
    await panel.save()
    await expect(edit).toBeFocused()
    await panel.retireButton.click()
    await answer(page, 'Cancel')
    await expect(panel.retireButton).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(panel.panel).toHaveCount(0)
  },
)

adminTest(
  'changes of two people to a device merge, and what clashes is chosen',
  async ({ page, account }) => {
    const device = await createDevice(account, { name: newPrefix(), type: 'iot' })
    const panel = devicePanel(page)
    const change = (body: object) =>
      account.call(`/api/maple/device?id=${device.id}`, { method: 'PUT', body })
    await devicesPage(page).open({ device: device.id })
    await panel.edit()
    await change({ state: 'accepted' })
    await panel.name.fill(`${device.name} gate`)
    await panel.save()
    await expect(panel.title).toHaveText(`${device.name} gate`)
    expect(await readDevice(account, device.id)).toMatchObject({
      name: `${device.name} gate`,
      state: 'accepted',
    })

    await panel.edit()
    await change({ name: `${device.name} hatch`, type: 'boot' })
    await panel.name.fill(`${device.name} door`)
    await panel.save()
    const clash = panel.panel.getByRole('radiogroup', { name: 'Name' })
    await expectInView(clash)
    await expect(clash).toContainText(`${device.name} hatch`)
    await expect(panel.type).toHaveValue('boot')
    await clash.getByRole('radio', { name: /^Theirs/ }).check()
    await panel.save()
    await expect(panel.title).toHaveText(`${device.name} hatch`)
  },
)

adminTest(
  'a notification covers neither the buttons of a form nor those of the panel',
  async ({ page, account }) => {
    for (const size of [{ width: 1440, height: 900 }, phone]) {
      await page.setViewportSize(size)
      const device = await createDevice(account, { name: newPrefix() })
      const panel = devicePanel(page)
      // The list shows other devices, as a link's may: the panel's keys work all the same.
      await devicesPage(page).open({ device: device.id, q: 'Tide' })
      await panel.edit()
      await panel.name.fill(`${device.name} gate`)
      await panel.save()
      const card = notice(page).getByText('Saved.')
      // It stays for as long as the pointer is on it.
      await card.hover()
      await expect(panel.panel.getByRole('button', { name: 'Edit' })).toBeVisible()
      await page.keyboard.press('e')
      await expectInView(panel.panel.getByRole('button', { name: 'Save' }))
      await expectInView(panel.panel.getByRole('button', { name: 'Close the panel' }))
      await notice(page).getByRole('button', { name: 'Dismiss' }).first().click()
      await expect(card).toHaveCount(0)
    }
  },
)
