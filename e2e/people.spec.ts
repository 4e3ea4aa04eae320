import type { Profile } from '@grove/contract/auth/profile'
import { newDeveloper, openAs, signedIn, testAs } from './support/account.ts'
import { answer, expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { peoplePage } from './support/people-page.ts'
import { expect, password, sample, test as anyone } from './support/test.ts'

const test = testAs(newDeveloper)

test('people are for administrators', async ({ page }) => {
  await page.goto('/dashboard/cedar/account/people')
  await expect(page.getByRole('heading', { name: 'This page is for administrators' })).toBeVisible()
})

anyone('an administrator disables an account and enables it again', async ({ page, baseURL }) => {
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

anyone(
  'the own account says why it cannot be disabled, in the menu and on its page',
  async ({ page }) => {
    const people = peoplePage(page)
    await openAs(page, sample.admin, people.address({ q: sample.admin }))
    const { item } = await people.menu(sample.admin, 'Disable…')
    await expect(item).toHaveAttribute('aria-disabled', 'true')
    await expect(item).toContainText('You cannot disable your own account.')
    await page.keyboard.press('Escape')

    await people.row(sample.admin).focus()
    await page.keyboard.press('Enter')
    await expect(people.title).toContainText(sample.admin)
    for (const [name, reason] of [
      ['Disable…', 'You cannot disable your own account.'],
      ['Change role…', 'You cannot change your own role.'],
      ['End all…', 'Your own sessions are on your Account page.'],
    ] as const) {
      const button = page.getByRole('button', { name, exact: true })
      await expect(button).toHaveAttribute('aria-disabled', 'true')
      await expect(button).toHaveAccessibleDescription(reason)
    }
    await expectAccessible(page)
  },
)

anyone(
  'the page of a person has what every service knows, and changes role, sessions and Maple account',
  async ({ page, baseURL }) => {
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

    // The list of Maple accounts knows the person by the address.
    await page.goto(`/dashboard/maple/accounts?${new URLSearchParams({ q: email ?? '' })}`)
    const row = page.getByRole('table', { name: 'Accounts' }).getByRole('row', { name: id })
    await expect(row).toContainText(email ?? '')
    await page.goto(people.addressOf(id))
    await page.setViewportSize(phone)
    await expectNoOverflow(page)
  },
)

anyone(
  'an id that nobody has any more has a page too, and an old address leads there',
  async ({ page }) => {
    const id = '0b8e1d52-0000-4000-8000-000000000000'
    const people = peoplePage(page)
    await openAs(page, sample.admin, people.address({ account: id }))
    await expect(page).toHaveURL(people.addressOf(id))
    await expect(people.title).toHaveText('Former user')
    await expect(page.getByText('Belongs to no provider.')).toBeVisible()
  },
)

anyone(
  'people are filtered by state, with a total and an address in words',
  async ({ page, baseURL }) => {
    const account = await newDeveloper(baseURL ?? '')
    const { email } = await account.call<Profile>('/api/user/profile')
    const people = peoplePage(page)
    await openAs(page, sample.admin, people.address({ q: email ?? '' }))
    await expect(people.total).toHaveText('1 person')
    await expect(people.pages).toHaveCount(0)
    await people.filterState('Disabled')
    await expect(page).toHaveURL(/state=disabled/)
    await expect(page.getByText(/^Nothing matches/)).toBeVisible()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await expect(page).not.toHaveURL(/state|q=/)
    await people.open({ state: 'foo', q: email ?? '' })
    await expect(page.getByText('Unknown state “foo”; showing all.')).toBeVisible()
  },
)

anyone(
  'someone with rights in Maple alone is told what is missing, and enters once they have it',
  async ({ page, baseURL }) => {
    const url = baseURL ?? ''
    const [admin, account] = [await signedIn(url, sample.admin), await newDeveloper(url)]
    const { id, email } = await account.call<Profile>('/api/user/profile')
    const body = { id, roles: ['operator'] }
    await admin.call('/api/maple/account', { method: 'POST', body })
    const give = (role: string) =>
      admin.call(`/api/admin/account/${id}`, { method: 'PUT', body: { role } })
    await give('CUSTOMER')
    await openAs(page, email ?? '', '/')
    await expect(page.getByText('You have rights in Maple')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(page.getByText('Your account still has no developer role.')).toBeVisible()
    await give('DEVELOPER')
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(page).toHaveURL(/\/dashboard/)
  },
)
