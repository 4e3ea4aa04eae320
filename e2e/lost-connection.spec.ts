import { randomUUID } from 'node:crypto'
import type { Page, Route } from '@playwright/test'
import type { Rotation } from '@grove/contract/maple/card/key'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { newDeveloper, signedIn, testAs, type Account } from './support/account.ts'
import { createApp, createVersion } from './support/catalogue.ts'
import { expectAccessible, expectNoOverflow, inRussian, phone } from './support/page-checks.ts'
import { rolloutOf } from './support/rollout-of.ts'
import { expect, sample } from './support/test.ts'

const admin = testAs((url) => signedIn(url, sample.admin))
const developer = testAs(newDeveloper)

const english = 'Connection lost, retrying.'
const russian = 'Связь потеряна, пробуем снова.'

type Item = Record<string, unknown>

/** A page whose view is followed, and the calls that read the view. */
interface View {
  address: string
  calls: RegExp
  /** What the calls answer, as it is while something runs. */
  live?: (answer: Item) => Item
}

/** The first of the list in a state that changes by itself. */
const firstIs =
  (state: Item) =>
  ({ items, ...rest }: Item): Item => {
    const [first = {}, ...others] = items as Item[]
    return { ...rest, items: [{ ...first, ...state }, ...others] }
  }

/** The calls of a view, which fail while its server is gone. */
async function serverOf(page: Page, { calls, live }: View) {
  let isGone = false
  let hasAnswered = () => {}
  /** The view has been read, and is read again. */
  const asked = new Promise<void>((resolve) => (hasAnswered = resolve))
  let answers = 0
  await page.route(calls, async (route: Route) => {
    if (isGone) return route.abort('connectionrefused')
    if (++answers > 1) hasAnswered()
    if (!live) return route.continue()
    const response = await route.fetch()
    return route.fulfill({ response, json: live((await response.json()) as Item) })
  })
  return { asked, leaves: () => (isGone = true), answers: () => (isGone = false) }
}

const cards = '/dashboard/maple/secure_elements'

/** The page of a device of a customer, which has both its telemetry and its state. */
const ofDevice = (calls: RegExp) => async (account: Account) => {
  const id = `lost-${randomUUID().slice(0, 8)}`
  const body = { id, name: `Lost ${id}`, type: 'iot', state: 'accepted' }
  await account.call('/api/maple/device', { method: 'POST', body })
  // It is never connected: what is desired waits for it.
  await account.call(`/api/maple/device/twin?deviceId=${id}`, {
    method: 'PUT',
    body: { desired: { led: true } },
  })
  return { address: `/dashboard/maple/devices/${id}`, calls }
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

/** The views that are read again and again, each beside the calls that read it. */
const views: [string, typeof admin, (account: Account) => Promise<View>][] = [
  [
    'the jobs',
    admin,
    async () => ({
      address: '/dashboard/system/jobs?kind=recurring',
      calls: /\/api\/auth\/job\?/,
      live: firstIs({ state: 'running' }),
    }),
  ],
  [
    'the imports',
    admin,
    async (account) => {
      const body = new FormData()
      body.set('file', new Blob(['id;name\n']), 'devices.csv')
      await account.call('/api/maple/device/import', { method: 'POST', body })
      return {
        address: '/dashboard/maple/imports',
        calls: /\/api\/maple\/device\/import\?/,
        live: firstIs({ state: 'running' }),
      }
    },
  ],
  [
    'the rollouts',
    admin,
    async () => ({
      address: '/dashboard/maple/rollouts',
      calls: /\/api\/maple\/rollouts\?/,
      live: () => ({ items: [rolloutOf()], next: null, previous: null }),
    }),
  ],
  ['what a device measures', admin, ofDevice(/\/api\/maple\/device\/telemetry/)],
  ['the state of a device', admin, ofDevice(/\/api\/maple\/device\/twin/)],
  [
    'a rotation of keys',
    admin,
    async (account) => {
      const body = { name: `Lost ${randomUUID()}` }
      const { id } = await account.call<SoftwareCard>('/api/maple/software_cards', {
        method: 'POST',
        body,
      })
      return {
        address: `${cards}/${id}`,
        calls: /\/api\/maple\/se\/keys\?/,
        live: (answer) => ({ ...answer, rotation }),
      }
    },
  ],
  [
    'a package that is checked',
    developer,
    async (account) => {
      const product = await createApp(account, { 'en-US': 'Tides' })
      const { productId, productVersionId } = await createVersion(account, product, '1.0.0')
      return {
        address: `/dashboard/cedar/mobile/${productId}/${productVersionId}`,
        calls: /\/api\/developer\/productVersion\/[0-9a-f-]{36}$/,
        live: (answer) => ({ ...answer, state: 'checking' }),
      }
    },
  ],
  [
    'the notifications',
    developer,
    async (account) => {
      const { productId } = await createApp(account, { 'en-US': 'Tides' })
      const translations = [{ localeCode: 'en-US', title: 'New', body: 'Two clocks more' }]
      await account.call('/api/notification', { method: 'POST', body: { productId, translations } })
      return {
        address: '/dashboard/cedar/notifications',
        calls: /\/api\/notification\?/,
        live: firstIs({ state: 'sending' }),
      }
    },
  ],
]

for (const [name, test, viewOf] of views)
  test(`the page of ${name} says that the connection is lost, until the server answers`, async ({
    page,
    account,
  }) => {
    const view = await viewOf(account)
    const server = await serverOf(page, view)
    await page.goto(view.address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const notice = page.getByText(english)
    await server.asked
    await expect(notice).toHaveCount(0)
    server.leaves()
    await expect(notice).toHaveCount(1)
    await expect(notice).toBeVisible()
    server.answers()
    await expect(notice).toHaveCount(0)
  })

admin('it is said in Russian, on a phone, and before an open dialog', async ({ page }) => {
  await inRussian(page)
  await page.setViewportSize(phone)
  const view = {
    address: '/dashboard/system/jobs?kind=recurring',
    calls: /\/api\/auth\/job\b/,
    live: firstIs({ state: 'running' }),
  }
  const server = await serverOf(page, view)
  await page.goto(view.address)
  await server.asked
  const notice = page.getByText(russian)
  server.leaves()
  await expect(notice).toBeVisible()
  await expectNoOverflow(page)
  await expectAccessible(page)
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(russian)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  server.answers()
  await expect(notice).toHaveCount(0)
})
