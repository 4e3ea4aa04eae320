import { randomUUID } from 'node:crypto'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { buildZip } from '../apps/platform/src/services/cedar/package/testing/zip-builder.ts'
import { newDeveloper, newUserId, openAs, signedIn, testAs } from './support/account.ts'
import { createApp, createVersion } from './support/catalogue.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const asksForCamera = buildZip([
  { name: 'index.html', data: '<!doctype html><title>Scanner</title>' },
  { name: 'manifest.json', data: JSON.stringify({ reqPermissions: [{ name: 'camera' }] }) },
])

test('a right granted by an admin lets a version go live, and both see it in the activity @long', async ({
  page,
  account,
  baseURL,
}) => {
  const developer = await newDeveloper(baseURL ?? '')
  const app = await createApp(developer, { 'en-US': 'Scanner' })
  const version = await createVersion(developer, app, '1.0.0', asksForCamera)
  expect(version.rights.enable).toBe('permission_missing')

  await page.goto(`/dashboard/cedar/providers?provider=${app.providerId}&tab=rights`)
  await page.getByLabel('Camera').selectOption('May be required')
  await expectAccessible(page)
  const save = page
    .getByRole('region', { name: 'Permissions of its mini-apps' })
    .getByRole('button', { name: 'Save' })
  await save.click()
  await expect(save).toHaveAttribute('aria-disabled', 'true')
  const { rights } = await developer.call<typeof version>(
    `/api/developer/productVersion/${version.productVersionId}`,
  )
  expect(rights.enable).toBeNull()

  await page.getByRole('tab', { name: 'Activity' }).click()
  const log = page.getByRole('list', { name: 'Activity' })
  const changed = log.getByRole('listitem').filter({ hasText: 'Changed a provider' })
  await changed.first().getByText('What changed').click()
  await expect(changed.first()).toContainText('granted')
  await expectAccessible(page)

  // The whole log, filtered by event; the URL keeps the filter.
  await page.goto(`/dashboard/cedar/activity?q=${app.productId}`)
  await expect(log.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Action' }).click()
  await page
    .getByRole('checkbox', { name: 'Created an app' })
    .or(page.getByRole('radio', { name: 'Created an app' }))
    .first()
    .click()
  await expect(page).toHaveURL(/action=product\.create/)
  await page.keyboard.press('Escape')
  await expect(log.getByText('Created an app')).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  expect((await download).suggestedFilename()).toBe('activity.csv')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await expectAccessible(page)
  void account
})

test('an API key is shown once, replaced and revoked, and its owner works with that provider', async ({
  page,
  account,
  baseURL,
  browser,
}) => {
  const developer = await newDeveloper(baseURL ?? '')
  const { user_id: ownerId } = await developer.call<{ user_id: string }>('/api/user/info')
  const { id } = await account.call<AdminProvider>('/api/cedar/provider', {
    method: 'POST',
    body: { name: `Keys ${randomUUID().slice(0, 8)}`, ownerId },
  })
  await page.goto(`/dashboard/cedar/providers?provider=${id}&tab=rights`)
  await page.getByRole('button', { name: 'New key…' }).click()
  await answer(page, 'Create the key')
  const shown = page.getByRole('dialog', { name: 'Your new API key' })
  const key = (await shown.getByRole('code').textContent()) ?? ''
  expect(key).toHaveLength(43)
  await expectAccessible(page)
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await expect(shown).toBeHidden()
  await expect(page.getByText(key)).toHaveCount(0)
  const keys = page.getByRole('region', { name: 'API keys' }).getByRole('listitem')
  await expect(keys).toContainText([key.slice(-4)])

  await page.getByRole('button', { name: 'Replace the key…' }).click()
  await expect(question(page)).toContainText('24 more hours')
  await answer(page, 'Create the key')
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await expect(keys).toHaveCount(2)
  await page.getByRole('button', { name: 'Use your own key…' }).click()
  const own = page.getByRole('dialog', { name: 'Use your own key' })
  await own.getByLabel('API key').fill('too short')
  await page.keyboard.press('Enter')
  await expect(own.getByText('Enter a random key of 32 to 128 characters')).toBeVisible()
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')
  const old = keys.filter({ hasText: 'valid until' })
  await expect(old).toContainText(key.slice(-4))
  await old.getByRole('button').click()
  await answer(page, 'Revoke')
  await expect(keys).toHaveCount(1)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)

  const theirs = await browser.newPage()
  const { email } = await developer.call<{ email: string }>('/api/user/profile')
  await openAs(theirs, email, '/dashboard/cedar/mobile', baseURL)
  await expect
    .poll(() => theirs.evaluate(() => sessionStorage.getItem('grove.provider') ?? ''))
    .toContain(id)
  await theirs.close()
})

test('a wearable is looked up by its inner id and unlinked @long', async ({
  page,
  account,
  baseURL,
}) => {
  const innerId = `W-${randomUUID().slice(0, 8)}`
  const accountId = await newUserId(baseURL ?? '')
  await account.call('/api/maple/account', { method: 'POST', body: { id: accountId } })
  await account.call('/api/maple/device', {
    method: 'POST',
    body: { name: 'Watch', type: 'iot', innerId, accountId },
  })
  await page.goto('/dashboard/maple/devices')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Unlink a wearable…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Unlink a wearable' })
  await dialog.getByLabel('Inner ID').fill(innerId)
  await expect(dialog.locator(`a[href$="/people/${accountId}"]`)).toContainText('@')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  const { items } = await account.call<{ items: { accountId: string | null }[] }>(
    `/api/maple/device?innerId=${innerId}`,
  )
  expect(items).toMatchObject([{ accountId: null }])
})
