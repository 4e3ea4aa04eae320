import type { BrowserContext, Frame, Page } from '@playwright/test'
import { setTimeout as wait } from 'node:timers/promises'
import { lifetime, type BrokenAnswer, type PeerService } from './service.ts'

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
    signOut: () => Promise<unknown>
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
  {
    title: 'clock −1 h in the middle of a session, 20 calls, and 20 after the end',
    run: async (run) => {
      const page = await signIn(run)
      await setClock(run, -hour)
      const before = countValid(run, await reads(page, 20))
      const early = run.service.state.refreshes
      await sleepPastTheEnd(run)
      const after = countValid(run, await reads(page, 20))
      const { refreshes } = run.service.state
      const isGood = before + after === 40 && early === 0 && refreshes === 1
      return counted(refreshes, `${before + after} of 40 served`, isGood)
    },
  },
  answeredWith('200 and `{}` for 5 s', { type: 'application/json', body: '{}' }),
  answeredWith('200 and a page of HTML for 5 s', {
    type: 'text/html',
    body: '<!doctype html><title>Sign in to the network</title>',
  }),
  {
    title: 'thawed after two hours of sleep',
    run: async (run) => {
      const page = await signIn(run)
      const devTools = await run.context.newCDPSession(page)
      await devTools.send('Page.setWebLifecycleState', { state: 'frozen' })
      run.service.state.ahead += 2 * hour
      await setClock(run, 2 * hour)
      await devTools.send('Page.setWebLifecycleState', { state: 'active' })
      const fate = await fateOf(run, page, 90_000)
      const { refreshes } = run.service.state
      return counted(refreshes, fate.text, fate.isKept && refreshes === 1)
    },
  },
  { title: 'storage cleared in the middle of a refresh', run: clearedMidway },
  {
    title: 'token ended while offline, then online again',
    run: async (run) => {
      const page = await signIn(run)
      await run.context.setOffline(true)
      await sleepPastTheEnd(run)
      for (let call = 0; call < 3; call += 1) await attempt(run, page)
      await run.context.setOffline(false)
      const fate = await fateOf(run, page, 90_000)
      return counted(run.service.state.refreshes, fate.text, fate.isKept)
    },
  },
  { title: 'a sandboxed frame: no storage, no cookies', run: inSandbox },
  { title: 'back-forward cache after a sign-out in another tab', run: restoredAfterSignOut },
]

/** Each refresh is answered with a success that has no tokens. */
function answeredWith(title: string, answer: Omit<BrokenAnswer, 'status'>): Scenario {
  return {
    title,
    run: async (run) => {
      const page = await signIn(run)
      await sleepPastTheEnd(run)
      run.service.state.broken = { status: 200, ...answer }
      run.service.state.brokenUntil = Date.now() + 5000
      const fate = await fateOf(run, page, 90_000)
      return counted(run.service.state.refreshes, fate.text, fate.isKept)
    },
  }
}

/** Kept or cleanly signed out: either is right, as long as a reload agrees. */
async function clearedMidway(run: Run): Promise<Outcome> {
  const { state } = run.service
  const page = await signIn(run)
  await sleepPastTheEnd(run)
  const logins = state.logins
  state.delay = 3000
  const call = attempt(run, page)
  await wait(1000)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await call
  state.delay = 0
  const then = await attempt(run, page)
  await page.reload()
  await page.waitForFunction(() => document.title.startsWith('signed'))
  const isIn = (await page.title()) === 'signed in'
  const isThrough = state.logins > logins
  const reloaded = isThrough ? 'provider’s page' : isIn ? 'kept' : 'signed out'
  const text = words[then] === reloaded ? reloaded : `${words[then]}, after a reload ${reloaded}`
  return counted(
    state.refreshes,
    text,
    !isThrough && (then === 'served' || then === 'none') && (then === 'served') === isIn,
  )
}

