import { chromium, type Page } from '@playwright/test'
import { sampleDevice } from '../../apps/platform/src/sample/fleet-device.ts'
import { devicePanel, devicesPage } from '../../e2e/support/devices-page.ts'
import { findChromium } from '../../scripts/chromium.mjs'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { openSession } from './support/browser-session.ts'
import { engineNames } from './support/fleet.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { openTimedPage, type Frames, type TimedPage } from './support/input-timer.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { createRandom, percentile } from './support/statistics.ts'

const paths = {
  devices: '/dashboard/maple/devices',
  people: '/dashboard/cedar/account/people',
  elements: '/dashboard/maple/secure_elements',
} as const

export const feel: Benchmark = {
  name: 'feel',
  title: 'Feel',
  how: 'The built console in Chromium at 1440 × 900 on this machine, neither the network nor the CPU slowed, on PostgreSQL with the sample fleet, signed in as an admin. A time starts at the event of the key or the press and ends when the first frame that shows the result has been drawn: after the last key of a search (the beginning of a name, an id, a chip’s serial) the rows that the service returns for it, of devices and, for the beginning of a CPLC and a serial, of secure elements; after a click on a device its panel; after Next the other rows; after a link in the menu the rows of the other list. Budgets hold for the 95th percentile. Scrolling: 200 rows by the wheel, there and back, of devices and of secure elements; the longest time between two frames.',
  run: async (bench) => {
    const fleet = await bench.fleet('postgres')
    const server = await startPlatform(bench, fleet.env)
    bench.say(`${bench.devices} devices on ${engineNames[fleet.engine]}`)
    try {
      return { rows: await feelRows(bench, server.url, bench.isQuick ? 5 : 60) }
    } finally {
      await server.stop()
    }
  },
}

/** A person working in the lists of a platform with the sample fleet. */
export async function feelRows(bench: BenchContext, url: string, rounds: number): Promise<Row[]> {
  const browser = await chromium.launch({ executablePath: findChromium().path })
  try {
    const context = await browser.newContext({
      baseURL: url,
      storageState: await openSession(browser, url, 'admin'),
      locale: 'en-US',
      viewport: { width: 1440, height: 900 },
    })
    const timed = await openTimedPage(context, paths.devices)
    const view: View = { bench, url, rounds, timed, random: createRandom(1) }
    return [
      timesRow('key press to filtered rows', await filterTimes(view), 150),
      timesRow('row to panel', await panelTimes(view), 100),
      timesRow('page to page: Next', await nextTimes(view), 200),
      timesRow('page to page: another list', await menuTimes(view), 200),
      framesRow('longest frame while scrolling', await scroll(view, paths.devices)),
      timesRow('key press to filtered elements', await elementTimes(view), 150),
      framesRow('the same among elements', await scroll(view, paths.elements)),
    ]
  } finally {
    await browser.close()
  }
}

interface View {
  bench: BenchContext
  url: string
  /** Repetitions. */
  rounds: number
  timed: TimedPage
  random: () => number
}

function timesRow(name: string, times: readonly number[], atMost: number): Row {
  return row(name, percentile(times, 0.95), 'ms', {
    budget: { atMost },
    note: `p95 of ${times.length}; median ${percentile(times, 0.5).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms`,
  })
}

const framesRow = (name: string, { longest, count, moved }: Frames): Row =>
  row(name, longest, 'ms', {
    budget: { atMost: 50 },
    note: `${count} frames, ${moved.toFixed(0)} pixels`,
  })

/** The last key of a search, after the earlier input has settled. */
async function filterTimes({ bench, url, rounds, timed, random }: View): Promise<number[]> {
  const { page, time, settle } = timed
  const list = devicesPage(page)
  const ask = deviceAsk(url, await listCallOf(page, () => list.open()))
  const times: number[] = []
  const now = Date.now()
  while (times.length < rounds) {
    const device = sampleDevice(Math.floor(random() * bench.devices), now)
    const texts = [
      device.name.slice(0, 1 + Math.floor(random() * device.name.length)),
      device.id.slice(0, 4 + Math.floor(random() * device.id.length)),
      device.cplc[0]?.slice(24, 32) ?? device.name,
    ]
    const text = texts[times.length % texts.length]?.trim() ?? ''
    const typed = text.slice(0, -1)
    const { names: before } = await ask(queryOf(typed))
    const { names: after } = await ask(queryOf(text))
    // A key without a visible effect cannot be measured; the service finds nothing for half a serial
    // number.
    if (after.length === 0 || String(before) === String(after)) continue
    await list.search(typed)
    await settle({ rows: before })
    await list.searched.press('End')
    times.push(await time(() => page.keyboard.type(text.slice(-1)), { rows: after }))
  }
  return times
}

const queryOf = (text: string): Record<string, string> => (text.trim() ? { q: text.trim() } : {})

