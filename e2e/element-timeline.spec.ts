import { randomUUID } from 'node:crypto'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('the events of a chip are one list, from which a session opens @long', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `timeline ${randomUUID().slice(0, 8)}` },
  })
  await account.call('/api/maple/se/card/read', { method: 'POST', body: { cplc } })
  await account.call('/api/maple/se/card/terminate', {
    method: 'POST',
    body: { cplc, confirm: cplc },
  })
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const timeline = page.getByRole('list', { name: 'Timeline' })
  await expect(timeline.getByRole('listitem').first()).toContainText(
    'Request to terminate the card',
  )
  await expect(timeline.getByRole('listitem').first()).toContainText('waiting')
  await expect(timeline).toContainText('Reading of the card')
  await expectAccessible(page)
  await page.getByLabel('Show', { exact: true }).selectOption('Sessions')
  await expect(timeline.getByRole('listitem')).toHaveCount(1)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await timeline.getByRole('link', { name: 'Session' }).click()
  await expect(page.getByRole('listbox', { name: 'Exchanges' })).toBeVisible()
})
