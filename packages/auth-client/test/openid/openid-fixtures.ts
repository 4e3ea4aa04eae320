import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { executablePath, launch } from '../browser-fixtures.ts'
import { startPageServer } from './page-server.ts'

export interface OpenidHouse {
  /** The page's origin. */
  url: string
  context: BrowserContext
  open: (path?: string) => Promise<Page>
  /** Sets the clock of all pages, current and future, this many milliseconds ahead. */
  setClock: (ahead: number) => Promise<void>
  /** The form bodies of pages' requests whose URL contains this text. */
  sent: (part: string) => URLSearchParams[]
  /** The URL of the service's last redirect back to a page. */
  lastAnswer: () => string
  authorizations: readonly (string | undefined)[]
}

/** Tests of one page with an OpenID service, in a real browser with a back-forward cache. */
export function describeOpenid(
  name: string,
  start: (page: string) => Promise<{ issuer: string; stop: () => unknown }>,
  tests: (setUp: (settings?: Record<string, unknown>) => Promise<OpenidHouse>) => void,
) {
  describe.skipIf(executablePath === undefined)(name, { timeout: 60_000 }, () => {
    let browser: Browser
    let script = ''
    let service: Awaited<ReturnType<typeof start>>
    let server: Awaited<ReturnType<typeof startPageServer>>

    beforeAll(async () => {
      const bundle = await build({
        entryPoints: [fileURLToPath(new URL('openid-app.tsx', import.meta.url))],
        bundle: true,
        write: false,
        format: 'iife',
        jsx: 'automatic',
        define: { 'process.env.NODE_ENV': '"production"' },
        conditions: ['source'],
      })
      script = bundle.outputFiles[0]?.text ?? ''
      server = await startPageServer()
      service = await start(server.url)
      browser = await launch({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })
    }, 60_000)
    afterAll(async () => {
      await browser.close()
      await service.stop()
      server.close()
    })

    tests(async (settings = {}) => {
      const { url, page, authorizations } = server
      authorizations.length = 0
      Object.assign(page, {
        script,
        settings: { issuer: service.issuer, clientId: 'app', ...settings },
      })
      const context = await browser.newContext()
      onTestFinished(() => context.close())
      const calls: { url: string; form: URLSearchParams }[] = []
      context.on('request', (request) =>
        calls.push({ url: request.url(), form: new URLSearchParams(request.postData() ?? '') }),
      )
      const setClock = async (ahead: number) => {
        const set = (milliseconds: number) => void (globalThis.clockAhead = milliseconds)
        await context.addInitScript(set, ahead)
        await Promise.all(context.pages().map((one) => one.evaluate(set, ahead)))
      }
      const open = async (path = '/') => {
        const opened = await context.newPage()
        await opened.goto(url + path)
        await opened.waitForSelector('#status')
        return opened
      }
      const sent = (part: string) =>
        calls.filter((call) => call.url.includes(part)).map(({ form }) => form)
      const lastAnswer = () => calls.findLast((call) => call.url.startsWith(`${url}/?`))?.url ?? ''
      return { url, context, open, setClock, sent, lastAnswer, authorizations }
    })
  })
}
