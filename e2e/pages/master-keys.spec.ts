import type { MasterKey } from '@grove/contract/maple/card/key'
import { answer, expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const test = testAs(people.admin)

const used: MasterKey = {
  id: '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55',
  name: 'Bank',
  algorithm: 'AES',
  checkValues: ['504A77', 'F2A8DF', 'D7D0E4'],
  isUsed: true,
  createdAt: '2026-03-01T09:30:00.000000Z',
}
const key = '404142434445464748494A4B4C4D4E4F'

test('master keys are added with their check values, and can be deleted unless a card uses them', async ({
  page,
  calls,
}) => {
  let items: MasterKey[] = []
  const added: unknown[] = []
  calls.answer({
    'GET /api/maple/se/masters': () => ({ items }),
    'POST /api/maple/se/masters': ({ body }) => {
      added.push(body)
      const made = { ...used, id: used.id.replace('55', '56'), name: 'Transit', isUsed: false }
      items = [used, made]
      return made
    },
    'DELETE /api/maple/se/masters': ({ query }) => {
      items = items.filter(({ id }) => id !== query['id'])
      return null
    },
  })
  await page.goto('/dashboard/maple/secure_elements/masters')
  await page.getByRole('button', { name: 'Add master keys' }).click()
  const form = page.getByRole('dialog', { name: 'Add master keys' })
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await form.getByRole('textbox', { name: 'Name' }).fill('Transit')
  await form.getByLabel('Secure channel').selectOption('SCP02 (3DES)')
  for (const name of ['ENC', 'MAC', 'DEK'])
    await form.getByRole('textbox', { name, exact: true }).fill(key)
  await expect(form.getByText('KCV 8BAF47')).toHaveCount(3)
  await expectAccessible(page, 'dialog')
  await form.getByRole('button', { name: 'Add', exact: true }).dblclick()
  await expect(form).toBeHidden()
  expect(added).toEqual([
    { name: 'Transit', algorithm: 'DES', keys: { enc: key, mac: key, dek: key } },
  ])

  const table = page.getByRole('table', { name: 'Master keys' })
  await expect(table.getByRole('row', { name: 'Bank' })).toContainText('in use')
  await table.getByRole('button', { name: '“Bank” cannot be deleted' }).click({ force: true })
  await expect(page.getByRole('alertdialog')).toBeHidden()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)

  await table.getByRole('button', { name: 'Delete “Transit”…' }).click()
  await page.getByRole('alertdialog').getByRole('textbox').fill('Transit')
  await answer(page, 'Delete the master keys')
  await expect(table.getByRole('row', { name: 'Transit' })).toBeHidden()
})
