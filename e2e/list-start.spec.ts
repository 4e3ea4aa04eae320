import type { Page, Request } from '@playwright/test'
import { newDeveloper, newUserId, signedIn, testAs } from './support/account.ts'
import { phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const admin = testAs((url) => signedIn(url, sample.admin))
const developer = testAs((url) => signedIn(url, sample.developer))

const rows = (page: Page) => page.locator('main tbody tr[aria-label]')

/** Holds the frameworks back until `until` settles. */
const holdFrameworks = (page: Page, until: Promise<unknown>) =>
  page.route(/\/assets\/vendor-/, async (route) => {
    await until
    await route.continue()
  })

/** The parameters of a call, whatever order they are sent in. */
const parametersOf = ({ searchParams }: URL) =>
  Object.fromEntries([...searchParams].toSorted(([a], [b]) => a.localeCompare(b)))

/** The calls to a path by their parameters, as they are sent. */
function callsTo(page: Page, path: string) {
  const calls: Record<string, string>[] = []
  const first = new Promise<void>((resolve) => {
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname !== path) return
      calls.push(parametersOf(url))
      resolve()
    })
  })
  return { calls, first }
}

const lists = [
  [admin, '/dashboard/maple/devices', '/api/maple/device'],
  [admin, '/dashboard/maple/accounts', '/api/maple/account'],
  [developer, '/dashboard/cedar/mobile', '/api/developer/product'],
] as const

for (const [test, address, path] of lists)
  test(`${path} is asked for before the frameworks are here, and once`, async ({ page }) => {
    const { calls, first } = callsTo(page, path)
    await holdFrameworks(page, first)
    // A size of page that its reader chose.
    await page.addInitScript(() => {
      for (const name of ['maple.device', 'maple.account', 'cedar.product'])
        localStorage.setItem(`grove.list.${name}`, '{"limit":25}')
    })
    await page.goto(address)
    await expect(page.locator('main table[aria-busy=false]')).toBeVisible()
    // A link to the same list may ask for its first page.
    const same = calls.map((call) => JSON.stringify(call)).filter((call, _, [one]) => call === one)
    expect(same).toHaveLength(1)
    expect(calls[0]).toMatchObject({ limit: '25' })
  })

/**
 * What a list loads at all. How much of it comes after its rows (budget 25) depends on how fast the
 * machine is: the benchmark of pages says that.
 */
const maxLoaded: Record<(typeof lists)[number][2], number> = {
  '/api/maple/device': 41,
  '/api/maple/account': 45,
  '/api/developer/product': 43,
}

/** What a list needs besides itself: names, saved views, what its head says, and the frame’s own calls. */
const beside =
  /^\/api\/(stage\/auth|user\/profile|provider(\/request)?|admin\/account|developer\/failure|maple\/(account\/own|approvals|device\/view|device\/bulk\/count)|storage\/image\/\w+)$/

for (const [test, address, path] of lists)
  test(`once ${path} is shown, its page asks for no other list and for little more`, async ({
    page,
  }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(address)
    await expect(rows(page).first()).toBeVisible()
    const before = asked.length
    await page.mouse.move(0, 0)
    let known: number
    do {
      known = asked.length
      // The condition is that nothing happens.
      await page.waitForTimeout(2500)
    } while (asked.length > known)
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(maxLoaded[path])
    const calls = asked.slice(before).filter((each) => each.startsWith('/api/') && each !== path)
    expect(calls.filter((call) => !beside.test(call))).toEqual([])
  })

/** What is read again by itself while something of it runs. */
const followed =
  /^\/api\/(\w+\/job|notification|maple\/(about|applets|approvals|device\/import|reader|rollouts|sessions\/\w+))$/

