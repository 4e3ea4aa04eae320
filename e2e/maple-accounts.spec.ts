import type { Profile } from '@grove/contract/auth/profile'
import { newDeveloper, signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone, tabTo } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('an admin registers an account with the keyboard, grants a role and sees why it works @long', async ({
  page,
  baseURL,
}) => {
  const user = await newDeveloper(baseURL ?? '')
  const profile = await user.call<Profile>('/api/user/profile')
  const { id, email } = { ...profile, email: profile.email ?? '' }
  const press = async (name: string) => {
    await tabTo(page, page.getByRole('button', { name, exact: true }))
    await page.keyboard.press('Enter')
  }
  await page.goto(`/dashboard/maple/accounts?q=${id}`)
  await press('New account')
  await expect(page.getByRole('button', { name: 'Person: Choose a person' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Search' })).toBeFocused()
  await page.keyboard.type(email)
  await expect(page.getByRole('option', { name: email })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Person: ${email}` })).toBeFocused()
  await tabTo(page, page.getByRole('checkbox', { name: 'viewer' }))
  await page.keyboard.press('Space')
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
  await tabTo(page, page.getByRole('checkbox', { name: 'auditor' }))
  await page.keyboard.press('Space')
  await page.getByLabel('Expiry (optional)').fill('2020-02-03T04:05')
  await page.keyboard.press('Control+Enter')
  await expect(row).toContainText('auditor, operator, viewer')
  await expect(row).toContainText('Expired')
  await expect(rights).toContainText('Nothing at present: the account has expired')

  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await press('Delete…')
  await press('Delete the account')
  await expect(row).toContainText('Nothing matches')
  await page.goto('/dashboard/maple/roles')
  await expect(page.getByRole('heading', { name: 'operator' })).toBeVisible()
  await expectNoOverflow(page)
  await expectAccessible(page)
})