/** The same for secure elements; their rows are named by the chip's serial number. */
async function elementTimes({ bench, url, rounds, timed, random }: View): Promise<number[]> {
  const { page, time, settle } = timed
  const search = page.getByRole('searchbox')
  const call = '/api/maple/se/element'
  const like = await listCallOf(page, () => page.goto(paths.elements), call)
  const ask = createAsk(url, like, call, ({ cplc = '' }) => serialOf(cplc))
  const times: number[] = []
  const now = Date.now()
  while (times.length < rounds) {
    const [cplc] = sampleDevice(Math.floor(random() * bench.devices), now).cplc
    if (cplc === undefined) continue
    const text =
      times.length % 2 === 0 ? serialOf(cplc) : cplc.slice(0, 24 + Math.floor(random() * 12))
    const typed = text.slice(0, -1)
    const { names: before } = await ask(queryOf(typed))
    const { names: after } = await ask(queryOf(text))
    if (after.length === 0 || String(before) === String(after)) continue
    await search.fill(typed)
    await settle({ rows: before })
    await search.press('End')
    times.push(await time(() => page.keyboard.type(text.slice(-1)), { rows: after }))
  }
  return times
}

const serialOf = (cplc: string) => cplc.slice(24, 32)

/** The query with which the console fills its list. */
async function listCallOf(
  page: Page,
  open: () => Promise<unknown>,
  path = '/api/maple/device',
): Promise<URLSearchParams> {
  const isListCall = (url: string) => {
    const { pathname, searchParams } = new URL(url)
    return pathname === path && Number(searchParams.get('limit')) > 1
  }
  const [asked] = await Promise.all([
    page.waitForRequest((request) => isListCall(request.url())),
    open(),
  ])
  return new URL(asked.url()).searchParams
}

/** Fetches the names of a list from the service, as the console does. */
function createAsk(
  url: string,
  like: URLSearchParams,
  path: string,
  nameOf: (item: Record<string, string>) => string,
) {
  const send = createSend(url)
  const signIn = createSignIn(send, 'admin')
  return async (changes: Record<string, string> = {}) => {
    const search = new URLSearchParams({ ...Object.fromEntries(like), ...changes })
    const answer = await send('GET', `${path}?${search}`, { headers: await signIn() })
    const { items, next }: { items: Record<string, string>[]; next: string | null } = jsonOf(answer)
    return { names: items.map((item) => nameOf(item)), next: next ?? '' }
  }
}

const deviceAsk = (url: string, like: URLSearchParams) =>
  createAsk(url, like, '/api/maple/device', ({ name = '' }) => name)

async function panelTimes({ bench, rounds, timed, random }: View): Promise<number[]> {
  const { page, time, settle } = timed
  const list = devicesPage(page)
  const panel = devicePanel(page)
  const times: number[] = []
  const now = Date.now()
  while (times.length < rounds) {
    const device = sampleDevice(Math.floor(random() * bench.devices), now)
    await list.search(device.id)
    await settle({ rows: [device.name] })
    const expected = { panel: { heading: device.name, text: device.id } }
    times.push(await time(() => list.openDevice(device.name), expected))
    await panel.close()
    await panel.panel.waitFor({ state: 'detached' })
  }
  await list.search('')
  return times
}

async function nextTimes({ url, rounds, timed }: View): Promise<number[]> {
  const { page, time, settle } = timed
  const list = devicesPage(page)
  const ask = deviceAsk(url, await listCallOf(page, () => list.open()))
  let shown = await ask()
  await settle({ rows: shown.names })
  const times: number[] = []
  while (times.length < rounds) {
    shown = await ask({ cursor: shown.next })
    times.push(await time(() => list.next.click(), { rows: shown.names }))
  }
  return times
}

async function menuTimes({ rounds, timed }: View): Promise<number[]> {
  const { page, time } = timed
  const times: number[] = []
  // The first visit of each loads its code, which the pages benchmark measures.
  for (let round = -1; round < rounds / 2; round += 1)
    for (const path of [paths.people, paths.devices]) {
      const link = page.locator(`nav a[href="${path}"]`).first()
      const taken = await time(() => link.click(), { path })
      if (round >= 0) times.push(taken)
    }
  return times
}

async function scroll({ bench, timed }: View, path: string): Promise<Frames> {
  const { page, frames } = timed
  const rows = page.locator('main tbody').getByRole('row')
  await page.goto(`${path}?limit=200`)
  await rows.nth(199).waitFor({ state: 'attached' })
  await rows.nth(5).hover()
  const turns = bench.isQuick ? 40 : 240
  const result = await frames(async () => {
    // Down to the end and part of the way back, so that it ends elsewhere than it began.
    for (let turn = 0; turn < turns; turn += 1)
      await page.mouse.wheel(0, turn < turns * 0.9 ? 120 : -120)
  })
  if (result.moved === 0) throw new Error('The list did not scroll.')
  return result
}
