import { setTimeout } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, CDPSession } from '@playwright/test'

export interface Page {
  path: string
  /** Matches what must be visible before the page is usable. */
  ready: string
}

export interface Transfer {
  path: string
  /** Milliseconds from the start of the navigation. */
  askedAt: number
  answeredAt: number
  /** Size of the body on the wire. */
  bytes: number
  encoding: string | undefined
}

export interface Visit {
  /** Milliseconds from the start of the navigation. */
  ready: number
  /** Everything requested before the page was ready. */
  untilReady: Transfer[]
  /** Everything until the network was quiet. */
  settled: Transfer[]
}

const maxMs = 60_000
/** Chromium's network idle. */
const quietMs = 500

// 1.6 Mbit/s in bytes.
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: 200_000,
  uploadThroughput: 200_000,
}

/** Opens a page as a first-time visitor with a slow machine on a slow network. */
export async function visit(
  browser: Browser,
  url: string,
  { path, ready }: Page,
  session?: BrowserContextOptions['storageState'],
): Promise<Visit> {
  const context = await browser.newContext({ storageState: session, locale: 'en-US' })
  try {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', network)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.addInitScript({ content: watchFor(ready) })
    const transfers = watchTransfers(cdp)
    await page.goto(url + path, { waitUntil: 'commit', timeout: maxMs })
    // Through the protocol: the content security policy blocks Playwright's evaluate.
    const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
      expression: 'benchReady',
      awaitPromise: true,
      returnByValue: true,
    })
    const asked = transfers.size
    if (exceptionDetails) throw new Error(`${path} was not ready within ${maxMs / 1000} s.`)
    await page.waitForLoadState('networkidle', { timeout: maxMs })
    await untilQuiet(transfers)
    return {
      ready: Number(result.value),
      untilReady: [...transfers.values()].slice(0, asked),
      settled: [...transfers.values()],
    }
  } finally {
    await context.close()
  }
}

/** A page is idle once between its start and its prefetches: waits for the end of both. */
async function untilQuiet(transfers: ReadonlyMap<string, Transfer>): Promise<void> {
  const end = Date.now() + maxMs
  const isLoading = () =>
    [...transfers.values()].some(({ path, bytes }) => path.endsWith('.js') && bytes <= 0)
  let known: number
  do {
    known = transfers.size
    await setTimeout(quietMs)
  } while ((transfers.size > known || isLoading()) && Date.now() < end)
}

/** Checks each frame; a string, since the loader would rewrite a function. */
const watchFor = (selector: string) => `
  globalThis.benchReady = new Promise((resolve, reject) => {
    setTimeout(reject, ${maxMs})
    const look = () => {
      const found = document.querySelector(${JSON.stringify(selector)})
      if (found?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
        resolve(performance.now())
      } else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`

/** Requests in order, completed as their responses arrive. */
function watchTransfers(cdp: CDPSession): Map<string, Transfer> {
  const transfers = new Map<string, Transfer & { headBytes: number }>()
  let start = 0
  cdp.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    const { protocol, pathname } = new URL(request.url)
    if (protocol !== 'http:') return
    if (transfers.size === 0) start = timestamp
    transfers.set(requestId, {
      path: pathname,
      askedAt: (timestamp - start) * 1000,
      answeredAt: Number.NaN,
      headBytes: 0,
      bytes: 0,
      encoding: undefined,
    })
  })
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    const transfer = transfers.get(requestId)
    if (!transfer) return
    // Requested before, so it costs no network.
    if (response.fromDiskCache) return void transfers.delete(requestId)
    transfer.headBytes = response.encodedDataLength
    transfer.encoding = response.headers['content-encoding']
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) => {
    const transfer = transfers.get(requestId)
    if (!transfer) return
    transfer.bytes = encodedDataLength - transfer.headBytes
    transfer.answeredAt = (timestamp - start) * 1000
  })
  return transfers
}

/** @throws if a script was not compressed with brotli. */
export function scriptBytes(transfers: readonly Transfer[]): number {
  const scripts = transfers.filter(({ path }) => path.endsWith('.js'))
  for (const { path, bytes, encoding } of scripts)
    if (bytes <= 0 || encoding !== 'br')
      throw new Error(`${path} came with ${bytes} bytes and encoding ${encoding}.`)
  return scripts.reduce((sum, { bytes }) => sum + bytes, 0)
}
