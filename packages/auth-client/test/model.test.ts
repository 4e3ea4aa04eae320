import * as fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { type AuthClient, createAuthClient } from '../src/index.ts'
import { lockManager } from './lock-manager.ts'
import { claimsOf, modelWorld, type RefreshFault } from './model-server.ts'

// Random histories of the real client in one to three tabs, against a service with strict rotation.
// The invariants are checked after every event.

afterEach(() => {
  vi.unstubAllGlobals()
})

const FAULTS: RefreshFault[] = [
  '401',
  '403 page',
  '429',
  '503',
  'no token',
  'lost request',
  'lost answer',
  'held',
]

const tab = fc.nat(2)
const event = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('signIn'), tab, user: fc.constantFrom('a', 'b') }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('race') }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('slowRefresh'), tab }) },
  fc.record({ type: fc.constant('signOut'), tab }),
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('use'), tab, times: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('fetch'), tab }) },
  fc.record({ type: fc.constant('refresh'), tab }),
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('fault'), fault: fc.constantFrom(...FAULTS) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('release') }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('wait'),
      seconds: fc.constantFrom(1, 5, 61, 300, 601, 3600),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('jump'), hours: fc.constantFrom(-3, -1, 1, 3) }),
  },
  fc.record({ type: fc.constant('offline'), value: fc.boolean() }),
  fc.record({ type: fc.constant('denied'), value: fc.boolean() }),
  fc.record({ type: fc.constant('refuse'), tab }),
  fc.record({ type: fc.constant('endFamilies') }),
  fc.record({ type: fc.constant('open') }),
  fc.record({ type: fc.constant('emptied'), how: fc.constantFrom('cleared', 'corrupted') }),
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

async function history(events: readonly Event[], tabsAtFirst: number, serverAhead: number) {
  const world = modelWorld(serverAhead)
  vi.stubGlobal('navigator', { locks: lockManager() })
  // Long timers never fire, as on a sleeping machine; short ones fire immediately.
  vi.stubGlobal('setTimeout', (work: () => void, delay: number) =>
    delay <= 800 ? setImmediate(work) : undefined,
  )
  vi.stubGlobal('clearTimeout', () => {})

  const tabs: AuthClient[] = []
  const open = () =>
    tabs.push(
      createAuthClient({
        authUrl: 'http://model',
        realm: 'grove',
        stage: 'model',
        storage: world.storage,
        fetch: world.send,
        clock: world.clientNow,
        onError: () => {},
      }),
    )
  for (let one = 0; one < tabsAtFirst; one++) open()
  const tabOf = (index: number) => tabs[index % tabs.length] as AuthClient

  let waiting = 0
  /** Starts a call without awaiting it: a refresh may be held until later. */
  function start<T>(call: Promise<T>, check: (value: T) => void = () => {}) {
    waiting += 1
    void call.then(check, () => {}).finally(() => (waiting -= 1))
  }
  async function settle() {
    for (let quiet = 0; quiet < 12; quiet++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (waiting > 0 && !world.isHeld()) quiet = Math.min(quiet, 6)
    }
  }
  const look = async () => {
    for (const one of tabs) await one.tokenDetails()
  }
  // Up to ten seconds may pass between issue and receipt of a token; one is lost to rounding.
  const isCurrent = (authorization: string | null) => {
    if (authorization === null || isAgeUnseen || world.remaining(authorization) > -11) return
    world.violations.push('an ended token was answered')
  }

  async function useOften(client: AuthClient, times: number) {
    for (let time = 0; time < times; time++) isCurrent(await client.getAuthorization())
  }

  // Whether anything has ended the session since the last sign-in.
  let isEnded = true
  let fetches = 0
  // A tab opened after the clock was set back cannot know the age of a stored token.
  let wasSetBack = false
  let isAgeUnseen = false
  let isSignedOut = true
  // What a denied storage did not receive lives in one tab's memory.
  let wasDenied = false

  async function run(one: Event) {
    switch (one.type) {
      case 'signIn':
        return start(tabOf(one.tab).signIn({ email: one.user }), () => {
          isEnded = false
          isSignedOut = false
        })
      case 'signOut':
        isEnded = true
        isSignedOut = true
        return start(tabOf(one.tab).signOut())
      case 'use':
        return start(useOften(tabOf(one.tab), one.times))
      case 'race':
        if (!world.isHeld()) world.wait(601_000)
        for (const racer of tabs) start(useOften(racer, 2))
        return
      case 'slowRefresh':
        if (world.isHeld()) return
        world.wait(601_000)
        world.faults.unshift('held')
        return start(useOften(tabOf(one.tab), 1))
      case 'fetch':
        fetches += 1
        return start(tabOf(one.tab).fetch('http://model/thing'))
      case 'refresh':
        return start(tabOf(one.tab).refresh())
      case 'fault':
        return void world.faults.push(one.fault)
      case 'release':
        return world.release()
      case 'wait':
        // A response is awaited for ten seconds at most.
        return world.wait(1000 * (world.isHeld() ? Math.min(one.seconds, 1) : one.seconds))
      case 'jump':
        await look()
        wasSetBack ||= one.hours < 0
        world.jump(one.hours)
        return look()
      case 'offline':
        return world.setOffline(one.value)
      case 'denied':
        // Tabs that share no storage cannot know about each other.
        if (tabs.length === 1) {
          wasDenied ||= one.value
          world.setDenied(one.value)
        }
        return
      case 'refuse': {
        const state = tabOf(one.tab).getState()
        if (state.status !== 'signedOut') world.refuse(`Bearer ${state.session.token.accessToken}`)
        return
      }
      case 'endFamilies':
        return world.endFamilies()
      case 'open':
        if (tabs.length === 3 || wasDenied) return
        isAgeUnseen ||= wasSetBack
        return void open()
      case 'emptied':
        if (one.how === 'cleared') world.items.clear()
        else for (const key of world.items.keys()) world.items.set(key, '{')
        isEnded = true
    }
  }

  for (const one of events) {
    const before = { ...world.counts }
    const asked = tabs.length
    // Each of these makes one refresh fail, after which another tab may try.
    const failing = world.faults.length
    await run(one)
    await settle()
    if (world.counts.rejections > before.rejections) isEnded = true
    expect(world.violations).toEqual([])
    // One event causes one refresh, or one per tab if they race and the first one fails. A tab next
    // to another may fail twice: with another tab's token that expired while the refresh was held,
    // and again once it has adopted that token.
    const mayFail = Math.max(1, failing)
    const most =
      one.type === 'release' || one.type === 'race' ? 2 * asked - 1 : Math.min(asked, mayFail + 1)
    expect(world.counts.refreshes - before.refreshes).toBeLessThanOrEqual(most)
    // A call that waited for a held refresh is sent with a later event.
    expect(world.counts.calls).toBeLessThanOrEqual(2 * fetches)
    if (world.isHeld()) continue
    await look()
    for (const { getState } of tabs) {
      if (!isEnded) expect(getState().status).not.toBe('signedOut')
      if (isSignedOut) expect(getState().status).toBe('signedOut')
    }
    if (isSignedOut && !wasDenied) {
      expect([...world.items.values()].join()).not.toContain('accessToken')
    }
  }

  // Once everything works again, so does every tab.
  world.faults.length = 0
  world.release()
  await settle()
  world.setOffline(false)
  world.setDenied(false)
  world.wait(61_000)
  await look()
  if (!isEnded && !wasDenied && world.isAlive()) {
    for (const one of tabs) {
      const value = await one.getAuthorization()
      isCurrent(value)
      await settle()
      expect(value && claimsOf(value).sub).toBe(
        world.items.get('grove.auth/model/grove/current')?.at(-1),
      )
    }
  }
  for (const one of tabs) one.close()
  expect(world.violations).toEqual([])
  expect(waiting).toBe(0)
}

