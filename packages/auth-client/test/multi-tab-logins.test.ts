import type { Page } from 'playwright-core'
import { expect, test, describe } from 'vitest'
import type { BrowserApp } from './browser-app.tsx'
import { authorization, describeInBrowser, shows, status } from './browser-fixtures.ts'

declare const app: BrowserApp

// Real tabs and the real Back button. The service accepts a code once.

const HOURS = 2 * 3600_000
const ENDED = 601_000

describeInBrowser('external logins in several tabs of a real browser', (setUp) => {
  describe.each([
    ['two hours fast', HOURS],
    ['two hours slow', -HOURS],
  ])('bug 14: with a clock %s', (_, clock) => {
    /** Tabs of a service whose provider redirects back to the page, with PKCE. */
    async function atProvider() {
      const house = await setUp(clock)
      const { server } = house
      const redirect = `${server.url}/page`
      const login = `${server.url}/provider`
      const callback = `${server.url}/broker/callback`
      server.settings.announced = { urls: { login, redirect, callback }, pkce: 'S256' }
      server.files.set('/provider', ['text/html', '<!doctype html><p id="status">provider</p>'])

      /** Navigates a tab from its page to the provider; returns the URL that leads back. */
      const leave = async (tab: Page, returnTo: string) => {
        const start = (returnTo: string) => app.client.startExternalLogin({ returnTo })
        const address = await tab.evaluate(start, returnTo)
        await tab.goto(address)
        await shows(tab, 'status', 'provider')
        return server.authorize(address)
      }
      /** Completes the login on the page that the tab returned to. */
      const complete = (tab: Page) =>
        tab.evaluate(async () => {
          let returnTo: string | null = null
          let code: string | undefined
          const onAnswer = (answer: { returnTo: string | null; body: unknown }) => {
            code = (answer.body as { code?: string } | null)?.code
            returnTo = code?.startsWith('state_') ? null : answer.returnTo
          }
          return app.client.completeExternalLogin(location.href, { onAnswer }).then(
            (isSignedIn) => [code?.startsWith('state_') ? code : isSignedIn, returnTo],
            (error: { code: string }) => [error.code, returnTo],
          )
        })
      /** The provider redirects the tab back, and the page there completes the login. */
      const comeBack = async (tab: Page, address: string) => {
        await tab.goto(address)
        await tab.waitForSelector('#status')
        return complete(tab)
      }
      const callbacks = () => server.callsTo('/broker/callback').length
      return { ...house, leave, complete, comeBack, callbacks }
    }

    test('simultaneous logins of two tabs both come back, and share one session', async () => {
      const { open, leave, comeBack, setClock, refreshes } = await atProvider()
      const tabs = [await open(), await open()] as const
      const [first, second] = await Promise.all([leave(tabs[0], '/a'), leave(tabs[1], '/b')])
      expect(await comeBack(tabs[1], second)).toEqual([true, '/b'])
      expect(await comeBack(tabs[0], first)).toEqual([true, '/a'])
      for (const tab of tabs) await status(tab, 'signedIn user-external')
      await setClock(clock + ENDED)
      const values = await Promise.all(tabs.map(authorization))
      expect(values[0]).toMatch(/^Bearer /)
      expect(values[1]).toBe(values[0])
      expect(refreshes()).toBe(1)
    })

    test('a state of one tab is unknown to another, and left to its own @long', async () => {
      const { open, leave, comeBack, callbacks } = await atProvider()
      const tabs = [await open(), await open()] as const
      const back = await leave(tabs[0], '/a')
      expect(await comeBack(tabs[1], back)).toEqual(['state_unknown', null])
      expect(callbacks()).toBe(0)
      expect(await comeBack(tabs[0], back)).toEqual([true, '/a'])
    })

    test('Back from the provider and another login: each comes back, in any order @long', async () => {
      const { open, leave, comeBack, callbacks } = await atProvider()
      const tab = await open()
      const first = await leave(tab, '/first')
      await tab.goBack()
      await status(tab, 'signedOut nobody')
      const second = await leave(tab, '/second')
      expect(await comeBack(tab, second)).toEqual([true, '/second'])
      expect(await comeBack(tab, first)).toEqual([true, '/first'])
      expect(callbacks()).toBe(2)
    })

    test('Back to a completed callback, or a reload of it, is a replay and ends nothing @long', async () => {
      const { open, leave, comeBack, complete, callbacks } = await atProvider()
      const tab = await open()
      expect(await comeBack(tab, await leave(tab, '/a'))).toEqual([true, '/a'])
      await tab.reload()
      await status(tab, 'signedIn user-external')
      expect(await complete(tab)).toEqual(['state_replayed', null])
      await tab.evaluate(() => void (location.href = '/page'))
      await tab.waitForURL(/page$/)
      await tab.goBack()
      await status(tab, 'signedIn user-external')
      expect(await complete(tab)).toEqual(['state_replayed', null])
      expect(callbacks()).toBe(1)
      expect(await authorization(tab)).toMatch(/^Bearer /)
    })

    test('a tab that the page opened has a copy of its records: the service accepts the code once @long', async () => {
      const { context, open, leave, comeBack } = await atProvider()
      const tab = await open()
      const back = await leave(tab, '/a')
      await tab.goBack()
      await status(tab, 'signedOut nobody')
      const opened = context.waitForEvent('page')
      await tab.evaluate(() => void window.open('/page'))
      const copy = await opened
      expect(await comeBack(tab, back)).toEqual([true, '/a'])
      expect(await comeBack(copy, back)).toEqual([false, '/a'])
      for (const page of [tab, copy]) {
        await status(page, 'signedIn user-external')
        expect(await authorization(page)).toMatch(/^Bearer /)
      }
    })

    test('ten minutes by the page’s clock end a state @long', async () => {
      const { open, leave, comeBack, setClock, callbacks } = await atProvider()
      const tab = await open()
      const back = await leave(tab, '/a')
      await setClock(clock + ENDED)
      expect(await comeBack(tab, back)).toEqual(['state_expired', null])
      expect(callbacks()).toBe(0)
    })
  })
})
