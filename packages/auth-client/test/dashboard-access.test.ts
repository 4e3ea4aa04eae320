import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { answer, hold } from './auth-server.ts'
import type { BrowserApp } from './browser-app.tsx'
import { describeInBrowser, shows, signIn, status } from './browser-fixtures.ts'

declare const app: BrowserApp

const KEYS = '/.well-known/jwks.json'
const ENDED = 601_000

describeInBrowser('RequireDashboardAccess', (setUp) => {
  const children = (page: Page) => page.waitForSelector('[aria-label=Private]')
  const history = (page: Page) => page.evaluate(() => app.shown)

  async function signedIn() {
    const house = await setUp()
    const page = await house.open()
    await signIn(page)
    await children(page)
    return { ...house, page }
  }

  test('shows its children only once the token is verified', async () => {
    const { server, open } = await setUp()
    const page = await open()
    await shows(page, 'access', 'signed out')
    const keys = hold()
    server.fail(KEYS, keys.fault)
    await signIn(page)
    await keys.reached
    await shows(page, 'access', 'pending')
    keys.release()
    await children(page)
    expect(await history(page)).toEqual(['signed out', 'pending', 'children'])
  })

  test('a reload while signed in shows no sign-in in between', async () => {
    const { page } = await signedIn()
    await page.reload()
    await children(page)
    expect(await history(page)).toEqual(['pending', 'children'])
  })

  test('a sign-out in another tab removes the children', async () => {
    const { page, open } = await signedIn()
    const other = await open()
    await children(other)
    await other.click('button')
    for (const one of [page, other]) await shows(one, 'access', 'signed out')
    expect((await history(page)).slice(-2)).toEqual(['children', 'signed out'])
  })

  test('another user who signs in elsewhere is verified again', async () => {
    const { page, server, open } = await signedIn()
    server.settings.roles = ['CUSTOMER']
    await signIn(await open(), 'next@grove.test')
    await shows(page, 'access', 'refused')
    expect((await history(page)).slice(-3)).toEqual(['children', 'pending', 'refused'])
  })

  test('a customer is refused and never sees the children', async () => {
    const { server, open } = await setUp()
    server.settings.roles = ['CUSTOMER']
    const page = await open()
    await signIn(page)
    await shows(page, 'access', 'refused')
    await page.reload()
    await shows(page, 'access', 'refused')
    expect(await history(page)).toEqual(['pending', 'refused'])
  })

  test('unreachable keys are reported, and requested again without a storm @long', async () => {
    const { server, open } = await setUp()
    server.fail(KEYS, answer(503, {}), answer(503, {}))
    const page = await open()
    await signIn(page)
    await shows(page, 'access', 'unverified')
    await children(page)
    expect(await history(page)).toEqual(['signed out', 'pending', 'unverified', 'children'])
    expect(server.callsTo(KEYS).length).toBeLessThanOrEqual(4)
  })

  test('a token that expired while the page was closed is refreshed first', async () => {
    const { page, setClock, refreshes } = await signedIn()
    await setClock(ENDED)
    await page.reload()
    await children(page)
    expect(await history(page)).toEqual(['pending', 'children'])
    expect(refreshes()).toBe(1)
  })

  test('a session that turns out to be over leads to the sign-in, in one step', async () => {
    const { page, server, setClock, refreshes } = await signedIn()
    server.endAllSessions()
    await setClock(ENDED)
    await page.reload()
    await shows(page, 'access', 'signed out')
    expect(await history(page)).toEqual(['pending', 'signed out'])
    expect(refreshes()).toBe(1)
  })

  test('an open page alone does not keep the session alive', async () => {
    const { page, setClock, refreshes } = await signedIn()
    await setClock(ENDED)
    await page.evaluate(() =>
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true })),
    )
    await status(page, 'expired user-a@grove.test')
    await page.evaluate(() => dispatchEvent(new Event('online')))
    expect(await history(page)).toEqual(['signed out', 'pending', 'children'])
    expect(refreshes()).toBe(0)
  })

  test('a refresh that is slow or fails for now keeps the children and typed text', async () => {
    const { page, server, setClock, refreshes } = await signedIn()
    await page.fill('[aria-label=Private]', 'half a sentence')
    const slow = hold()
    server.fail('/api/token/refresh', slow.fault, answer(503, {}))
    await setClock(ENDED)
    const renewing = page.evaluate(() => app.client.getAuthorization())
    await slow.reached
    await status(page, 'refreshing user-a@grove.test')
    slow.release()
    expect(await renewing).toMatch(/^Bearer /)
    await setClock(2 * ENDED)
    expect(await page.evaluate(() => app.client.getAuthorization())).toBeNull()
    await status(page, 'expired user-a@grove.test')
    expect(await page.inputValue('[aria-label=Private]')).toBe('half a sentence')
    expect(await history(page)).toEqual(['signed out', 'pending', 'children'])
    expect(refreshes()).toBe(2)
  })
})
