import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { startAuthServer } from './auth-server.ts'
import { credentials } from './fixtures.ts'
import type { BrowserApp } from './browser-app.tsx'

declare const app: BrowserApp

export const executablePath = [
  process.env['GROVE_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  chromium.executablePath(),
].find((path) => path !== undefined && existsSync(path))

/** Whether the back-forward cache is available: a headless shell reloads the page. */
export const keepsPages = !/headless[-_]shell/.test(executablePath ?? '')

type SetUp = (clock?: number) => Promise<{
  server: Awaited<ReturnType<typeof startAuthServer>>
  context: BrowserContext
  open: () => Promise<Page>
  refreshes: () => number
  /** Sets the clock of all pages, current and future, this many milliseconds ahead. */
  setClock: (ahead: number) => Promise<void>
}>

/** Tests in one real browser. Without one they are skipped with a message; e2e/ installs one. */
export function describeInBrowser(
  name: string,
  tests: (setUp: SetUp, chrome: () => Browser) => void,
) {
  describe.skipIf(executablePath === undefined)(name, { timeout: 60_000 }, () => {
    let browser: Browser
    let script = ''

    beforeAll(async () => {
      const bundle = await build({
        entryPoints: [fileURLToPath(new URL('browser-app.tsx', import.meta.url))],
        bundle: true,
        write: false,
        format: 'iife',
        jsx: 'automatic',
        define: { 'process.env.NODE_ENV': '"production"' },
        conditions: ['source'],
      })
      script = bundle.outputFiles[0]?.text ?? ''
      browser = await launch()
    }, 60_000)
    afterAll(() => browser.close())

    const setUp: SetUp = async (clock = 0) => {
      const server = await startAuthServer()
      onTestFinished(() => server.close())
      const html = '<!doctype html><div id="root"></div><script src="/page.js"></script>'
      server.files.set('/page', ['text/html', html]).set('/page.js', ['text/javascript', script])
      const context = await browser.newContext()
      onTestFinished(() => context.close())
      await context.addInitScript(() => {
        const now = Date.now.bind(Date)
        Date.now = () => now() + (globalThis.clockAhead ?? 0)
      })
      const setClock = async (ahead: number) => {
        const set = (milliseconds: number) => void (globalThis.clockAhead = milliseconds)
        await context.addInitScript(set, ahead)
        await Promise.all(context.pages().map((page) => page.evaluate(set, ahead)))
      }
      await setClock(clock)
      const open = async () => {
        const page = await context.newPage()
        await page.goto(`${server.url}/page`)
        await page.waitForSelector('#status')
        return page
      }
      const refreshes = () => server.callsTo('/api/token/refresh').length
      return { server, context, open, setClock, refreshes }
    }

    tests(setUp, () => browser)
  })
}

declare global {
  var clockAhead: number | undefined
}

export function launch(options: LaunchOptions = {}): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  return chromium.launch({ executablePath, args, ...options })
}

export const signIn = (page: Page, email = credentials.email) =>
  page.evaluate((body) => app.client.signIn(body), { ...credentials, email })

export const authorization = (page: Page) => page.evaluate(() => app.client.getAuthorization())

/** Waits until the page shows this status and user. */
export const status = (page: Page, expected: string) => shows(page, 'status', expected)

export const shows = (page: Page, id: string, expected: string) =>
  page.waitForFunction(([id, text]) => document.getElementById(id)?.textContent === text, [
    id,
    expected,
  ] as const)
