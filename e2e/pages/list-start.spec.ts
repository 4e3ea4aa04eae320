import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Account } from '@grove/contract/auth/account-admin'
import type { Product } from '@grove/contract/cedar/product'
import type { Event } from '@grove/contract/core/event'
import type { MapleAccount } from '@grove/contract/maple/access/account'
import type { Answers } from '../support/answers.ts'
import { appAnswers, appOf } from '../support/app-answers.ts'
import { devicesOf, fleetAnswers } from '../support/fleet-answers.ts'
import { phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'
import { jobAnswers, jobOf, notificationAnswers } from '../support/system-answers.ts'

const moment = '2026-03-01T09:30:00.000000Z'
const emptyPage = { items: [], next: null, previous: null }
const { id, email } = people.developer

const mapleAccount: MapleAccount = {
  id,
  roles: ['operator'],
  expiresAt: null,
  serviceId: null,
  revision: 1,
  createdAt: moment,
  updatedAt: moment,
}
const account: Account = {
  id,
  email,
  emailVerifiedAt: moment,
  name: null,
  roles: ['DEVELOPER'],
  disabledAt: null,
  createdAt: moment,
  lastUsedAt: moment,
  rights: { disable: null, changeRole: null, resetPassword: null, endSessions: null },
}
const event: Event = {
  id: 1,
  at: moment,
  actor: id,
  action: 'account.update',
  subject: id,
  ip: '192.0.2.1',
  userAgent: null,
  requestId: randomUUID(),
  partOf: null,
  before: null,
  after: null,
}
const live: Product['liveVersion'] = {
  productVersionId: randomUUID(),
  version: '1.0.0',
  state: 'live',
  locales: ['en-US'],
}

const lists = (): Answers => ({
  ...fleetAnswers(devicesOf(60)),
  ...appAnswers([appOf({ 'en-US': 'Habit Garden' }, { liveVersion: live })]),
  'GET /api/maple/account': {
    ...emptyPage,
    items: [mapleAccount],
    count: { value: 1, isCapped: false },
  },
  'GET /api/maple/roles': { rights: [], items: [] },
  'GET /api/admin/account': { ...emptyPage, items: [account] },
  'GET /api/auth/event': { ...emptyPage, items: [event], actions: ['account.update'] },
  ...jobAnswers(jobOf()),
  ...notificationAnswers(),
})
const admin = testAs(people.admin, lists)
const developer = testAs(people.developer, lists)

const rows = (page: Page) => page.locator('main tbody tr[aria-label]')

/** Holds the frameworks back until `until` settles. */
const holdFrameworks = (page: Page, until: Promise<unknown>) =>
  page.route(/\/assets\/vendor-/, async (route) => {
    await until
    await route.continue()
  })

for (const [test, address, path] of [
  [admin, '/dashboard/maple/devices', '/api/maple/device'],
  [admin, '/dashboard/maple/accounts', '/api/maple/account'],
  [developer, '/dashboard/cedar/mobile', '/api/developer/product'],
] as const)
  test(`${path} is requested before the frameworks are loaded, and only once`, async ({
    page,
    calls,
  }) => {
    const first = page.waitForRequest((request) => new URL(request.url()).pathname === path)
    await holdFrameworks(page, first)
    // A page size that the person chose earlier.
    await page.addInitScript(() => {
      for (const name of ['maple.device', 'maple.account', 'cedar.product'])
        localStorage.setItem(`grove.list.${name}`, '{"limit":25}')
    })
    await page.goto(address)
    await expect(page.locator('main table[aria-busy=false]')).toBeVisible()
    // A link to the same list may request its first page.
    const [one, ...others] = calls.asked(`GET ${path}`).map(({ query }) => query)
    expect(others).not.toContainEqual(one)
    expect(one).toMatchObject({ limit: 25 })
  })

developer('the providers are requested once the apps are shown', async ({ page, calls }) => {
  const release = calls.hold('GET /api/developer/product')
  await page.goto('/dashboard/cedar/mobile')
  await expect(page.locator('main tbody[data-loading] tr')).not.toHaveCount(0)
  expect(calls.asked('GET /api/provider')).toEqual([])
  release()
  await expect(rows(page).first()).toBeVisible()
  await expect.poll(() => calls.asked('GET /api/provider').length).toBe(1)
})

developer(
  'an empty history requests nothing for filters that it does not have',
  async ({ page, calls }) => {
    // Without an answer they would be requested again once the page is idle.
    const release = calls.hold('GET /api/provider')
    await page.goto('/dashboard/cedar/notifications')
    await expect(page.getByText('No notifications yet')).toBeVisible()
    await expect.poll(() => calls.asked('GET /api/provider').length).toBe(1)
    release()
    await page.waitForLoadState('networkidle')
    expect(calls.asked('GET /api/provider')).toHaveLength(1)
    const asked = calls.asked('GET /api/developer/product').map(({ query }) => query.limit)
    expect(asked).not.toContain(200)
  },
)

developer('nothing is requested that the role may not open', async ({ page, calls }) => {
  await page.goto('/dashboard/maple/devices')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'This page is for administrators',
  )
  expect(calls.asked('GET /api/maple/device')).toEqual([])
})

admin('an expired token is renewed before anything is requested', async ({ page }) => {
  let release = () => {}
  await holdFrameworks(page, new Promise<void>((resolve) => (release = resolve)))
  const sent: (string | undefined)[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/api/')) return
    const token = request.headers()['authorization']
    sent.push(pathname === '/api/token/refresh' ? pathname : token)
    if (token !== undefined) release()
  })
  await page.addInitScript(() => {
    const now = Date.now
    Date.now = () => now() + 11 * 60_000
  })
  await page.goto('/dashboard/maple/devices')
  await expect(rows(page).first()).toBeVisible()
  const stored = await page.evaluate(() => Object.values(localStorage).join(' '))
  expect(sent[0]).toBe('/api/token/refresh')
  expect(stored).toContain(sent[1]?.replace('Bearer ', ''))
})

/** The page's cumulative layout shift while it loads: 0 means that nothing moved. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifts: string[] = []
    Object.assign(globalThis, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources = [] } = entry as unknown as {
          value: number
          sources?: { node?: Element }[]
        }
        shifts.push(
          `${value} ${sources.map(({ node }) => node?.outerHTML?.slice(0, 80)).join(' | ')}`,
        )
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
const shiftsOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts)

for (const [test, address, key] of [
  [admin, '/dashboard/maple/devices', 'GET /api/maple/device'],
  [admin, '/dashboard/maple/accounts', 'GET /api/maple/account'],
  [admin, '/dashboard/cedar/account/people', 'GET /api/admin/account'],
  [admin, '/dashboard/system/events', 'GET /api/auth/event'],
  [admin, '/dashboard/system/jobs?kind=recurring', 'GET /api/auth/job'],
  [developer, '/dashboard/cedar/mobile', 'GET /api/developer/product'],
] as const)
  test(`${address} does not move while its rows load, and takes no focus`, async ({
    page,
    calls,
  }) => {
    await watchShifts(page)
    // 1300: no room for secondary columns.
    for (const size of [{ width: 1440, height: 900 }, { width: 1300, height: 900 }, phone]) {
      const release = calls.hold(key)
      await page.setViewportSize(size)
      await page.goto(address)
      await expect(page.locator('main tbody[data-loading] tr')).not.toHaveCount(0)
      release()
      await expect(rows(page).first()).toBeVisible()
      await page.waitForLoadState('networkidle')
      const shifts = await shiftsOf(page)
      const total = shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0)
      expect(total, shifts.join('\n')).toBeLessThanOrEqual(0.02)
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
    }
  })
