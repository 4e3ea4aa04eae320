import { readFile } from 'node:fs/promises'
import { newUserId, signedIn, testAs } from './support/account.ts'
import { devicePage } from './support/device-page.ts'
import { newCplc, newPrefix, readDevice, serialOf } from './support/fleet.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { choosePerson } from './support/people-page.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('an admin imports a fleet, finds a device by part of its CPLC, binds it and exports it', async ({
  page,
  account,
  baseURL,
}) => {
  const prefix = newPrefix()
  const cplc = newCplc()
  const userId = await newUserId(baseURL ?? '')
  await account.call('/api/maple/account', { method: 'POST', body: { id: userId } })
  const lines = Array.from({ length: 30 }, (_, index) => [
    `${prefix}-${index}`,
    `${prefix} gate ${index}`,
    'iot',
    index === 7 ? cplc : '',
    'north',
    index,
  ])
  const wrong = [`${prefix}-x`, `${prefix} lost`, 'spaceship', '', '', '']
  const file = [['id', 'Name', 'type', 'CPLC', 'tags', 'Floor'], ...lines, wrong]
    .map((cells) => cells.join(';'))
    .join('\r\n')

  await page.goto('/dashboard/maple/imports?create=true')
  await page.getByTestId('import-file').setInputFiles({
    name: `${prefix}.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from(file),
  })
  const columns = page.getByRole('region', { name: 'Columns' })
  await expect(columns).toContainText('Floor')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Check every row' }).click()
  const plan = page.getByRole('region', { name: 'What an import would do' })
  await expect(plan).toContainText('Would be new30')
  await expect(page.getByText('Row 32')).toBeVisible()
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  expect(await readDevice(account, `${prefix}-7`)).toBeUndefined()
  await page.getByRole('button', { name: 'Import 30 devices' }).click()
  await expect(page.getByRole('region', { name: 'What was imported' })).toContainText('New30')
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.goto(`/dashboard/maple/secure_elements?q=${cplc.slice(0, 34)}`)
  await page
    .getByRole('table')
    .getByRole('link', { name: cplc.slice(0, 20) })
    .click()
  await expect(page.getByRole('dialog').or(page.locator('[data-panel]')).first()).toContainText(
    serialOf(cplc),
  )
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(serialOf(cplc))
  await page.getByRole('link', { name: `${prefix} gate 7` }).click()
  await page.goto(`/dashboard/maple/devices/${prefix}-7`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${prefix} gate 7`)
  await expect(page.getByText('floor')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Inner ID' }).fill(`${prefix}-inner`)
  await choosePerson(page, 'Account', userId)
  await page.keyboard.press('Control+Enter')
  await expect.poll(async () => (await readDevice(account, `${prefix}-7`))?.accountId).toBe(userId)
  await page.getByRole('button', { name: 'Unlink from the account…' }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: 'Unlink from the account' })
    .click()
  await expect.poll(async () => (await readDevice(account, `${prefix}-7`))?.accountId).toBeNull()
  await devicePage(page).openPart('History')
  await expect(page.getByRole('list', { name: 'History' })).toContainText('Unlinked a wearable')

  await page.goto(`/dashboard/maple/devices?q=${prefix}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export CSV' }).click()
  const saved = await (await download).path()
  const rows = (await readFile(saved, 'utf8')).trim().split('\r\n')
  expect(rows).toHaveLength(31)
  expect(rows.find((row) => row.startsWith(`${prefix}-7,`))).toContain(cplc)
})
