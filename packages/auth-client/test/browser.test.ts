import { existsSync } from 'node:fs'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { answer, drop, hold, startAuthServer } from './auth-server.ts'
import type { BrowserApp } from './browser-app.tsx'
import { credentials } from './fixtures.ts'

declare const app: BrowserApp

const executablePath = [
  process.env['GROVE_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  chromium.executablePath(),
].find((path) => path !== undefined && existsSync(path))

// Without a browser these are skipped, and say so; the scenarios of e2e/ install one.
describe.skipIf(executablePath === undefined)('in a browser', { timeout: 30_000 }, () => {
  let browser: Browser
  let script = ''

  beforeAll(async () => {
    const bundle = await build({
      entryPoints: [new URL('browser-app.tsx', import.meta.url).pathname],
      bundle: true,
      write: false,
      format: 'iife',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      conditions: ['source'],
    })
    script = bundle.outputFiles[0]?.text ?? ''
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
    browser = await chromium.launch({ executablePath, args })
  }, 60_000)
  afterAll(() => browser.close())

  async function setUp() {
    const server = await startAuthServer()
    onTestFinished(() => server.close())
    const html = '<!doctype html><div id="root"></div><script src="/page.js"></script>'
    server.files.set('/page', ['text/html', html]).set('/page.js', ['text/javascript', script])
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const open = async () => {
      const page = await context.newPage()
      await page.goto(`${server.url}/page`)
      await page.waitForSelector('#status')
      return page
    }
    return { server, open }
  }

  const signIn = (page: Page) => page.evaluate((body) => app.client.signIn(body), credentials)
  const status = (page: Page, expected: string) =>
    page.waitForFunction(
      (text) => document.getElementById('status')?.textContent === text,
      expected,
    )

  test('React renders what happens to the session, in this tab and in another', async () => {
    const { open } = await setUp()
    const first = await open()
    const second = await open()
    await status(first, 'signedOut nobody')
    await signIn(first)
    await status(first, 'signedIn user-a@grove.test')
    await status(second, 'signedIn user-a@grove.test')
    for (const page of [first, second]) {
      await page.waitForFunction(
        () => document.getElementById('details')?.textContent === 'true user-a@grove.test',
      )
    }
    await second.click('button')
    await status(second, 'signedOut nobody')
    await status(first, 'signedOut nobody')
    expect(await first.evaluate(() => localStorage.length)).toBe(0)
  })

  test('bugs 1 and 2: many calls in two tabs with an expired token refresh once', async () => {
    const { server, open } = await setUp()
    const pages = [await open(), await open()]
    server.settings.lifetime = 1
    await signIn(pages[0] as Page)
    await Promise.all(pages.map((page) => status(page, 'expired user-a@grove.test')))
    server.settings.lifetime = 600
    const values = await Promise.all(
      pages.map((page) =>
        page.evaluate(() =>
          Promise.all(Array.from({ length: 10 }, () => app.client.getAuthorization())),
        ),
      ),
    )
    expect(server.callsTo('/api/token/refresh')).toHaveLength(1)
    expect(new Set(values.flat()).size).toBe(1)
    expect(values.flat()[0]).toMatch(/^Bearer /)
  })

  test.each([
    ['status 404', answer(404, {}), 0, 0],
    ['status 500', answer(500, 'down'), 0, 0],
    ['a dropped connection', drop, 0, 0],
    ['a timeout', hold().fault, 80, 0],
    ['giving up', hold().fault, 0, 50],
  ])(
    'request fails as axios does over XMLHttpRequest: %s',
    async (_, fault, timeout, giveUpAfter) => {
      const { server, open } = await setUp()
      const page = await open()
      server.fail('/fault', fault, fault, fault)
      const { ours, axios } = await page.evaluate(
        ([limit, giveUpAfter]) => app.compare('/fault', limit, giveUpAfter),
        [timeout, giveUpAfter] as const,
      )
      expect(ours).toEqual(axios)
      expect(ours.message).not.toBe('success')
    },
  )

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
