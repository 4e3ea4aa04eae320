import { chromium, type Page } from '@playwright/test'
import type { ElementSession, Exchange } from '@grove/contract/maple/card/session'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { findChromium } from '../../scripts/chromium.mjs'
import { row, type Benchmark } from './benchmark.ts'
import { openSession } from './support/browser-session.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { startStreamProxy } from './support/stream-proxy.ts'

const path = '/api/maple/sessions/se'
const perSecond = 1000
const batchMs = 20

export const sessionLog: Benchmark = {
  name: 'session-log',
  title: 'Live log of a session',
  how: `The page of a session in Chromium at 1440 × 900 on this machine while its stream brings ${perSecond} exchanges a second, in a batch every ${batchMs} ms. The exchanges are those that a software card answered, repeated under rising numbers; a server before the platform writes the stream, so that the figure is the page’s. The log is followed to its end. Frames are counted by requestAnimationFrame in whole seconds, after the first; the budget holds for the worst of them. Then 10,000 exchanges and more are scrolled by the wheel: the longest time between two frames.`,
  run: async (bench) => {
    const platform = await startPlatform(bench, { GROVE_DATA: await bench.folder('session-log') })
    const { session, exchanges } = await recordedSession(platform.url)
    const proxy = await startStreamProxy(platform.url, /\/sessions\/se\/[^/]+\/stream/)
    const browser = await chromium.launch({ executablePath: findChromium().path })
    try {
      const context = await browser.newContext({
        baseURL: proxy.url,
        storageState: await openSession(browser, proxy.url, 'admin'),
        viewport: { width: 1440, height: 900 },
      })
      const page = await context.newPage()
      // The loader wraps functions to keep their names, which the page does not support.
      await page.addInitScript('globalThis.__name ??= (value) => value')
      await page.goto(`/dashboard/maple/sessions/se/${session.id}`)
      await proxy.watched
      const seconds = bench.isQuick ? 4 : 15
      const stream = play(exchanges, proxy.write)
      const frames = await framesOf(page, seconds)
      const sent = stream.stop()
      const log = page.getByRole('listbox')
      await page.locator(`[aria-posinset="${sent}"]`).waitFor()
      const [, ...counted] = frames
      const scrolled = await scrollOf(page, async () => {
        await log.hover()
        for (let turn = 0; turn < (bench.isQuick ? 40 : 200); turn += 1)
          await page.mouse.wheel(0, -400)
      })
      return {
        rows: [
          row('frames a second, worst second', Math.min(...counted), '/s', {
            budget: { atLeast: 50 },
            note: `${counted.length} seconds: ${counted.join(', ')}`,
          }),
          row('exchanges that arrived', sent / seconds, '/s', { note: `${sent} exchanges` }),
          row('longest frame while scrolling', scrolled, 'ms', { budget: { atMost: 50 } }),
        ],
      }
    } finally {
      await browser.close()
      await proxy.close()
      await platform.stop()
    }
  },
}

/** A session with a software card, and the card's answers. */
async function recordedSession(url: string) {
  const send = createSend(url)
  const authorization = createSignIn(send, 'admin')
  const ask = async <Answer>(method: string, at: string, body?: object): Promise<Answer> =>
    jsonOf(await send(method, at, { headers: await authorization(), ...(body && { body }) }))
  const card = await ask<SoftwareCard>('POST', '/api/maple/software_cards', { name: 'Watched' })
  const session = await ask<ElementSession>('POST', path, { cplc: card.id })
  const command = (kind: string, values: object = {}) =>
    ask('POST', `${path}/${session.id}/command`, { kind, values })
  await command('MplSelect')
  await command('MplGetData', { tag: '9F7F' })
  await command('MplSelect', { aid: '0102030405' })
  await command('MplSelect')
  await ask('POST', `${path}/${session.id}/channel`, { level: '33' })
  for (const subset of ['issuer', 'applications', 'loadFilesAndModules'])
    await command('MplGetStatus', { subset })
  const { items } = await ask<{ items: Exchange[] }>('GET', `${path}/${session.id}/exchange`)
  return { session, exchanges: items }
}

/** Writes the exchanges in a loop, at their rate. */
function play(exchanges: readonly Exchange[], write: (text: string) => void) {
  const startedAt = performance.now()
  let sent = 0
  const due = () => Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
  const writeDue = () => {
    const events: string[] = []
    for (const end = due(); sent < end;) {
      const exchange = exchanges[sent % exchanges.length]
      sent += 1
      const data = { ...exchange, seq: sent, at: new Date().toISOString().replace('Z', '000Z') }
      events.push(`event: exchange\nid: ${sent}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    if (events.length > 0) write(events.join(''))
  }
  const timer = setInterval(writeDue, batchMs)
  return {
    stop: () => {
      clearInterval(timer)
      writeDue()
      return sent
    },
  }
}

/** The number of frames in each of the next seconds. */
const framesOf = (page: Page, seconds: number): Promise<number[]> =>
  page.evaluate(
    (count) =>
      new Promise<number[]>((resolve) => {
        const frames = Array.from({ length: count }, () => 0)
        const startedAt = performance.now()
        const next = (now: number) => {
          const second = Math.floor((now - startedAt) / 1000)
          if (second >= count) return resolve(frames)
          frames[Math.max(0, second)] = (frames[Math.max(0, second)] ?? 0) + 1
          requestAnimationFrame(next)
        }
        requestAnimationFrame(next)
      }),
    seconds,
  )

/** The longest time between two frames while something scrolls. */
async function scrollOf(page: Page, scroll: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const state = { longest: 0, last: performance.now() }
    Object.assign(globalThis, { scrollState: state })
    const next = (now: number) => {
      state.longest = Math.max(state.longest, now - state.last)
      state.last = now
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })
  await scroll()
  return page.evaluate(
    () => (globalThis as unknown as { scrollState: { longest: number } }).scrollState.longest,
  )
}
