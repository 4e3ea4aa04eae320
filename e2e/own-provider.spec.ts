import { randomUUID } from 'node:crypto'
import { newDeveloper, openAs, testAs } from './support/account.ts'
import { answer, expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs(newDeveloper)

test('a developer without a provider creates one with its key, and works in it @long', async ({
  page,
  browser,
  baseURL,
}) => {
  const name = `Tides ${randomUUID().slice(0, 8)}`
  const dialog = page.getByRole('dialog', { name: 'New provider' })
  await page.goto('/dashboard/maple/products')
  await page.getByRole('link', { name: 'Go to the API keys' }).click()
  await expect(page.getByText('You have no provider for devices yet.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New provider' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByText('Enter a value.')).toBeVisible()
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.type(name)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Enter')

  // The form for its first key opens at once.
  await expect(page.getByRole('region', { name })).toBeVisible()
  const panel = page.locator('[data-panel]')
  await panel.getByRole('textbox', { name: 'Name', exact: true }).fill('Bench')
  await panel.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(panel.getByText('Choose a scope.')).toBeVisible()
  await panel.getByRole('button', { name: 'All', exact: true }).click()
  await panel.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByText('You are working in this stage.')).toBeVisible()
  await page.goto('/dashboard/maple/products')
  await expect(page.getByRole('heading', { name: 'Create your first product' })).toBeVisible()

  // Their own provider from Account: the administrators' pages, without what only administrators may
  // do.
  await page.goto('/dashboard/cedar/account')
  const providers = page.getByRole('region', { name: 'Providers', exact: true })
  await expect(page.getByRole('list', { name: 'Keys' })).toContainText('Bench')
  await expectAccessible(page)
  await providers.getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page.getByText('Only administrators change this provider.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Overview' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Members' })).toBeFocused()
  await expect(page.getByRole('region', { name: 'Members' })).toContainText('you')
  await expectAccessible(page)
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/tab=rights/)
  await page.reload()
  await expect(page.getByRole('region', { name: 'API keys' })).toContainText('Bench')
  await expect(page.getByRole('button', { name: /Revoke|Save/ })).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'Devices and usage' }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Devices and accounts' })).toContainText('0')
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByRole('list', { name: 'Activity' })).toContainText(
    'Created a service provider',
  )
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  // As many as one person may create.
  await page.goto('/dashboard/maple/keys')
  for (const each of ['Second', 'Third']) {
    await page.getByRole('button', { name: 'New provider' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill(`${name} ${each}`)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: `${name} ${each}` })).toBeVisible()
    await expect(panel.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
  }
  await expect(page.getByRole('button', { name: 'New provider' })).toHaveCount(0)

  // Further ones are requested, and an administrator decides.
  const asked = `${name} Fourth`
  const request = async (purpose: string) => {
    await page.getByRole('button', { name: 'Request a provider' }).click()
    const form = page.getByRole('dialog', { name: 'Request a provider' })
    await form.getByRole('button', { name: 'Send the request' }).click()
    await expect(form.getByText('Say what it is for.')).toBeVisible()
    await form.getByLabel('Name', { exact: true }).fill(asked)
    await form.getByLabel('What is it for?').fill(purpose)
    await page.keyboard.press('Enter')
    await expect(page.getByText(`You requested the provider “${asked}”`)).toBeVisible()
  }
  await request('Sensors')
  await expect(page.getByRole('button', { name: 'Request a provider' })).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Withdraw…' }).click()
  await answer(page, 'Withdraw')
  await request('Sensors of our harbour')
  const theirs = await browser.newPage()
  await openAs(theirs, sample.admin, '/dashboard/maple/approvals', baseURL)
  const rows = theirs.getByRole('list', { name: 'Requests for providers' })
  const row = rows.getByRole('listitem').filter({ hasText: asked })
  await expect(row).toContainText('Sensors of our harbour')
  await expect(theirs.getByRole('link', { name: /Approvals: \d+ request/ })).toBeVisible()
  await expectAccessible(theirs)
  await row.getByRole('button', { name: 'Refuse' }).click()
  await theirs.getByLabel('Reason').fill('One is enough.')
  await theirs.keyboard.press('Enter')
  await expect(row).toHaveCount(0)
  await page.reload()
  await expect(page.getByText('One is enough.')).toBeVisible()
  await request('Sensors of the second harbour')
  await theirs.reload()
  await row.getByRole('button', { name: 'Approve' }).click()
  await theirs.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(row).toHaveCount(0)
  await theirs.close()
  await page.reload()
  await expect(page.getByRole('region', { name: asked })).toBeVisible()
})