for (const [name, test] of [
  ['an admin', admin],
  ['a developer', developer],
] as const)
  test(`nothing in the menu of ${name} is asked for twice`, async ({ page }) => {
    test.slow()
    await page.goto('/dashboard')
    const links = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')
    await expect(links.first()).toBeVisible()
    const addressesOf = (list: typeof links) =>
      list.evaluateAll((all) =>
        all.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
      )
    const addresses = new Set(await addressesOf(links))
    const inMenu = addresses.size
    expect(inMenu).toBeGreaterThan(4)
    /** Each call with the moment of its answer. */
    const calls = new Map<string, number>()
    const twice: string[] = []
    const callOf = (request: Request) => {
      const url = new URL(request.url())
      // A page may ask for something more while it is left for the next one.
      const from = new URL(page.url()).pathname
      return {
        path: url.pathname,
        call: `${from}: ${url.pathname} ${JSON.stringify(parametersOf(url))}`,
      }
    }
    page.on('request', (request) => {
      const { path, call } = callOf(request)
      if (!path.startsWith('/api/') || request.method() !== 'GET') return
      const isFollowing = followed.test(path) && Date.now() - (calls.get(call) ?? Infinity) > 900
      if (calls.has(call) && !isFollowing) twice.push(call)
      calls.set(call, Infinity)
    })
    page.on('requestfinished', (request) => {
      const { call } = callOf(request)
      if (calls.has(call)) calls.set(call, Date.now())
    })
    // The tabs of a page join the set, and have their turn, while it is gone through.
    for (const address of addresses) {
      // The page before is gone with its calls, also where it is the same.
      await page.goto('about:blank')
      calls.clear()
      await page.goto(address)
      await expect.poll(() => calls.size).toBeGreaterThan(0)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      // What a page asks for once it is shown may be the same again.
      await page.waitForLoadState('networkidle')
      for (const tab of await addressesOf(page.locator('main > nav a'))) addresses.add(tab)
    }
    expect(addresses.size).toBeGreaterThan(inMenu)
    expect(twice).toEqual([])
  })

developer('the providers are asked for once the apps are shown', async ({ page }) => {
  const { calls, first } = callsTo(page, '/api/provider')
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/developer/product?*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/dashboard/cedar/mobile')
  await expect(page.locator('main tbody[data-loading] tr')).not.toHaveCount(0)
  expect(calls).toEqual([])
  release()
  await expect(rows(page).first()).toBeVisible()
  await first
})

testAs(newDeveloper)(
  'an empty history asks nothing for filters that it does not have',
  async ({ page }) => {
    const [products, providers] = ['/api/developer/product', '/api/provider'].map((path) =>
      callsTo(page, path),
    )
    // Without an answer they would be asked for again once the page is quiet.
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(/\/api\/provider$/, async (route) => {
      await held
      await route.continue().catch(() => {})
    })
    await page.goto('/dashboard/cedar/notifications')
    await expect(page.getByText('No notifications yet')).toBeVisible()
    await providers?.first
    release()
    await page.waitForLoadState('networkidle')
    expect(providers?.calls).toHaveLength(1)
    expect(products?.calls.filter(({ limit }) => limit === '200')).toEqual([])
  },
)

developer('nothing is asked for that the role does not open', async ({ page }) => {
  const { calls } = callsTo(page, '/api/maple/device')
  await page.goto('/dashboard/maple/devices')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'This page is for administrators',
  )
  expect(calls).toEqual([])
})

admin('a token that has ended is renewed before anything is asked for', async ({ page }) => {
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

/** What moved while it was loaded, as browsers count it: 0 is nothing. */
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

const everyList = [
  [admin, '/dashboard/maple/devices', '/api/maple/device'],
  [admin, '/dashboard/maple/accounts', '/api/maple/account'],
  [admin, '/dashboard/cedar/account/people', '/api/admin/account'],
  [admin, '/dashboard/system/events', '/api/auth/event'],
  [admin, '/dashboard/system/jobs?kind=recurring', '/api/auth/job'],
  [developer, '/dashboard/cedar/mobile', '/api/developer/product'],
] as const

for (const [test, address, path] of everyList)
  test(`${address} stays where it is while its rows come, and takes no focus`, async ({
    page,
    account,
    baseURL,
  }) => {
    // The sample has none.
    if (path === '/api/maple/account') {
      const id = await newUserId(baseURL ?? '')
      await account.call(path, { method: 'POST', body: { id, roles: [] } })
    }
    await watchShifts(page)
    let release = () => {}
    let shown: Promise<void> = Promise.resolve()
    await page.route(`**${path}?*`, async (route) => {
      await shown
      await route.continue()
    })
    // 1300: no room for secondary columns.
    for (const size of [{ width: 1440, height: 900 }, { width: 1300, height: 900 }, phone]) {
      shown = new Promise((resolve) => (release = resolve))
      await page.setViewportSize(size)
      await page.goto(address)
      await expect(page.locator('main tbody[data-loading] tr')).not.toHaveCount(0)
      release()
      await expect(rows(page).first()).toBeVisible()
      await page.waitForLoadState('networkidle')
      const shifts = await shiftsOf(page)
      const total = shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0)
      // A working stage brings a developer's menu one item more, once it is found.
      const most = test === developer ? 0.022 : 0.02
      expect(total, shifts.join('\n')).toBeLessThanOrEqual(most)
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
    }
  })
