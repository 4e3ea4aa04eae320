import type { Profile } from '@grove/contract/auth/profile'
import { randomUUID } from 'node:crypto'
import { newDeveloper, signedIn, testAs } from './support/account.ts'
import { createApp } from './support/catalogue.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { choosePerson } from './support/people-page.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))
const userOf = (account: { call: <T>(path: string) => Promise<T> }) =>
  account.call<{ user_id: string }>('/api/user/info').then(({ user_id: id }) => id)

test('an admin creates a provider, limits it, transfers apps to it, disables and deletes it @long', async ({
  page,
  account,
  baseURL,
}) => {
  const developer = await newDeveloper(baseURL ?? '')
  const app = await createApp(developer, { 'en-US': 'Travelling' })
  const userId = await userOf(developer)
  const name = `Tides ${randomUUID().slice(0, 8)}`

  await page.goto('/dashboard/cedar/providers')
  await page.getByRole('button', { name: 'New provider' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.keyboard.press('Control+Enter')
  const panel = page.getByRole('dialog', { name })
  await expect(panel.getByRole('tab', { name: 'Overview' })).toBeVisible()
  await expectAccessible(page)
  await panel.getByRole('tab', { name: 'Overview' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(panel.getByRole('tab', { name: 'Members' })).toBeFocused()
  await expect(page).toHaveURL(/tab=members/)
  await expect(panel.getByText('1 of 100')).toBeVisible()
  await page.keyboard.press('ArrowLeft')

  await panel.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Limit of apps').fill('many')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Enter a whole number up to 10,000')).toBeVisible()
  await page.getByLabel('Limit of apps').fill('0')
  await expectAccessible(page)
  await page.keyboard.press('Control+Enter')
  await expect(panel.getByText('0 of 0, 0 live')).toBeVisible()

  // Over the limit: the dialog keeps what was typed, and says why.
  const transfer = page.getByRole('dialog', { name: `Transfer apps to ${name}` })
  await panel.getByRole('button', { name: 'Transfer apps here…' }).click()
  await choosePerson(page, 'Developer', userId)
  await transfer.getByRole('button', { name: 'Transfer…' }).click()
  await expect(question(page)).toContainText(`Transfer 1 app to ${name}?`)
  await answer(page, 'Transfer')
  await expect(transfer.getByText('so 1 more cannot be added')).toBeVisible()
  await expect(transfer.getByRole('button', { name: /^Developer: .+@/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')

  const { id } = (
    await account.call<{ items: { id: string }[] }>(`/api/admin/provider?q=${encodeURI(name)}`)
  ).items[0] ?? { id: '' }
  await account.call(`/api/admin/provider/${id}`, {
    method: 'PUT',
    body: { limits: { products: null } },
  })
  await page.reload()
  await panel.getByRole('button', { name: 'Transfer apps here…' }).click()
  await choosePerson(page, 'Developer', userId)
  await transfer.getByRole('button', { name: 'Transfer…' }).click()
  await answer(page, 'Transfer')
  await expect(panel.getByText('1 of 1,000, 0 live')).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Delete…' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )

  await panel.getByRole('button', { name: 'Disable…' }).click()
  await answer(page, 'Disable')
  await expect(panel.getByText('Disabled')).toBeVisible()

  await account.call(`/api/developer/product/${app.productId}`, { method: 'DELETE' })
  await page.reload()
  await panel.getByRole('button', { name: 'Delete…' }).click()
  await question(page).getByRole('textbox').fill(name)
  await answer(page, 'Delete the provider')
  await expect(panel).toBeHidden()
})

test('members are linked, made owner and unlinked; a personal provider has only its developer', async ({
  page,
  account,
  baseURL,
}) => {
  const developer = await newDeveloper(baseURL ?? '')
  const userId = await userOf(developer)
  const name = `Members ${randomUUID().slice(0, 8)}`
  const { id } = await account.call<{ id: string }>('/api/cedar/provider', {
    method: 'POST',
    body: { name },
  })
  await page.setViewportSize(phone)
  await page.goto(`/dashboard/cedar/providers?provider=${id}&tab=members`)
  const members = page.getByRole('region', { name: 'Members' })
  await choosePerson(page, 'Link a user', userId)
  await members.getByRole('button', { name: 'Link', exact: true }).click()
  const { email } = await developer.call<Profile>('/api/user/profile')
  const row = members.getByRole('listitem').filter({ hasText: email ?? '' })
  await expect(row).toBeVisible()
  await expectNoOverflow(page)
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Make owner' }).click()
  await answer(page, 'Make owner')
  await expect(row).toContainText('Owner')
  await members.getByRole('button', { name: 'Unlink' }).click()
  await answer(page, 'Unlink')
  await expect(members.getByRole('listitem')).toHaveCount(1)

  const [personal] = await developer.call<{ id: string }[]>('/api/provider')
  await page.goto(`/dashboard/cedar/providers?provider=${personal?.id ?? ''}&tab=members`)
  await expect(members.getByRole('listitem')).toHaveCount(1)
  await expect(members.getByText('Link a user')).toBeHidden()
})
