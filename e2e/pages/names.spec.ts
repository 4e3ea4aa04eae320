import type { Account } from '@grove/contract/auth/account-admin'
import type { Answers } from '../support/answers.ts'
import { appAnswers, appOf } from '../support/app-answers.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const app = appOf({ 'en-US': 'Tide Clock' })
const at = '2026-03-01T09:30:00.000000Z'
const accountOf = (id: string, name: string): Account => ({
  id,
  email: `${name}@grove.test`,
  emailVerifiedAt: at,
  name,
  roles: ['DEVELOPER'],
  disabledAt: null,
  createdAt: at,
  lastUsedAt: null,
  rights: { disable: null, changeRole: null, resetPassword: null, endSessions: null },
})
const mira = accountOf('00000000-0000-4000-8000-0000000000a1', 'Mira')
const oleg = accountOf('00000000-0000-4000-8000-0000000000a2', 'Oleg')
const releaseBy = (id: string, actor: string) => ({
  id,
  at,
  action: 'enable' as const,
  version: `1.${id}.0`,
  replaced: null,
  reason: null,
  actor,
})
const answers = (...actors: string[]): Answers => ({
  ...appAnswers([app]),
  'GET /api/developer/product/{id}/release': {
    items: actors.map((actor, index) => releaseBy(String(index), actor)),
    next: null,
    previous: null,
  },
})
const page = `/dashboard/cedar/mobile/${app.productId}/versions`

testAs(people.admin, () => ({
  ...answers(mira.id, oleg.id, mira.id),
  'GET /api/admin/account': ({ query }) => ({
    items: [mira, oleg].filter(({ id }) => query.ids?.includes(id)),
    next: null,
    previous: null,
  }),
}))(
  'an administrator reads who released what, by names asked for at once',
  async ({ page: tab, calls }) => {
    await tab.goto(page)
    const history = tab.getByRole('region', { name: 'Release history' })
    await expect(history.getByRole('link', { name: 'Mira' })).toHaveCount(2)
    await expect(history.getByRole('link', { name: 'Oleg' })).toHaveAttribute(
      'href',
      `/dashboard/cedar/account/people/${oleg.id}`,
    )
    await expect(history).not.toContainText(mira.id.slice(0, 8))
    expect(calls.asked('GET /api/admin/account')).toHaveLength(1)
  },
)

testAs(people.developer, () => answers(people.developer.id))(
  'a developer reads which releases are their own',
  async ({ page: tab }) => {
    await tab.goto(page)
    const history = tab.getByRole('region', { name: 'Release history' })
    await expect(history.getByText('· you')).toBeVisible()
  },
)
