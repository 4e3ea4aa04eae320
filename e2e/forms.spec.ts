import type { Locator, Page } from '@playwright/test'
import { newDeveloper, signedIn, testAs, type Account } from './support/account.ts'
import { accountPage } from './support/account-pages.ts'
import { createApp, createVersion } from './support/catalogue.ts'
import { devicePanel, devicesPage } from './support/devices-page.ts'
import { createDevice, newPrefix, readDevice } from './support/fleet.ts'
import { loginPage } from './support/login-page.ts'
import { appPage, notice, versionPage } from './support/my-apps-pages.ts'
import { question } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs(newDeveloper)
const adminTest = testAs((url) => signedIn(url, sample.admin))

const restored = (page: Page) => page.getByText('Restored what you typed.')

/** Entirely within the window, and not covered. */
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

/** Ends all sessions of an account, like a password change elsewhere. */
async function endSessions(account: Account) {
  const { items } = await account.call<{ items: { id: string }[] }>('/api/user/session')
  for (const { id } of items) await account.fetch(`/api/user/session/${id}`, { method: 'DELETE' })
}

const emailOf = async (account: Account) =>
  (await account.call<{ email: string }>('/api/user/profile')).email

test('typed text survives an ended session, and is removed by a save', async ({
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
  // A service that checks whether the session is still active refuses the token before it expires.
  const saves = '**/api/developer/productVersion/*'
  await page.route(saves, (route) =>
    route.request().method() === 'GET'
      ? route.continue()
      : route.fulfill({ status: 401, json: { code: 'unauthorized', status: 401 } }),
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

test('typed text survives a sign-out in another tab, and Discard can be undone @long', async ({
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

test('another person never sees a draft @long', async ({ page, account, baseURL, context }) => {
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
