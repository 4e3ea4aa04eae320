import { randomUUID } from 'node:crypto'
import type { Account } from '@grove/contract/auth/account-admin'
import type { Answers } from '../support/answers.ts'
import { catalogueAnswers } from '../support/catalogue-answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { expectAccessible } from '../support/page-checks.ts'
import { expect, people, testAs, type Person } from '../support/page-test.ts'
import { peoplePage } from '../support/people-page.ts'
import { sessionIn, tokenOf } from '../support/sign-in-answers.ts'

const moment = '2026-03-01T09:30:00.000000Z'
const emptyPage = { items: [], next: null, previous: null }

const accountOf = ({ id, email, roles }: Person, isOwn = false): Account => ({
  id,
  email,
  emailVerifiedAt: moment,
  name: null,
  roles: [...roles],
  disabledAt: null,
  createdAt: moment,
  lastUsedAt: moment,
  rights: {
    disable: isOwn ? 'own_account' : null,
    changeRole: isOwn ? 'own_account' : null,
    resetPassword: null,
    endSessions: isOwn ? 'own_account' : null,
  },
})

const everyone = [accountOf(people.admin, true), accountOf(people.developer)]
const admin = testAs(people.admin, (): Answers => ({
  'GET /api/admin/account': ({ query: { q = '', ids, state } }) => ({
    ...emptyPage,
    items: everyone.filter(
      ({ id, email }) =>
        (email === q || id === q || q === '') &&
        (ids === undefined || ids.includes(id)) &&
        state !== 'disabled',
    ),
  }),
  'GET /api/admin/account/{id}/session': { items: [sessionIn('Chrome')] },
  'GET /api/auth/event': { ...emptyPage, actions: [] },
  'GET /api/cedar/event': { ...emptyPage, actions: [] },
  'GET /api/maple/event': { ...emptyPage, actions: [] },
  'GET /api/maple/account': { ...emptyPage, count: { value: 0, isCapped: false } },
}))
const developer = testAs(people.developer)

developer('only administrators see people', async ({ page, calls }) => {
  await page.goto('/dashboard/cedar/account/people')
  await expect(page.getByRole('heading', { name: 'This page is for administrators' })).toBeVisible()
  expect(calls.asked('GET /api/admin/account')).toEqual([])
})

admin(
  'the reader’s own account says why it cannot be disabled, in the menu and on its page',
  async ({ page }) => {
    const { email } = people.admin
    const list = peoplePage(page)
    await list.open({ q: email })
    const { item } = await list.menu(email, 'Disable…')
    await expect(item).toHaveAttribute('aria-disabled', 'true')
    await expect(item).toContainText('You cannot disable your own account.')
    await page.keyboard.press('Escape')

    await list.row(email).focus()
    await page.keyboard.press('Enter')
    await expect(list.title).toContainText(email)
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

admin(
  'an ID that no longer exists has a page too, and an old URL leads there',
  async ({ page }) => {
    const id = randomUUID()
    const list = peoplePage(page)
    await list.open({ account: id })
    await expect(page).toHaveURL(list.addressOf(id))
    await expect(list.title).toHaveText('Former user')
    await expect(page.getByText('Belongs to no provider.')).toBeVisible()
  },
)

admin('people are filtered by state, with a total and a readable URL', async ({ page }) => {
  const { email } = people.developer
  const list = peoplePage(page)
  await list.open({ q: email })
  await expect(list.total).toHaveText('1 person')
  await expect(list.pages).toHaveCount(0)
  await list.filterState('Disabled')
  await expect(page).toHaveURL(/state=disabled/)
  await expect(page.getByText(/^Nothing matches/)).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page).not.toHaveURL(/state|q=/)
  await list.open({ state: 'foo', q: email })
  await expect(page.getByText('Unknown state “foo”; showing all.')).toBeVisible()
})

const customer = testAs(people.customer, (): Answers => ({
  ...catalogueAnswers([]),
  ...homeAnswers(),
  'GET /api/developer/product': emptyPage,
  'GET /api/maple/account/own': { rights: ['device.read'] },
}))

customer(
  'someone with rights in Maple only is told what is missing, and gets in once they have it',
  async ({ page, calls }) => {
    await page.goto('/')
    await expect(page.getByText('You have rights in Maple')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(page.getByText('Your account still has no developer role.')).toBeVisible()
    // The next token has the role.
    calls.answer({
      'POST /api/token/refresh': tokenOf({ ...people.customer, roles: ['DEVELOPER'] }),
    })
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(page).toHaveURL(/\/dashboard/)
  },
)
