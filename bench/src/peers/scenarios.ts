import type { BrowserContext, Page } from '@playwright/test'
import { setTimeout as wait } from 'node:timers/promises'
import { lifetime, type PeerService } from './service.ts'

export interface Outcome {
  text: string
  isGood: boolean
}

interface Run {
  service: PeerService
  context: BrowserContext
  url: string
}

interface Scenario {
  title: string
  run: (run: Run) => Promise<Outcome>
}

declare global {
  /** What each page exposes; see bench/src/peers/pages. */
  var peer: {
    resume: () => Promise<boolean>
    signIn: () => Promise<unknown>
    token: () => Promise<string | null>
  }
  var clockAhead: number | undefined
}

const hour = 3_600_000

export const scenarios: readonly Scenario[] = [
  {
    title: 'reload',
    run: async (run) => {
      const { state } = run.service
      const page = await signIn(run)
      const logins = state.logins
      await page.reload()
      await page.waitForFunction(() => document.title.startsWith('signed'))
      const isIn = run.service.accepts(await token(page))
      const left =
        state.logins > logins ? 'through the provider’s page' : 'without leaving the page'
      return {
        text: isIn ? `signed in ${left}` : 'signed out',
        isGood: isIn && state.logins === logins,
      }
    },
  },
  {
    title: 'ten callers, ended token',
    run: async (run) => {
      const page = await signIn(run)
      await sleepPastTheEnd(run)
      const served = countValid(run, await tokens(page, 10))
      const { refreshes } = run.service.state
      return counted(refreshes, `${served} of 10 served`, served === 10 && refreshes === 1)
    },
  },
  { title: 'ten tabs, ended token', run: tenTabs },
  {
    title: 'the same; a used refresh token is answered again for 10 s',
    run: (run) => {
      run.service.state.grace = 10_000
      return tenTabs(run)
    },
  },
  {
    title: 'a refresh that takes 20 s',
    run: async (run) => {
      const page = await signIn(run)
      await sleepPastTheEnd(run)
      run.service.state.delay = 20_000
      const isServed = run.service.accepts(await token(page))
      run.service.state.delay = 0
      const { refreshes } = run.service.state
      const isBack = isServed || (await servedWithin(run, page, 30_000)) !== null
      const text = isServed ? 'served' : isBack ? 'call failed' : 'signed out'
      return counted(refreshes, text, isServed)
    },
  },
  {
    title: '502 with a page of HTML for 5 s',
    run: async (run) => {
      const page = await signIn(run)
      await sleepPastTheEnd(run)
      run.service.state.brokenUntil = Date.now() + 5000
      const after = await servedWithin(run, page, 90_000)
      const text = after === null ? 'signed out' : `served after ${Math.round(after / 1000)} s`
      return counted(run.service.state.refreshes, text, after !== null && after < 20_000)
    },
  },
  ...[2, -2].map((hours): Scenario => ({
    title: `clock ${hours > 0 ? '+' : '−'}2 h, 20 calls, and 20 after the end`,
    run: async (run) => {
      await setClock(run, hours * hour)
      const page = await signIn(run)
      const before = countValid(run, await reads(page, 20))
      const early = run.service.state.refreshes
      await sleepPastTheEnd(run)
      const after = countValid(run, await reads(page, 20))
      const { refreshes } = run.service.state
      const isGood = before + after === 40 && early === 0 && refreshes === 1
      return counted(refreshes, `${before + after} of 40 served`, isGood)
    },
  })),
  {
    title: 'storage full, two ended tokens',
    run: async (run) => {
      const page = await signIn(run)
      await page.evaluate(fillStorage)
      await sleepPastTheEnd(run)
      const first = run.service.accepts(await token(page))
      await sleepPastTheEnd(run)
      const second = run.service.accepts(await token(page))
      const served = Number(first) + Number(second)
      return counted(run.service.state.refreshes, `${served} of 2 served`, served === 2)
    },
  },
]

async function tenTabs(run: Run): Promise<Outcome> {
  const pages = [await signIn(run)]
  while (pages.length < 10) pages.push(await signIn(run))
  await sleepPastTheEnd(run)
  const served = countValid(run, await Promise.all(pages.map((page) => token(page))))
  const { refreshes } = run.service.state
  // An ended session shows at the next expiry at the latest.
  await sleepPastTheEnd(run)
  let alive = 0
  for (const page of pages) if (run.service.accepts(await token(page))) alive += 1
  const lost = alive < 10 ? `, ${10 - alive} signed out` : ''
  const isGood = served === 10 && alive === 10
  return counted(refreshes, `${served} of 10 served${lost}`, isGood)
}

/** A page with a session, signed in if neither storage nor provider remembers anyone. */
async function signIn({ context, url }: Run): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => document.title.startsWith('signed'))
  if ((await page.title()) === 'signed in') return page
  // If the page navigates to the provider, its URL changes during the call.
  const answer = page.evaluate(async () => {
    await globalThis.peer.signIn()
    document.title = 'signed in'
  })
  await Promise.all([
    answer.catch(() => {}),
    page.waitForFunction(() => document.title === 'signed in'),
  ])
  return page
}

/** A call to an API as in the client's documentation; null if it yields no token. */
const token = (page: Page) => page.evaluate(() => globalThis.peer.token().catch(() => null))

const tokens = (page: Page, count: number) =>
  page.evaluate(
    (count) =>
      Promise.all(Array.from({ length: count }, () => globalThis.peer.token().catch(() => null))),
    count,
  )

async function reads(page: Page, count: number): Promise<(string | null)[]> {
  const all: (string | null)[] = []
  while (all.length < count) all.push(await token(page))
  return all
}

const countValid = ({ service }: Run, all: readonly (string | null)[]) =>
  all.filter((one) => service.accepts(one)).length

/** Milliseconds until a call has a valid token again, polled each second; null if never. */
async function servedWithin({ service }: Run, page: Page, limit: number): Promise<number | null> {
  const start = Date.now()
  while (Date.now() < start + limit) {
    if (service.accepts(await token(page))) return Date.now() - start
    await wait(1000)
  }
  return null
}

/** Advances the clocks of the service and of every page beyond every token's expiry. */
async function sleepPastTheEnd(run: Run): Promise<void> {
  run.service.state.ahead += (lifetime + 60) * 1000
  await setClock(run, (lifetime + 60) * 1000)
}

/** Advances the clock of every page, current and future. */
async function setClock({ context }: Run, by: number): Promise<void> {
  // The page's clock.js reads it.
  const move = (by: number) => void (globalThis.clockAhead = (globalThis.clockAhead ?? 0) + by)
  await context.addInitScript(move, by)
  await Promise.all(context.pages().map((page) => page.evaluate(move, by)))
}

function fillStorage(): void {
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    try {
      for (;;) localStorage.setItem(`filling-${size}-${localStorage.length}`, 'x'.repeat(size))
    } catch {
      // No chunk of this size fits any more.
    }
  }
}

function counted(refreshes: number, words: string, isGood: boolean): Outcome {
  return { text: `${refreshes} ${refreshes === 1 ? 'refresh' : 'refreshes'}, ${words}`, isGood }
}
