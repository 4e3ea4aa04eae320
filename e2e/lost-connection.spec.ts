import { randomUUID } from 'node:crypto'
import type { Page, Route } from '@playwright/test'
import type { Rotation } from '@grove/contract/maple/card/key'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { signedIn, testAs } from './support/account.ts'
import { expect, sample } from './support/test.ts'

const admin = testAs((url) => signedIn(url, sample.admin))

type Item = Record<string, unknown>

interface View {
  /** The calls that read the view. */
  calls: RegExp
  /** Changes their answer to that of something still running. */
  live: (answer: Item) => Item
}

/** The calls of a view, which fail while its server is down. */
async function serverOf(page: Page, { calls, live }: View) {
  let isGone = false
  let hasAnswered = () => {}
  /** Settles once the view has been read and is read again. */
  const asked = new Promise<void>((resolve) => (hasAnswered = resolve))
  let answers = 0
  await page.route(calls, async (route: Route) => {
    if (isGone) return route.abort('connectionrefused')
    if (++answers > 1) hasAnswered()
    const response = await route.fetch()
    return route.fulfill({ response, json: live((await response.json()) as Item) })
  })
  return { asked, leaves: () => (isGone = true), answers: () => (isGone = false) }
}

const moment = '2026-01-01T00:00:00.000Z'
const rotation: Rotation = {
  id: randomUUID(),
  step: 'sending',
  custody: 'vault',
  domain: null,
  target: { kind: 'random' },
  oldVersion: 48,
  newVersion: 49,
  journal: [{ step: 'sending', at: moment, note: null }],
  createdBy: randomUUID(),
  jobId: null,
  createdAt: moment,
  updatedAt: moment,
}

admin(
  'the page of a key rotation says that the connection is lost, until the server responds @long',
  async ({ page, account }) => {
    const body = { name: `Lost ${randomUUID()}` }
    const { id } = await account.call<SoftwareCard>('/api/maple/software_cards', {
      method: 'POST',
      body,
    })
    const server = await serverOf(page, {
      calls: /\/api\/maple\/se\/keys\?/,
      live: (answer) => ({ ...answer, rotation }),
    })
    await page.goto(`/dashboard/maple/secure_elements/${id}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const notice = page.getByText('Connection lost, retrying.')
    await server.asked
    await expect(notice).toHaveCount(0)
    server.leaves()
    await expect(notice).toHaveCount(1)
    await expect(notice).toBeVisible()
    server.answers()
    await expect(notice).toHaveCount(0)
  },
)
