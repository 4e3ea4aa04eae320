import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepsPages, shows, status } from '../browser-fixtures.ts'
import type { OpenidApp } from './openid-app.tsx'
import { describeOpenid } from './openid-fixtures.ts'
import { startProvider } from './start-provider.ts'

declare const app: OpenidApp

const HOUR = 3_600_000
const authorization = (page: Page) => page.evaluate(() => app.client.getAuthorization())
const stored = (page: Page) => page.evaluate(() => localStorage.length)

describeOpenid('at oidc-provider, in a real browser (needs chromium)', startProvider, (setUp) => {
  async function signedIn(settings: Record<string, unknown> = {}, path = '/') {
    const house = await setUp(settings)
    const page = await house.open(path)
    await page.click('#in')
    await status(page, 'signedIn ann')
    return { ...house, page }
  }

  test('signs in, returns to the page that was open, verifies, and stays over a reload', async () => {
    const { url, page, sent, authorizations } = await signedIn({}, '/deep/page?x=1#part')
    expect(page.url()).toBe(`${url}/deep/page?x=1#part`)
    await shows(page, 'details', 'true ann')
    await page.evaluate(() => app.client.fetch('/api/thing'))
    expect(authorizations.at(-1)).toBe(await authorization(page))
    await page.reload()
    await status(page, 'signedIn ann')
    await shows(page, 'details', 'true ann')
    const [code, ...more] = sent('/token')
    expect(more).toEqual([])
    expect(code?.get('grant_type')).toBe('authorization_code')
    expect(code?.get('code_verifier')).toMatch(/^[\w-]{43}$/)
    const session = await page.evaluate(() => app.client.getState())
    expect(session).toMatchObject({ session: { token: { idToken: expect.any(String) as string } } })
  })

  test('renews with a rotating refresh token, once for two tabs @long', async () => {
    const { page, open, setClock, sent } = await signedIn()
    const other = await open()
    await status(other, 'signedIn ann')
    for (const round of [1, 2]) {
      await setClock(round * 650_000)
      const many = () => Promise.all([1, 2, 3].map(() => app.client.getAuthorization()))
      const values = (await Promise.all([page, other].map((tab) => tab.evaluate(many)))).flat()
      expect(new Set(values).size).toBe(1)
      expect(values[0]).toMatch(/^Bearer /)
    }
    const used = sent('/token').slice(1)
    expect(used.map((form) => form.get('grant_type'))).toEqual(['refresh_token', 'refresh_token'])
    expect(new Set(used.map((form) => form.get('refresh_token'))).size).toBe(2)
  })

  test('two tabs that sign in at once each have their own attempt', async () => {
    const { open, sent, url } = await setUp()
    const tabs = [await open('/one'), await open('/two')]
    await Promise.all(tabs.map((tab) => tab.click('#in')))
    await Promise.all(tabs.map((tab) => status(tab, 'signedIn ann')))
    expect(tabs.map((tab) => tab.url())).toEqual([`${url}/one`, `${url}/two`])
    const verifiers = sent('/token').map((form) => form.get('code_verifier'))
    expect(new Set(verifiers).size).toBe(2)
  })

  test('the code is neither in the page’s URL nor in its history', async () => {
    const { page, url, lastAnswer, sent } = await signedIn({}, '/deep')
    expect(lastAnswer()).toContain('code=')
    await page.reload()
    await status(page, 'signedIn ann')
    await page.goto('about:blank')
    await page.goBack({ waitUntil: 'commit' })
    await status(page, 'signedIn ann')
    expect(page.url()).toBe(`${url}/deep`)
    const names = await page.evaluate(() =>
      performance.getEntriesByType('navigation').map(({ name }) => name),
    )
    expect(names.join()).not.toContain('code=')
    expect(sent('/token').filter((form) => form.has('code'))).toHaveLength(1)
  })

  test('signs out at the service and in other tabs, and revokes the refresh token @long', async () => {
    const { page, open, url, sent } = await signedIn()
    const other = await open('/other')
    await status(other, 'signedIn ann')
    const token = await page.evaluate(() => {
      const state = app.client.getState()
      return state.status === 'signedOut' ? undefined : state.session.token.refreshToken
    })
    await page.click('#out')
    await status(other, 'signedOut nobody')
    await page.waitForURL(`${url}/`)
    await status(page, 'signedOut nobody')
    expect(await stored(other)).toBe(0)
    expect(sent('/token/revocation').map((form) => form.get('token'))).toEqual([token])
    // End the service's own session too.
    await page.evaluate(async () => {
      const address = new URL(await app.client.startExternalLogin())
      address.searchParams.set('prompt', 'none')
      location.assign(address)
    })
    await page.waitForFunction(() => app?.result?.error !== undefined)
    const error = await page.evaluate(() => ({ ...(app.result?.error as object) }))
    expect(error).toMatchObject({ code: 'provider_refused', providerError: 'login_required' })
  })

  test('a page from the back-forward cache shows no session after a sign-out elsewhere @long', async () => {
    const { page, open, url } = await signedIn()
    await page.goto('about:blank')
    const other = await open()
    await other.evaluate(() => app.client.signOut())
    await page.goBack({ waitUntil: 'commit' })
    await status(page, 'signedOut nobody')
    expect(page.url()).toBe(`${url}/`)
    expect(await page.evaluate(() => app.persisted)).toBe(keepsPages)
  })

  test('a state that is unknown, or already used, signs nobody in @long', async () => {
    const { page, url, sent, lastAnswer } = await signedIn()
    await page.evaluate(() => app.client.signOut())
    const used = lastAnswer()
    expect(used).toContain('&state=')
    const addresses = { state_unknown: `${url}/?code=stolen&state=other`, state_replayed: used }
    const before = sent('/token').length
    for (const [code, address] of Object.entries(addresses)) {
      await page.goto(address)
      await shows(page, 'error', `External login failed: ${code}`)
      expect(page.url()).toBe(`${url}/`)
      await status(page, 'signedOut nobody')
    }
    // One more: the revocation by the sign-out.
    expect(sent('/token').length).toBeLessThanOrEqual(before + 1)
    expect(sent('/token').filter((form) => form.has('code'))).toHaveLength(1)
  })

  test('an ID token with another nonce signs nobody in', async () => {
    const { context, open } = await setUp()
    await context.route('**/auth?*', (route) => {
      const changed = new URL(route.request().url())
      changed.searchParams.set('nonce', 'another')
      return route.continue({ url: changed.href })
    })
    const page = await open()
    await page.click('#in')
    await shows(page, 'error', 'External login failed: nonce_mismatch')
    await status(page, 'signedOut nobody')
    expect(await stored(page)).toBe(0)
  })

  test('a refusal is shown as text', async () => {
    const { open } = await setUp({ parameters: { login_hint: 'denied' } })
    const page = await open('/here')
    await page.click('#in')
    await shows(page, 'error', 'No <img src=x onerror="window.isHacked = true"> today')
    expect(await page.evaluate(() => 'isHacked' in window)).toBe(false)
    expect(page.url()).toMatch(/\/here$/)
  })

  test.each([
    ['an hour fast', HOUR],
    ['an hour slow', -HOUR],
  ])('works with a clock %s', async (_, ahead) => {
    const house = await setUp()
    await house.setClock(ahead)
    const page = await house.open()
    await page.click('#in')
    await status(page, 'signedIn ann')
    for (let call = 0; call < 5; call++) expect(await authorization(page)).toMatch(/^Bearer /)
    await house.setClock(ahead + 650_000)
    expect(await authorization(page)).toMatch(/^Bearer /)
    expect(house.sent('/token')).toHaveLength(2)
  })

  test('opaque access tokens: refused with what to set, and used beside the ID token @long', async () => {
    const refused = await setUp({ clientId: 'opaque' })
    const page = await refused.open()
    await page.click('#in')
    await page.waitForFunction(() => document.getElementById('error')?.textContent !== 'none')
    expect(await page.textContent('#error')).toContain('set `identity` to idToken')
    await status(page, 'signedOut nobody')

    const used = await signedIn({ clientId: 'opaque', identity: 'idToken' })
    await shows(used.page, 'details', 'true ann')
    const first = await authorization(used.page)
    await used.setClock(650_000)
    expect(await authorization(used.page)).not.toBe(first)
    await shows(used.page, 'details', 'true ann')
    expect(used.sent('/token')).toHaveLength(2)
  })
})
