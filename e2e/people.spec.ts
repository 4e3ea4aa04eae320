import type { Profile } from '@grove/contract/auth/profile'
import { newDeveloper, openAs } from './support/account.ts'
import { answer, expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { peoplePage } from './support/people-page.ts'
import { expect, password, sample, test } from './support/test.ts'

test('an administrator disables an account and enables it again', async ({ page, baseURL }) => {
  const account = await newDeveloper(baseURL ?? '')
  const { email } = await account.call<Profile>('/api/user/profile')
  const enter = () =>
    page.request.post('/api/token/password', { data: { email, password, provider: 'grove' } })
  const people = peoplePage(page)

  await openAs(page, sample.admin, people.address({ q: email ?? '' }))
  const row = people.row(email ?? '')
  await people.choose(email ?? '', 'Disable…')
  await answer(page, 'Disable')
  await expect(row.getByText('Disabled')).toBeVisible()
  expect((await enter()).status()).toBe(403)
  await expectAccessible(page)

  await people.choose(email ?? '', 'Enable…')
  await answer(page, 'Enable')
  await expect(row.getByText('Enabled')).toBeVisible()
  expect((await enter()).status()).toBe(200)

  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

test('the page of a person shows what every service knows, and changes role, sessions and Maple account', async ({
  page,
  baseURL,
}) => {
  const account = await newDeveloper(baseURL ?? '')
  const { id, email } = await account.call<Profile>('/api/user/profile')
  const people = peoplePage(page)
  await openAs(page, sample.admin, people.addressOf(id))
  await expect(people.title).toContainText(email ?? '')
  await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).toContainText('People')

  const maple = page.getByRole('region', { name: 'Maple account' })
  await maple.getByRole('button', { name: 'New account' }).click()
  await page.getByRole('checkbox', { name: 'operator' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(maple).toContainText('through operator')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Change role…' }).click()
  await page.getByLabel('Role', { exact: true }).selectOption('Customer')
  await page.getByRole('button', { name: 'Change role', exact: true }).click()
  const facts = page.getByRole('region', { name: 'Account', exact: true })
  await expect(facts).toContainText('Customer')

  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByRole('button', { name: 'End all…' }).click()
  await answer(page, 'End sessions')
  await expect(sessions).toContainText('Not signed in anywhere.')
  expect((await account.fetch('/api/user/profile')).status).toBe(401)

  // The list of Maple accounts finds the person by the email.
  await page.goto(`/dashboard/maple/accounts?${new URLSearchParams({ q: email ?? '' })}`)
  const row = page.getByRole('table', { name: 'Accounts' }).getByRole('row', { name: id })
  await expect(row).toContainText(email ?? '')
  await page.goto(people.addressOf(id))
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})
