import type { Locator, Page } from '@playwright/test'
import { newUserId, signedIn, testAs } from './support/account.ts'
import { devicesPage } from './support/devices-page.ts'
import { createDevice, newCplc, newPrefix, serialOf } from './support/fleet.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const path = '/dashboard/maple'

/** Follows a number of the overview with the keyboard: its list has as many rows. */
async function expectListOf(page: Page, link: Locator, number = link) {
  const count = /\d[\d,]*/.exec((await number.textContent()) ?? '')?.[0]
  expect(count).toBeDefined()
  await link.focus()
  await page.keyboard.press('Enter')
  await expect(devicesPage(page).total).toHaveText(new RegExp(`^${count} devices?$`))
  await page.goBack()
  await expect(page).toHaveURL(new RegExp(`${path}$`))
}

test('each number of the overview opens the list that it counts', async ({ page }) => {
  await page.goto(path)
  const section = (name: string) => page.getByRole('region', { name, exact: true })
  const groups = section('Devices by state and type')
  await expect(groups.getByRole('row', { name: /^Offline/ })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Maple' })).toBeVisible()
  // Only the sample has such devices: those that other tests register are new and were never online.
  await expectListOf(page, groups.getByRole('link', { name: /Offline, IoT$/ }))
  const lately = section('Last seen').getByRole('link', { name: /^Within 30 days/ })
  await expectListOf(page, lately, lately.locator('b'))
  const days = section('Devices registered per day: table').getByRole('link')
  const ofOldest = days.filter({ hasText: /^[1-9]/ }).last()
  await expectListOf(page, ofOldest)
  await section('Needs attention')
    .getByRole('link', { name: /^Devices to be accepted/ })
    .click()
  await expect(page).toHaveURL(/state=/)
  await expect(devicesPage(page).filterButton('State')).toContainText('To be accepted')
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`the overview is accessible in ${colorScheme}, and fits a phone @long`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    const hsm = { isReachable: false, problem: 'hsm_pin_locked' }
    await page.route('**/api/maple/about', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), hsm } })
    })
    await page.goto(path)
    await expect(page.getByRole('region', { name: 'Last seen', exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: /^The PIN of the HSM is locked/ })).toBeVisible()
    await expectAccessible(page)
    await page.setViewportSize(phone)
    await expectNoOverflow(page)
  })

test('the palette finds a pasted CPLC, a wearable and an account @long', async ({
  page,
  account,
  baseURL,
}) => {
  const cplc = newCplc()
  const innerId = newPrefix()
  const { id, name } = await createDevice(account, {
    name: `${innerId} watch`,
    cplc: [cplc],
    innerId,
  })
  const userId = await newUserId(baseURL ?? '')
  await account.call('/api/maple/account', { method: 'POST', body: { id: userId } })
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const palette = page.getByRole('dialog', { name: 'Search or jump to' })
  const find = async (text: string, result: RegExp) => {
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill(text)
    await expect(palette.getByRole('option', { name: result })).toBeVisible()
    await expect(palette.getByText('Searching…')).toBeHidden()
  }

  // The reply as a card reader prints it.
  const reply = `9F7F2A${cplc}9000`.toLowerCase().replaceAll(/../g, '$& ')
  await find(reply, new RegExp(`serial ${serialOf(cplc)}`))
  await expect(palette.getByRole('option', { name: `${name} ${id}` })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(cplc))
  await find(innerId, new RegExp(`${id} · ${innerId}`))
  // A person who changes their mind does not wait for the palette to close.
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Control+k')])
    await expect(palette.getByRole('combobox')).toHaveValue('')
    await palette.getByRole('combobox').fill(innerId)
  }
  await page.keyboard.press('Escape')
  await find(userId.slice(0, 13), new RegExp(userId))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`account=${userId}`))
})
