import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { answer, hold } from './auth-server.ts'
import type { BrowserApp } from './browser-app.tsx'
import { authorization, describeInBrowser, signIn, status } from './browser-fixtures.ts'

declare const app: BrowserApp

// Real pages of one browser context share storage and locks. The server rotates strictly, so a
// refresh token sent twice ends the session, and its clock is not the pages' own.

const HOURS = 2 * 3600_000
const ENDED = 601_000
const USER = 'user-a@grove.test'
const REFRESH = '/api/token/refresh'
const ROUNDS = process.env['GROVE_TESTS'] === 'all' ? 20 : 3

describeInBrowser('several tabs of a real browser', (setUp) => {
  const stored = (page: Page) => page.evaluate(() => localStorage.length)

  async function twoTabs(clock: number) {
    const house = await setUp(clock)
    const tabs = [await house.open(), await house.open()] as const
    await signIn(tabs[0])
    for (const tab of tabs) await status(tab, `signedIn ${USER}`)
    return { ...house, tabs }
  }

  describe.each([
    ['two hours fast', HOURS],
    ['two hours slow', -HOURS],
  ])('with a clock %s', (_, clock) => {
    test(`bugs 1 and 2: tabs that race with an expired token send one refresh, ${ROUNDS} times`, async () => {
      const { tabs, setClock, refreshes, server } = await twoTabs(clock)
      for (let round = 1; round <= ROUNDS; round++) {
        await setClock(clock + round * ENDED)
        const many = () =>
          Promise.all(Array.from({ length: 5 }, () => app.client.getAuthorization()))
        const values = (await Promise.all(tabs.map((tab) => tab.evaluate(many)))).flat()
        expect(refreshes()).toBe(round)
        expect(new Set(values).size).toBe(1)
        expect(values[0]).toMatch(/^Bearer /)
      }
      for (const tab of tabs) {
        expect(await tab.evaluate(async () => (await app.client.fetch('/thing')).status)).toBe(200)
      }
      expect(server.callsTo('/thing')).toHaveLength(2)
    })

    test('bug 5: a sign-out while offline clears every tab at once, and refreshes nothing @long', async () => {
      const { tabs, setClock, refreshes, context, server } = await twoTabs(clock)
      await setClock(clock + ENDED)
      await context.setOffline(true)
      await tabs[1].evaluate(() => app.client.signOut())
      expect(await stored(tabs[1])).toBe(0)
      for (const tab of tabs) await status(tab, 'signedOut nobody')
      expect(await stored(tabs[0])).toBe(0)
      await context.setOffline(false)
      expect(await Promise.all(tabs.map(authorization))).toEqual([null, null])
      expect(refreshes()).toBe(0)
      await tabs[0].reload()
      await status(tabs[0], 'signedOut nobody')
      expect(server.callsTo('/api/logout').length).toBeLessThanOrEqual(1)
    })

    test('bug 5: an expired token is not refreshed before the logout', async () => {
      const { tabs, setClock, refreshes, server } = await twoTabs(clock)
      await setClock(clock + ENDED)
      await tabs[1].click('button')
      await status(tabs[0], 'signedOut nobody')
      await vi.waitFor(() => expect(server.callsTo('/api/logout')).toHaveLength(1))
      expect(refreshes()).toBe(0)
    })

    test('bug 6: a refresh answered after a sign-out in another tab changes nothing', async () => {
      const { tabs, setClock, server } = await twoTabs(clock)
      await setClock(clock + ENDED)
      const late = hold()
      server.fail(REFRESH, late.fault)
      const waiting = authorization(tabs[0])
      await late.reached
      await tabs[1].click('button')
      late.release()
      expect(await waiting).toBeNull()
      for (const tab of tabs) {
        await status(tab, 'signedOut nobody')
        expect(await stored(tab)).toBe(0)
      }
    })

    test('bug 6: a refresh answered after another user signed in elsewhere changes nothing @long', async () => {
      const { tabs, setClock, server } = await twoTabs(clock)
      await setClock(clock + ENDED)
      const late = hold()
      server.fail(REFRESH, late.fault)
      const waiting = authorization(tabs[0])
      await late.reached
      await tabs[1].evaluate(() => app.client.signOut())
      await signIn(tabs[1], 'next@grove.test')
      late.release()
      const [first, second] = [await waiting, await authorization(tabs[1])]
      for (const tab of tabs) await status(tab, 'signedIn user-next@grove.test')
      expect([null, second]).toContain(first)
      expect(await authorization(tabs[0])).toBe(second)
      const records = await tabs[0].evaluate(() => Object.keys(localStorage).toSorted())
      expect(records).toEqual([
        'grove.auth/browser/grove/current',
        'grove.auth/browser/grove/user/user-next@grove.test',
      ])
    })

    test('bug 8: nothing loops, and nobody is signed out @long', async () => {
      const { tabs, server, refreshes } = await twoTabs(clock)
      for (const tab of tabs) await tab.reload()
      for (const tab of tabs) {
        await status(tab, `signedIn ${USER}`)
        const twenty = async () => {
          for (let call = 0; call < 20; call++) await app.client.getAuthorization()
          return (await app.client.tokenDetails()).is_valid
        }
        expect(await tab.evaluate(twenty)).toBe(true)
      }
      expect(refreshes()).toBe(0)
      expect(server.callsTo('/.well-known/jwks.json').length).toBeLessThanOrEqual(4)
    })
  })

  test.each([
    ['back', HOURS, 0],
    ['ahead', 0, HOURS],
  ])(
    'a clock set %s by two hours while the tabs are open renews once @long',
    async (_, from, to) => {
      const { tabs, setClock, refreshes, server } = await twoTabs(from)
      await setClock(to)
      server.forgetAccessTokens()
      for (let call = 0; call < 5; call++) {
        for (const tab of tabs) {
          expect(await tab.evaluate(async () => (await app.client.fetch('/x')).status)).toBe(200)
        }
      }
      expect(refreshes()).toBe(1)
    },
  )

  test('bug 3: a frozen tab that holds the lock delays the others once, and keeps its lock @long', async () => {
    const { tabs, setClock, refreshes, context } = await twoTabs(HOURS)
    const [frozen, other] = tabs
    await setClock(HOURS + ENDED)
    const name = 'grove.auth/browser/grove/refresh'
    await frozen.evaluate((lock) => {
      void navigator.locks.request(lock, () => new Promise(() => {}))
    }, name)
    const devtools = await context.newCDPSession(frozen)
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    await other.bringToFront()
    const start = performance.now()
    const values = await Promise.all([authorization(other), authorization(other)])
    const waited = performance.now() - start
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[1]).toBe(values[0])
    expect(waited).toBeGreaterThan(11_000)
    expect(waited).toBeLessThan(15_000)
    expect(refreshes()).toBe(1)
    const held = await other.evaluate(async () => (await navigator.locks.query()).held?.length)
    expect(held).toBe(1)

    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    expect(await authorization(frozen)).toBe(values[0])
    expect(refreshes()).toBe(1)
  })

  test('bug 9: a laptop that slept: each page renews at its next use, and they share one refresh', async () => {
    const { context, open, refreshes } = await setUp()
    await context.clock.install()
    const tabs = [await open(), await open()] as const
    await signIn(tabs[0])
    for (const tab of tabs) await status(tab, `signedIn ${USER}`)
    await context.clock.fastForward('08:00:00')
    for (const tab of tabs) await status(tab, `expired ${USER}`)
    expect(refreshes()).toBe(0)
    const values = await Promise.all(tabs.map(authorization))
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[1]).toBe(values[0])
    expect(refreshes()).toBe(1)
  })

  test('bug 10: tabs that wake before the network does go on when it is back @long', async () => {
    const { tabs, setClock, context, refreshes } = await twoTabs(-HOURS)
    await context.setOffline(true)
    await setClock(-HOURS + ENDED)
    expect(await Promise.all(tabs.map(authorization))).toEqual([null, null])
    for (const tab of tabs) await status(tab, `expired ${USER}`)
    await context.setOffline(false)
    const values = await Promise.all(tabs.map(authorization))
    expect(values[0]).toMatch(/^Bearer /)
    expect(values[1]).toBe(values[0])
    expect(refreshes()).toBe(1)
  })

  test('bug 7: a tab whose refresh failed leaves the session to the other @long', async () => {
    const { tabs, setClock, server, refreshes } = await twoTabs(HOURS)
    await setClock(HOURS + ENDED)
    server.fail(REFRESH, answer(502, '<h1>Bad gateway</h1>'))
    expect(await authorization(tabs[0])).toBeNull()
    const value = await authorization(tabs[1])
    expect(value).toMatch(/^Bearer /)
    // A write to storage reaches another tab's process a moment later.
    await expect.poll(() => authorization(tabs[0])).toBe(value)
    expect(refreshes()).toBe(2)
  })
})
