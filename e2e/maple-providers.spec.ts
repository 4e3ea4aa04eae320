import { randomUUID } from 'node:crypto'
import { newUserId, signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { choosePerson } from './support/people-page.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('an admin adds a service provider, sees its accounts and use, suspends and deletes it @long', async ({
  page,
  baseURL,
}) => {
  const id = `acme-${randomUUID()}`
  const account = await newUserId(baseURL ?? '')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto('/dashboard/maple/providers')
  await button('New service provider').first().click()
  await page.getByLabel('Name', { exact: true }).fill(id)
  await page.getByLabel('ID', { exact: true }).fill(id)
  await button('Create').click()
  const row = page.getByRole('table', { name: 'Service Providers' }).getByRole('row', { name: id })
  await expect(row).toContainText('Active')

  await page.goto('/dashboard/maple/accounts?create=true')
  await choosePerson(page, 'Person', account)
  await page.getByRole('checkbox', { name: 'operator' }).check()
  await page.getByRole('button', { name: 'Service provider (optional)' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(id)
  await page.getByRole('option', { name: id }).click()
  await button('Create').click()
  const panel = page.locator('[data-panel]')
  await panel.getByRole('link', { name: id }).click()

  await panel.getByRole('tab', { name: 'Overview' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(panel.getByRole('tab', { name: 'Accounts' })).toBeFocused()
  await expect(page).toHaveURL(/tab=accounts/)
  await expect(panel.getByRole('region', { name: 'Accounts' })).toContainText('operator')
  await page.keyboard.press('End')
  await expect(panel.getByRole('list', { name: 'Activity' })).toContainText(
    'Created a service provider',
  )
  await expectAccessible(page)
  await page.keyboard.press('Home')
  const use = panel.getByRole('region', { name: 'Usage over the last 30 days' })
  // Today: the provider and its account.
  await expect(use.getByRole('row').nth(1).getByRole('cell')).toHaveText(['0', '2'])
  await expect(button('Delete…')).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)
  await button('Suspend…').click()
  await button('Suspend').click()
  await expect(panel).toContainText('Suspended: its accounts have no rights')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)

  await page.goto(`/dashboard/maple/accounts?account=${account}`)
  await expect(panel).toContainText('Nothing at present: its service provider is suspended.')
  await button('Delete…').click()
  await button('Delete the account').click()
  await page.goto(`/dashboard/maple/providers?provider=${id}`)
  await button('Delete…').click()
  await button('Delete the service provider').click()
  await expect(row).toHaveCount(0)
})
