import { drop, type Answers } from '../support/answers.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const eventOf = (id: number, action: string) => ({
  id,
  at: new Date(Date.now() - id * 60_000).toISOString(),
  actor: people.developer.id,
  key: null,
  action,
  subject: `00000000-0000-4000-8000-0000000000${id}`,
  providerId: null,
  productId: null,
  providerNames: null,
  productNames: null,
  version: null,
  before: null,
  after: null,
})
const newest = { items: [eventOf(11, 'product.create')], next: 'older', previous: null }
const older = { items: [eventOf(12, 'provider.create')], next: null, previous: null }

const test = testAs(people.developer, () => ({
  'GET /api/developer/activity': ({ query }) => ({
    ...(query.cursor === undefined ? newest : older),
    actions: [],
  }),
}))

test('a history whose older entries cannot be loaded keeps the others, and tries again', async ({
  page,
  calls,
}) => {
  const key = 'GET /api/developer/activity'
  const isDown: Answers = {
    [key]: ({ query }) => (query.cursor === undefined ? { ...newest, actions: [] } : drop()),
  }
  await page.goto('/dashboard/cedar/activity')
  const entries = page.getByRole('list', { name: 'Activity' }).getByRole('listitem')
  await expect(entries).toHaveText([/^Created an app/])
  calls.answer(isDown)
  await page.getByRole('button', { name: 'Show older' }).click()
  await expect(page.getByRole('alert')).toHaveText(/\S/)
  const again = page.getByRole('button', { name: 'Try again' })
  await expect(again).toBeFocused()
  await expect(entries).toHaveText([/^Created an app/])
  calls.answer({ [key]: { ...older, actions: [] } })
  await again.click()
  await expect(entries).toHaveText([/^Created an app/, /^Created a provider/])
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Show older' })).toHaveCount(0)
})
