import { randomUUID } from 'node:crypto'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('a card without keys known to Grove is opened by certificates @long', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `Certified ${randomUUID()}`, kind: 'scp11' },
  })
  const name = `Line ${randomUUID().slice(0, 8)}`
  let release = () => {}
  const released = new Promise<void>((done) => (release = done))
  await page.route('**/api/maple/se/scp11?*', async (route) => {
    await released
    await route.continue()
  })
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  // Says nothing about credentials before the answer arrives.
  const section = page.getByRole('region', { name: 'Credentials for SCP11' })
  await expect(section).toBeVisible()
  await expect(section).not.toContainText('None.')
  release()
  await expect(section.getByRole('button', { name: 'Add credentials…' })).toBeVisible()
  await page.unroute('**/api/maple/se/scp11?*')
  await page.getByRole('button', { name: 'Add credentials…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Fill in those of the software card' }).click()
  // The service names the field, and what was typed stays.
  await dialog.getByLabel('Private key of the host').fill('11'.repeat(32))
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByLabel('Certificates of the host')).toBeFocused()
  await expect(dialog).toContainText('the one of the private key last')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Fill in those of the software card' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog).toBeHidden()
  const item = page.getByRole('listitem').filter({ hasText: name })
  await expect(item).toContainText('SCP11a, AES-128')
  await item.getByRole('button', { name: 'Open this card with them' }).click()
  await expect(item).toContainText('Opens this card')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)

  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`/dashboard/maple/sessions/se?create=true&cplc=${cplc}`)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page).toHaveURL(/sessions\/se\/[0-9a-f-]{36}/)
  await page.getByRole('tab', { name: 'Secure channel' }).click()
  const form = page.getByLabel('Open with')
  await expect(form.getByRole('option', { selected: true })).toHaveText(`SCP11a · ${name}`)
  await form.selectOption({ label: 'keys of the card' })
  await expect(page.getByLabel('Security level')).toBeVisible()
  await form.selectOption({ label: `SCP11a · ${name}` })
  await expect(page.getByLabel('Security level')).toHaveCount(0)
  await page.getByRole('button', { name: 'Open a secure channel' }).click()
  await expect(page.getByText('SCP11a (i = 70), level 33')).toBeVisible()

  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await item.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete the credentials' }).click()
  await expect(section.getByRole('listitem').filter({ hasText: name })).toHaveCount(0)
  await expect(section).toBeFocused()
})
