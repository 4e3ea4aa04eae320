import { join } from 'node:path'
import { chromium, type Browser } from '@playwright/test'
import { zipFolder } from '../../apps/platform/src/sample/zip-folder.ts'
import type { Preview } from '@grove/contract/cedar/preview'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { findChromium } from '../../scripts/chromium.mjs'
import { root } from '../../scripts/workspace.mjs'
import { row, type Benchmark } from './benchmark.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform, startServer } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const app = join(root, 'apps/platform/src/sample/apps/habit-garden/v1.0.0')
const maxMs = 30_000

export const preview: Benchmark = {
  name: 'preview',
  title: 'First paint of a preview',
  how: 'A sample app (page, style sheet, script, images) in Chromium at 390 × 844 on this machine, neither the network nor the CPU slowed: its preview, at an address opened for it, against the same files from a plain file server in a process of its own, each in a new browser context, in turns. A time is that of the first contentful paint, from the start of the navigation. The share is that of the medians.',
  run: async (bench) => {
    const platform = await startPlatform(bench, {
      GROVE_DATA: await bench.folder('preview'),
      GROVE_PREVIEW_PORT: '0',
    })
    const env = { FILE_FOLDER: app }
    const ready = /File server: (\S+)/
    const plain = await startServer(bench, 'bench/src/support/file-server.ts', env, ready)
    const browser = await chromium.launch({ executablePath: findChromium().path })
    try {
      const open = await openPreviews(platform.url, app)
      const ours: number[] = []
      const theirs: number[] = []
      for (let round = -2; round < (bench.isQuick ? 5 : 60); round += 1) {
        const { address, startPage } = await open()
        const [first, second] = [`${address}auto/${startPage}`, `${plain.url}/${startPage}`]
        // The first one inherits the other's effects on the machine: alternate.
        const isFirst = round % 2 === 0
        const a = await firstPaint(browser, isFirst ? first : second)
        const b = await firstPaint(browser, isFirst ? second : first)
        if (round < 0) continue
        ours.push(isFirst ? a : b)
        theirs.push(isFirst ? b : a)
      }
      const [own, other] = [median(ours), median(theirs)]
      return {
        rows: [
          row('first paint of a preview', own, 'ms', { note: `median of ${ours.length}` }),
          row('first paint from a plain file server', other, 'ms'),
          row('preview against a plain file server', own / other, '×', { budget: { atMost: 1.5 } }),
        ],
      }
    } finally {
      await browser.close()
      await plain.stop()
      await platform.stop()
    }
  },
}

/** Uploads the app in a folder as a version; each call opens a preview of it. */
export async function openPreviews(url: string, folder: string): Promise<() => Promise<Preview>> {
  const send = createSend(url)
  const signIn = createSignIn(send, 'developer')
  const post = async <T>(path: string, body: object): Promise<T> =>
    jsonOf(await send('POST', path, { headers: await signIn(), body }))
  const translations = [{ localeCode: 'en-US', title: 'Bench' }]
  const product = await post<{ productId: string }>('/api/developer/product', { translations })
  const { productVersionId: id } = await post<ProductVersion>('/api/developer/productVersion', {
    productId: product.productId,
    version: '1.0.0',
  })
  const form = new FormData()
  form.append('productVersionId', id)
  form.append('file', new File([new Uint8Array(await zipFolder(folder))], 'bench.zip'))
  const sent = await fetch(`${url}/api/storage/productVersion/miniApp`, {
    method: 'POST',
    headers: await signIn(),
    body: form,
  })
  if (!sent.ok) throw new Error(`The package was not taken: ${await sent.text()}`)
  return () => post<Preview>(`/api/developer/productVersion/${id}/preview`, {})
}

async function firstPaint(browser: Browser, address: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    await page.goto(address)
    const time = await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      undefined,
      { timeout: maxMs },
    )
    return Number(await time.jsonValue())
  } finally {
    await context.close()
  }
}