test.each<[string, Event[], serverAhead?: number, tabs?: number]>([
  [
    'a clock that is set back while a refresh is under way is not taken for the one that sent it',
    [
      { type: 'signIn', tab: 0, user: 'a' },
      { type: 'slowRefresh', tab: 0 },
      { type: 'jump', hours: -1 },
      { type: 'release' },
      { type: 'slowRefresh', tab: 0 },
      { type: 'denied', value: false },
    ],
    -2 * 3600_000,
  ],
  [
    'a sign-in while the storage is denied outlives a storage that comes back empty',
    [
      { type: 'signIn', tab: 0, user: 'a' },
      { type: 'denied', value: true },
      { type: 'emptied', how: 'cleared' },
      { type: 'signIn', tab: 0, user: 'a' },
      { type: 'denied', value: false },
    ],
  ],
  [
    'three tabs whose tokens ended try one after the other while refreshes fail',
    [
      { type: 'signIn', tab: 0, user: 'a' },
      { type: 'offline', value: true },
      { type: 'fault', fault: 'no token' },
      { type: 'slowRefresh', tab: 0 },
      { type: 'fault', fault: '503' },
      { type: 'offline', value: false },
      { type: 'slowRefresh', tab: 0 },
      { type: 'use', tab: 2, times: 1 },
      { type: 'use', tab: 0, times: 2 },
      { type: 'jump', hours: 3 },
      { type: 'release' },
      { type: 'refresh', tab: 1 },
      { type: 'use', tab: 2, times: 1 },
      { type: 'wait', seconds: 1 },
    ],
    0,
    3,
  ],
])('%s', async (_, events, serverAhead = 0, count = 1) => {
  await history(events, count, serverAhead)
})

const RUNS = process.env['GROVE_TESTS'] === 'all' ? 4000 : 150

test('in any history of events the session is neither lost, nor doubled, nor someone else’s', async () => {
  const ahead = fc.constantFrom(0, 2 * 3600_000, -2 * 3600_000)
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 40, size: 'max' }),
      fc.integer({ min: 1, max: 3 }),
      ahead,
      history,
    ),
    { numRuns: Number(process.env['GROVE_MODEL_RUNS'] ?? RUNS), endOnFailure: false },
  )
}, 600_000)
