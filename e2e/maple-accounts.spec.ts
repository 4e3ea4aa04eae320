import { randomUUID } from 'node:crypto'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone, tabTo } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('an admin registers, changes and deletes an account by keyboard', async ({ page }) => {
  const id = randomUUID()
  const press = async (name: string) => {
    await tabTo(page, page.getByRole('button', { name, exact: true }))
    await page.keyboard.press('Enter')
  }
  await page.goto(`/dashboard/maple/accounts?q=${id}`)
  await press('Register an account')
  await expect(page.getByRole('textbox', { name: 'User id' })).toBeFocused()
  await page.keyboard.type(id)
  await page.keyboard.press('Tab')
  await page.keyboard.type('operator')
  await expectAccessible(page)
  await page.keyboard.press('Enter')

  const row = page.getByRole('table', { name: 'Accounts' }).getByRole('row', { name: id })
  await expect(row).toContainText('operator')
  await press('Edit')
  await expect(page.getByRole('textbox', { name: 'Roles' })).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type(', auditor')
  await page.getByLabel('Expiry (optional)').fill('2020-02-03T04:05')
  await page.keyboard.press('Control+Enter')
  await expect(row).toContainText('auditor, operator')
  await expect(row).toContainText('Expired')
  await expectAccessible(page)

  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await press('Delete…')
  await press('Delete the account')
  await expect(row).toHaveCount(0)
})
