import type { Browser, BrowserContextOptions, CDPSession } from '@playwright/test'

export interface Page {
  path: string
  /** Matches what a person has to see before they can use the page. */
  ready: string
}

interface Transfers {
  requests: number
  scriptBytes: number
}

export interface Visit {
  /** Milliseconds from the start of the navigation. */
  ready: number
  /** Of everything asked for before the page was ready. */
  untilReady: Transfers
  /** Of everything until the network was quiet. */
  settled: Transfers
}

const mostMs = 60_000
// 1.6 Mbit/s in bytes.
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: 200_000,
  uploadThroughput: 200_000,
}

/** Opens a page as a first visitor with a slow machine on a slow network would. */
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
    await page.goto(url + path, { waitUntil: 'commit', timeout: mostMs })
    // Through the protocol: the content security policy refuses what Playwright would evaluate.
    const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
      expression: 'benchReady',
      awaitPromise: true,
      returnByValue: true,
    })
    const asked = transfers.asked()
    if (exceptionDetails) throw new Error(`${path} was not ready within ${mostMs / 1000} s.`)
    await page.waitForLoadState('networkidle', { timeout: mostMs })
    return {
      ready: Number(result.value),
      untilReady: transfers.sumOf(asked),
      settled: transfers.sumOf(transfers.asked()),
    }
  } finally {
    await context.close()
  }
}

/** Looks at each frame; text, since a function would be rewritten on its way through the loader. */
const watchFor = (selector: string) => `
  globalThis.benchReady = new Promise((resolve, reject) => {
    setTimeout(reject, ${mostMs})
    const look = () => {
      const found = document.querySelector(${JSON.stringify(selector)})
      if (found?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
        resolve(performance.now())
      } else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`

function watchTransfers(cdp: CDPSession) {
  interface Transfer {
    path: string
    headBytes: number
    bytes: number
    encoding: string | undefined
  }
  const transfers = new Map<string, Transfer>()
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { protocol, pathname } = new URL(request.url)
    if (protocol === 'http:')
      transfers.set(requestId, { path: pathname, headBytes: 0, bytes: 0, encoding: undefined })
  })
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    const transfer = transfers.get(requestId)
    if (!transfer) return
    transfer.headBytes = response.encodedDataLength
    transfer.encoding = response.headers['content-encoding']
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const transfer = transfers.get(requestId)
    if (transfer) transfer.bytes = encodedDataLength - transfer.headBytes
  })
  return {
    asked: () => [...transfers.keys()],
    sumOf(ids: readonly string[]): Transfers {
      const chosen = ids.flatMap((id) => transfers.get(id) ?? [])
      const scripts = chosen.filter(({ path }) => path.endsWith('.js'))
      for (const { path, bytes, encoding } of scripts)
        if (bytes <= 0 || encoding !== 'br')
          throw new Error(`${path} came with ${bytes} bytes and encoding ${encoding}.`)
      return {
        requests: chosen.length,
        scriptBytes: scripts.reduce((sum, { bytes }) => sum + bytes, 0),
      }
    },
  }
}