/** Signs in, and renews, where storage and cookies are denied and the origin is opaque. */
async function inSandbox(run: Run): Promise<Outcome> {
  const page = await run.context.newPage()
  const { origin, pathname } = new URL(run.url)
  await page.goto(`${origin}/frame${pathname}`)
  const [, frame] = page.frames()
  const said = (title: string) => ({ text: title, isGood: false })
  if (!frame) return said('no frame')
  const settled = async () => {
    const limit = { timeout: 10_000 }
    await frame.waitForFunction(() => document.title !== 'loading', null, limit).catch(() => {})
    return frame.title().catch(() => 'loading')
  }
  const title = await settled()
  if (title === 'threw') return said('threw')
  if (title === 'loading') return said(redirected(run))
  if (title === 'signed out') {
    const signIn = frame.evaluate(() =>
      globalThis.peer.signIn().then(
        () => 'in',
        () => 'threw',
      ),
    )
    const answer = await Promise.race([signIn, wait(10_000, 'stuck')]).catch(() => 'left')
    if (answer === 'threw' || answer === 'stuck') return said(answer)
    if (answer === 'left') {
      const back = await settled()
      if (back !== 'signed in') return said(back === 'threw' ? 'threw' : redirected(run))
    }
  }
  if ((await attempt(run, frame)) !== 'served') return said('threw')
  await sleepPastTheEnd(run)
  const fate = await fateOf(run, frame, 90_000)
  return counted(run.service.state.refreshes, fate.text, fate.isKept)
}

const redirected = ({ service }: Run) =>
  service.state.logins > 1 ? `stuck, ${service.state.logins} redirects` : 'stuck'

async function restoredAfterSignOut(run: Run): Promise<Outcome> {
  const { state, origin } = run.service
  const page = await signIn(run)
  const other = await signIn(run)
  await page.goto(`${origin}/elsewhere`)
  await other.evaluate(() => globalThis.peer.signOut()).catch(() => {})
  await until(() => state.signOuts > 0, 10_000)
  // The driver loses the previous page, so nothing is awaited.
  void page.evaluate(() => history.back()).catch(() => {})
  await until(() => state.restored !== undefined, 15_000)
  if (state.restored === undefined) return { text: 'reloaded', isGood: true }
  const isOut = state.restored !== 'token'
  return { text: isOut ? 'signed out' : 'still signed in', isGood: isOut }
}

async function until(isSo: () => boolean, limit: number): Promise<void> {
  const end = Date.now() + limit
  while (!isSo() && Date.now() < end) await wait(50)
}

/** The outcome of a call; `ended` is a token that no API accepts, `left` a page that navigated away. */
type Attempt = 'served' | 'ended' | 'none' | 'threw' | 'stuck' | 'left'

const words: Record<Attempt, string> = {
  served: 'kept',
  ended: 'stuck with a bad token',
  none: 'signed out',
  threw: 'threw',
  stuck: 'stuck',
  left: 'page left',
}

async function attempt({ service }: Run, page: Page | Frame): Promise<Attempt> {
  const call = page.evaluate(() =>
    globalThis.peer.token().then(
      (token) => ({ token }),
      () => ({ token: false as const }),
    ),
  )
  const answer = await Promise.race([call, wait(25_000, 'stuck' as const)]).catch(
    () => 'left' as const,
  )
  if (typeof answer === 'string') return answer
  if (answer.token === false) return 'threw'
  if (answer.token === null || answer.token === undefined) return 'none'
  return service.accepts(answer.token) ? 'served' : 'ended'
}

/** The outcome of the session: calls continue until one is served. */
async function fateOf(run: Run, page: Page | Frame, limit: number) {
  const start = Date.now()
  const logins = run.service.state.logins
  let last = await attempt(run, page)
  while (last !== 'served' && Date.now() < start + limit) {
    await wait(1000)
    last = await attempt(run, page)
  }
  const seconds = Math.round((Date.now() - start) / 1000)
  const isThrough = run.service.state.logins > logins
  if (last !== 'served') return { text: words[last], isKept: false }
  const when = seconds > 1 ? `kept after ${seconds} s` : 'kept'
  return isThrough
    ? { text: 'through the provider’s page', isKept: false }
    : { text: when, isKept: seconds < 20 }
}

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
  const frames = context.pages().flatMap((page) => page.frames())
  await Promise.all(frames.map((frame) => frame.evaluate(move, by)))
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
