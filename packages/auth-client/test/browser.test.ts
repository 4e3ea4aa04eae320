import { expect, onTestFinished, test } from 'vitest'
import { answer, drop, hold, startAuthServer } from './auth-server.ts'
import type { BrowserApp } from './browser-app.tsx'
import { describeInBrowser, shows, signIn, status } from './browser-fixtures.ts'

declare const app: BrowserApp

describeInBrowser('in a browser', (setUp) => {
  test('React renders changes of the session, made in this tab and in another', async () => {
    const { open } = await setUp()
    const first = await open()
    const second = await open()
    await status(first, 'signedOut nobody')
    await signIn(first)
    await status(first, 'signedIn user-a@grove.test')
    await status(second, 'signedIn user-a@grove.test')
    for (const page of [first, second]) await shows(page, 'details', 'true user-a@grove.test')
    await second.click('button')
    await status(second, 'signedOut nobody')
    await status(first, 'signedOut nobody')
    expect(await first.evaluate(() => localStorage.length)).toBe(0)
  })

  test.each([
    ['status 404', answer(404, {}), 0, 0],
    ['status 500', answer(500, 'down'), 0, 0],
    ['a dropped connection', drop, 0, 0],
    ['a timeout', hold().fault, 80, 0],
    ['giving up', hold().fault, 0, 50],
  ])('request fails like axios over XMLHttpRequest: %s', async (_, fault, timeout, giveUpAfter) => {
    const { server, open } = await setUp()
    const page = await open()
    server.fail('/fault', fault, fault, fault)
    const { ours, axios } = await page.evaluate(
      ([limit, giveUpAfter]) => app.compare('/fault', limit, giveUpAfter),
      [timeout, giveUpAfter] as const,
    )
    expect(ours).toEqual(axios)
    expect(ours.message).not.toBe('success')
  })

  test('the XSRF cookie goes to the page’s own origin as a header', async () => {
    const { server, open } = await setUp()
    const other = await startAuthServer()
    onTestFinished(() => other.close())
    const page = await open()
    const urls = [`${server.url}/api/token/anonymous`, `${other.url}/api/token/anonymous`]
    await page.evaluate(async (addresses) => {
      document.cookie = 'XSRF-TOKEN=a%2Fb'
      for (const address of addresses) await app.request(address)
    }, urls)
    const sent = [server, other].map(
      (one) => one.callsTo('/api/token/anonymous')[0]?.headers['x-xsrf-token'],
    )
    expect(sent).toEqual(['a/b', undefined])
  })
})
