import type { Page, Request } from '@playwright/test'
import { signedIn, testAs } from './support/account.ts'
import { expect, sample } from './support/test.ts'

const admin = testAs((url) => signedIn(url, sample.admin))
const developer = testAs((url) => signedIn(url, sample.developer))

const rows = (page: Page) => page.locator('main tbody tr[aria-label]')

/** The parameters of a call, regardless of their order. */
const parametersOf = ({ searchParams }: URL) =>
  Object.fromEntries([...searchParams].toSorted(([a], [b]) => a.localeCompare(b)))

const lists = [
  [admin, '/dashboard/maple/devices', '/api/maple/device'],
  [admin, '/dashboard/maple/accounts', '/api/maple/account'],
  [developer, '/dashboard/cedar/mobile', '/api/developer/product'],
] as const

/**
 * The total number of files that a list loads. How many of them arrive after its rows (budget 25)
 * depends on the speed of the machine: the pages benchmark measures that.
 */
const maxLoaded: Record<(typeof lists)[number][2], number> = {
  '/api/maple/device': 41,
  '/api/maple/account': 45,
  '/api/developer/product': 43,
}

/**
 * Allowed besides the list itself: names, saved views, the data of its header, and the frame’s own
 * calls.
 */
const beside =
  /^\/api\/(stage\/auth|user\/profile|provider(\/request)?|admin\/account|developer\/failure|maple\/(account\/own|approvals|device\/view|device\/bulk\/count)|storage\/image\/\w+)$/

for (const [test, address, path] of lists)
  test(`once ${path} is shown, its page asks for no other list and for little more @long`, async ({
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

/** Polled while something in it is running. */
const followed =
  /^\/api\/(\w+\/job|notification|maple\/(about|applets|approvals|device\/import|reader|rollouts|sessions\/\w+))$/

for (const [name, test] of [
  ['an admin', admin],
  ['a developer', developer],
] as const)
  test(`nothing in the menu of ${name} is requested twice @long`, async ({ page }) => {
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
    /** Each call with the time of its answer. */
    const calls = new Map<string, number>()
    const twice: string[] = []
    const callOf = (request: Request) => {
      const url = new URL(request.url())
      // A page may still request something while it is being left.
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
    // The tabs of a page are added to the set during the loop, and visited too.
    for (const address of addresses) {
      // Discards the previous page and its calls, even if the next page is the same.
      await page.goto('about:blank')
      calls.clear()
      await page.goto(address)
      await expect.poll(() => calls.size).toBeGreaterThan(0)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      // The next page may repeat a call that this page makes once it is shown.
      await page.waitForLoadState('networkidle')
      for (const tab of await addressesOf(page.locator('main > nav a'))) addresses.add(tab)
    }
    expect(addresses.size).toBeGreaterThan(inMenu)
    expect(twice).toEqual([])
  })
