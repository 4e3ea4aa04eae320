import type { Profile } from '@grove/contract/auth/profile'
import { newDeveloper, openAs, testAs } from './support/account.ts'
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
  'the own account says why it cannot be disabled, in the menu and the panel',
  async ({ page }) => {
    const people = peoplePage(page)
    await openAs(page, sample.admin, people.address({ q: sample.admin }))
    const { item } = await people.menu(sample.admin, 'Disable…')
    await expect(item).toHaveAttribute('aria-disabled', 'true')
    await expect(item).toContainText('You cannot disable your own account.')
    await page.keyboard.press('Escape')

    await people.row(sample.admin).focus()
    await page.keyboard.press('Enter')
    await expect(people.title).toHaveText(sample.admin)
    const button = people.panel.getByRole('button', { name: 'Disable…' })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toHaveAccessibleDescription('You cannot disable your own account.')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(people.row(sample.admin)).toBeFocused()
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
    await expect(page.getByText('Nothing matches.')).toBeVisible()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await expect(page).not.toHaveURL(/state|q=/)
    await people.open({ state: 'foo', q: email ?? '' })
    await expect(page.getByText('Unknown state “foo”; showing all.')).toBeVisible()
  },
)
