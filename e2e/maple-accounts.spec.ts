import { newUserId, signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone, tabTo } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('an admin registers an account by keyboard, grants a role and sees why it works', async ({
  page,
  baseURL,
}) => {
  const id = await newUserId(baseURL ?? '')
  const press = async (name: string) => {
    await tabTo(page, page.getByRole('button', { name, exact: true }))
    await page.keyboard.press('Enter')
  }
  await page.goto(`/dashboard/maple/accounts?q=${id}`)
  await press('Register an account')
  await expect(page.getByRole('textbox', { name: 'User ID or email' })).toBeFocused()
  await page.keyboard.type(id)
  await page.keyboard.press('Tab')
  await page.keyboard.type('viewer')
  await expectAccessible(page)
  await page.keyboard.press('Enter')

  const row = page.getByRole('table', { name: 'Accounts' }).getByRole('row', { name: id })
  await expect(row).toContainText('viewer')
  const rights = page.getByRole('region', { name: 'Allowed' })
  await expect(rights).toContainText('See devices through viewer')
  await rights.getByText('Not allowed').click()
  await expect(rights).toContainText('Import devices needs one of: admin, provider_admin, operator')

  await page.getByLabel('Role to grant').focus()
  await page.getByLabel('Role to grant').selectOption('operator')
  await press('Grant…')
  await press('Grant')
  await expect(rights).toContainText('Import devices through operator')
  const history = page.getByRole('region', { name: 'History' })
  await expect(history.getByRole('listitem').first()).toContainText('Granted operator')
  await expectAccessible(page)

  await page.locator('[data-panel]').focus()
  await press('Edit')
  await expect(page.getByRole('textbox', { name: 'Roles' })).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type(', auditor')
  await page.getByLabel('Expiry (optional)').fill('2020-02-03T04:05')
  await page.keyboard.press('Control+Enter')
  await expect(row).toContainText('auditor, operator, viewer')
  await expect(row).toContainText('Expired')
  await expect(rights).toContainText('Nothing at present: the account has expired')

  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await press('Delete…')
  await press('Delete the account')
  await expect(row).toHaveCount(0)
  await page.goto('/dashboard/maple/roles')
  await expect(page.getByRole('heading', { name: 'operator' })).toBeVisible()
  await expectNoOverflow(page)
  await expectAccessible(page)
})
