import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageWindow } from '@grove/device-protocol/limits'
import { readToDevice, type ToDevice } from '@grove/device-protocol/message'
import type { Outcome } from './connection-machine.ts'
import { DeviceConnection, ordinaryLimits, type Link } from './device-connection.ts'
import type { Found } from './device-work.ts'
import type { Begun } from './gateway.queries.ts'
import type { Given } from './intake.queries.ts'

// A connection as it is, over a link and with a database that do what a random order says.

const element = '9F'.repeat(42)

const weighted = <const Item>(...all: readonly (readonly [weight: number, item: Item])[]) =>
  fc.oneof(...all.map(([weight, item]) => ({ weight, arbitrary: fc.constant(item) })))

// What ends a connection is rare, so that much happens before.
const step = fc.record({
  does: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom('says', 'stores') },
    {
      weight: 30,
      arbitrary: fc.constantFrom(
        ...(['ticks', 'looks', 'wants', 'exchanges', 'replies', 'frees'] as const),
        ...(['offers', 'beats', 'pings', 'greets', 'begins'] as const),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...(['garbles', 'strays', 'clogs', 'tears', 'closes', 'throws'] as const),
        ...(['changed', 'replacedHere', 'stopping'] as const),
      ),
    },
  ),
  boot: weighted([9, 'a'], [1, 'b']),
  kind: weighted([3, 'event'], [1, 'result'], [1, 'refused']),
  gap: weighted([100, 0], [1, 1]),
  isRepeated: fc.boolean(),
  elements: fc.constantFrom<string[][]>([], [element]),
  state: weighted([2, 'accepted'], [1, 'quarantined']),
  /** What the database answers. */
  answer: weighted([200, 'yes'], [1, 'no'], [1, 'fails']),
  which: fc.nat({ max: 9 }),
  ms: weighted([9, 1], [9, 100], [9, 1000], [1, 11_000]),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What the link and the gateway saw, in order. */
type Seen =
  | { saw: 'sent'; message: ToDevice }
  | { saw: 'asked' | 'stored'; given: Given }
  | { saw: 'taken'; coming: number; outcome: Outcome }
  | { saw: 'begun'; begun: Begun }
  | { saw: 'released'; reason: string }
  | { saw: 'beginning' | 'joined' | 'departed' | 'closed' | 'cut' | 'read on' | 'fault' }

/** Questions to the database that wait for their answers. */
function openQuestions<Question, Answer>(onAsked: (question: Question) => void = () => {}) {
  type Waiting = { question: Question; answer: (a: Answer) => void; fail: (e: Error) => void }
  const waiting: Waiting[] = []
  return {
    waiting,
    ask: (question: Question) =>
      new Promise<Answer>((answer, fail) => {
        onAsked(question)
        waiting.push({ question, answer, fail })
      }),
    /** One of those that wait, which does so no more. */
    take: (which = 0) => waiting.splice(which % Math.max(1, waiting.length), 1)[0],
  }
}

const carriers = ['web socket', 'mqtt', 'broker'] as const

function openWorld(carrier: (typeof carriers)[number]) {
  const seen: Seen[] = []
  let now = 0
  let unread = 0
  let isTorn = false
  let isPaused = false
  const begins = openQuestions<unknown, Begun | undefined>(() => seen.push({ saw: 'beginning' }))
  const stores = openQuestions<Given, boolean>((given) => seen.push({ saw: 'asked', given }))
  const looks = openQuestions<unknown, Found>()
  const link: Link = {
    protocol: carrier,
    ip: '',
    send(text) {
      if (isTorn) throw new Error('The link is torn.')
      const message = readToDevice(text)
      if (message) seen.push({ saw: 'sent', message })
    },
    waiting: () => unread,
    pause: () => void (isPaused = true),
    resume() {
      isPaused = false
      seen.push({ saw: 'read on' })
    },
    close: () => void seen.push({ saw: 'closed' }),
    cut: () => void seen.push({ saw: 'cut' }),
    kind: carrier === 'mqtt' ? 'repeating' : 'strict',
    isLossy: carrier === 'broker',
  }
  const identity = { deviceId: 'pump-7', credentialId: 'c', serviceId: null, snapshot: '1:1:' }
  const connection = new DeviceConnection(identity, link, {
    limits: { ...ordinaryLimits, burst: 8 },
    clock: () => now,
    begin: begins.ask,
    store: stores.ask,
    look: looks.ask,
    storeOffer: async () => {},
    noteDesired: async () => {},
    refuse: async () => {},
    onJoin: () => seen.push({ saw: 'joined' }),
    onOffer: () => {},
    onRelease: (_, reason) => seen.push({ saw: 'released', reason }),
    onDepart: () => seen.push({ saw: 'departed' }),
    onFault: () => seen.push({ saw: 'fault' }),
  })

  const exchanges: { isSettled: boolean }[] = []
  const seqs = new Map<string, number>()
  let comings = 0
  let commands = 0
  let wanted = 0

  function say(message: object, isRepeated = false) {
    const coming = comings++
    connection.receive(JSON.stringify(message), {
      onTaken: (outcome) => seen.push({ saw: 'taken', coming, outcome }),
      isRepeated: isRepeated && carrier === 'mqtt',
    })
  }

  function answerBegin({ answer, state }: Step) {
    const question = begins.take()
    if (!question) return
    if (answer === 'fails') return question.fail(new Error('away'))
    if (answer === 'no') return question.answer(undefined)
    const begun = { seq: 0, state, hasMoved: false }
    seen.push({ saw: 'begun', begun })
    question.answer(begun)
  }

  function answerStore({ answer, which }: Step) {
    const found = stores.take(which)
    if (!found) return
    if (answer === 'fails') return found.fail(new Error('away'))
    // Of a device that is held, what came before hello.
    const isStored = answer === 'yes' && (found.question.isEarly !== true || which > 4)
    if (isStored) seen.push({ saw: 'stored', given: found.question })
    found.answer(isStored)
  }

  function exchange() {
    const each = { isSettled: false }
    exchanges.push(each)
    const settle = () => void (each.isSettled = true)
    connection
      .exchange({ session: 's', isFirst: true, cplc: element, command: Uint8Array.of(0) })
      .then(settle, settle)
  }

  const steps: Record<Step['does'], (step: Step) => void> = {
    greets: ({ boot, elements, isRepeated }) =>
      say({ t: 'hello', v: 1, boot, elements }, isRepeated),
    says({ boot, kind, gap, isRepeated }) {
      const seq = (seqs.get(boot) ?? 0) + 1 + gap
      seqs.set(boot, seq)
      const place = { boot, seq }
      if (kind === 'refused') say({ t: 'event', ...place }, isRepeated)
      else if (kind === 'event') say({ t: 'event', ...place, d: seq }, isRepeated)
      else say({ t: 'result', ...place, id: `command-${wanted++}`, ok: true }, isRepeated)
    },
    begins: answerBegin,
    stores: answerStore,
    looks({ which, answer }) {
      const question = looks.take()
      if (answer === 'fails') return question?.fail(new Error('away'))
      const found = Array.from({ length: which % 3 }, () => ({
        deviceId: 'pump-7',
        id: `command-${commands++}`,
        name: 'ping',
        data: null,
        expiresAt: Date.now() + 60_000,
      }))
      question?.answer({ commands: found, desired: undefined })
    },
    ticks: ({ ms }) => connection.tick((now += ms)),
    wants: () => connection.lookForWork(),
    exchanges: exchange,
    replies() {
      const asked = seen.flatMap((each) =>
        each.saw === 'sent' && each.message.t === 'exchange' ? [each.message.id] : [],
      )
      const id = asked.at(-1)
      if (id !== undefined) say({ t: 'reply', id, data: '9000' })
    },
    // The gateway frees elements of devices that joined.
    frees: () => seen.some(({ saw }) => saw === 'joined') && connection.endSession('s'),
    offers: ({ elements, isRepeated }) => say({ t: 'elements', elements }, isRepeated),
    beats: ({ isRepeated }) => say({ t: 'heartbeat' }, isRepeated),
    pings: () => connection.alive(),
    garbles: () => say({}),
    strays: () => say({ t: 'reply', id: 7, data: '9000' }),
    clogs: () => void (unread = Infinity),
    tears: () => void (isTorn = true),
    closes: () => connection.ended('it went'),
    throws: () => connection.failed(new Error('ours')),
    changed: () => connection.end('changed'),
    replacedHere: () => connection.end('replacedHere'),
    stopping: () => connection.end('stopping'),
  }

  return {
    seen,
    connection,
    exchanges,
    take: (step: Step) => steps[step.does](step),
    comings: () => comings,
    /** Something waits: the database for an answer, or the link to be read. */
    waits: () => begins.waiting.length + stores.waiting.length > 0 || isPaused,
  }
}

const settled = async () => {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve()
}
const good: Step = {
  does: 'ticks',
  boot: 'a',
  kind: 'event',
  gap: 0,
  isRepeated: false,
  elements: [],
  state: 'accepted',
  answer: 'yes',
  which: 0,
  ms: 100,
}

/** Most devices say hello first, and wait for their welcome. */
const start = fc
  .tuple(
    weighted(
      [4, ['greets', 'begins']],
      [1, ['says', 'greets', 'begins']],
      [1, ['greets']],
      [1, []],
    ),
    weighted([3, 'accepted'], [1, 'quarantined']),
  )
  .map(([order, state]) => order.map((does) => ({ ...good, does, state, elements: [element] })))

type World = ReturnType<typeof openWorld> & { carrier: (typeof carriers)[number] }

/** `isQuiet`: after the order the database answers, and the device is silent for a while. */
async function always(
  check: (seen: readonly Seen[], world: World) => void,
  { isQuiet = false, isEnded = false } = {},
) {
  const orders = fc
    .tuple(start, fc.array(step, { maxLength: 80, size: 'max' }))
    .map((parts) => parts.flat())
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...carriers), orders, async (carrier, order) => {
      const world = openWorld(carrier)
      for (const each of order) {
        world.take(each)
        await settled()
      }
      for (let turn = 0; turn < (isQuiet ? 100 : 0); turn++)
        for (const does of ['begins', 'stores', 'ticks'] as const) {
          world.take({ ...good, does })
          await settled()
        }
      if (isEnded) {
        world.take({ ...good, does: 'begins' })
        await settled()
        world.connection.ended('it went')
        await settled()
      }
      check(world.seen, { ...world, carrier })
    }),
    { numRuns: 300 },
  )
}

const placeOf = ({ boot, seq }: { boot: string; seq: number }) => `${boot} ${seq}`
const countOf = (seen: readonly Seen[], saw: Seen['saw']) =>
  seen.filter((each) => each.saw === saw).length
const after = (seen: readonly Seen[], saw: Seen['saw']) => {
  const at = seen.findIndex((each) => each.saw === saw)
  return at < 0 ? [] : seen.slice(at + 1)
}

test('its place is given back once, in whatever order it ends', () =>
  always((seen) => expect(countOf(seen, 'released')).toBe(1), { isEnded: true }))

test('after its end there is at most a goodbye, and nothing more is read', () =>
  always(
    (seen) => {
      const behind = after(seen, 'released').filter(({ saw }) =>
        ['sent', 'taken', 'read on', 'asked', 'beginning', 'joined'].includes(saw),
      )
      expect(behind.length).toBeLessThanOrEqual(1)
      for (const each of behind) expect(each).toMatchObject({ saw: 'sent', message: { t: 'bye' } })
      expect(countOf(seen, 'closed')).toBeLessThanOrEqual(1)
    },
    { isQuiet: true },
  ))

test('a goodbye is the last message, and the link closes after it', () =>
  always((seen) => {
    const isBye = (each: Seen) => each.saw === 'sent' && each.message.t === 'bye'
    const at = seen.findIndex(isBye)
    if (at < 0) return
    expect(seen.filter(isBye)).toHaveLength(1)
    expect(seen[at + 1]?.saw).toBe('closed')
  }))

test('a device stored as connected is stored as disconnected, once', () =>
  always((seen) => expect(countOf(seen, 'departed')).toBe(countOf(seen, 'begun')), {
    isEnded: true,
  }))

test('a device joins once, and only while it is connected', () =>
  always((seen) => {
    expect(countOf(seen, 'beginning')).toBeLessThanOrEqual(1)
    expect(countOf(seen, 'joined')).toBeLessThanOrEqual(countOf(seen, 'begun'))
    expect(countOf(after(seen, 'released'), 'joined')).toBe(0)
  }))

test('nothing is stored before the welcome, except over a link that repeats messages from before hello', () =>
  always((seen, { carrier }) => {
    for (const [at, each] of seen.entries()) {
      if (each.saw !== 'asked') continue
      const before = seen.slice(0, at)
      const hasJoined = countOf(before, 'joined') > 0
      expect(each.given.isEarly).toBe(!hasJoined)
      if (hasJoined) continue
      expect(carrier).toBe('mqtt')
      expect(countOf(before, 'beginning')).toBe(0)
    }
  }))

test('nothing is stored of or wanted from a device that people have not accepted', () =>
  always((seen) => {
    if (!seen.some((each) => each.saw === 'begun' && each.begun.state !== 'accepted')) return
    for (const each of after(seen, 'joined')) {
      expect(each.saw).not.toBe('asked')
      if (each.saw === 'sent') expect(['command', 'exchange']).not.toContain(each.message.t)
    }
  }))

test('only stored messages are acknowledged', () =>
  always((seen) => {
    const stored = new Map<string, number>()
    for (const each of seen) {
      if (each.saw === 'stored') {
        const place = placeOf(each.given.message)
        stored.set(place, (stored.get(place) ?? 0) + 1)
      }
      if (each.saw !== 'sent' || each.message.t !== 'ack') continue
      const place = placeOf(each.message)
      expect(stored.get(place) ?? 0).toBeGreaterThan(0)
      stored.set(place, (stored.get(place) ?? 0) - 1)
    }
  }))

test('a welcome names no more than what is stored', () =>
  always((seen) => {
    let highest = 0
    for (const each of seen) {
      if (each.saw === 'stored') highest = Math.max(highest, each.given.message.seq)
      if (each.saw === 'sent' && each.message.t === 'welcome')
        expect(each.message.seq).toBeLessThanOrEqual(highest)
    }
  }))

test('a device gets one welcome, and a few more over a link that repeats', () =>
  always((seen, { carrier }) => {
    const welcomes = seen.filter((each) => each.saw === 'sent' && each.message.t === 'welcome')
    expect(welcomes.length).toBeLessThanOrEqual(carrier === 'mqtt' ? 11 : 1)
  }))

test('a timely hello never becomes overdue', () =>
  always((seen) => {
    const isOverdue = seen.some(
      (each) => each.saw === 'released' && each.reason === 'it did not say hello',
    )
    if (isOverdue) expect(countOf(seen, 'beginning')).toBe(0)
  }))

test('every message is handled once', () =>
  always(
    (seen, { comings, waits }) => {
      const taken = seen.flatMap((each) => (each.saw === 'taken' ? [each.coming] : []))
      expect(new Set(taken).size).toBe(taken.length)
      if (countOf(seen, 'released') > 0) return
      expect(waits()).toBe(false)
      expect(taken).toHaveLength(comings())
    },
    { isQuiet: true },
  ))

test('an exchange is answered or lost when its connection ends', () =>
  always(
    (_, { exchanges }) => {
      for (const { isSettled } of exchanges) expect(isSettled).toBe(true)
    },
    { isEnded: true },
  ))

test('an internal error cuts the link without a goodbye', () =>
  always((seen) => {
    const behind = after(seen, 'fault')
    expect(countOf(behind, 'cut')).toBe(countOf(seen, 'fault'))
    expect(countOf(behind, 'sent')).toBe(0)
    expect(countOf(seen, 'released')).toBeGreaterThanOrEqual(Math.min(1, countOf(seen, 'fault')))
  }))

/** Does one thing after another over a link that repeats. */
async function inOrder(...order: (Step['does'] | Partial<Step>)[]) {
  const world = openWorld('mqtt')
  for (const each of order) {
    world.take({ ...good, which: 9, ...(typeof each === 'string' ? { does: each } : each) })
    await settled()
  }
  return world.seen
}
const welcomesOf = (seen: readonly Seen[]) =>
  seen.flatMap((each) =>
    each.saw === 'sent' && each.message.t === 'welcome' ? [each.message.seq] : [],
  )

test('a library that says hello without end is not welcome any more', async () => {
  const hellos = (count: number) =>
    Array.from({ length: count }, () => ['ticks', 'greets'] as const).flat()
  const seen = await inOrder('greets', 'begins', ...hellos(10))
  expect(welcomesOf(seen)).toHaveLength(11)
  expect(countOf(seen, 'released')).toBe(0)
  const more = await inOrder('greets', 'begins', ...hellos(11))
  expect(welcomesOf(more)).toHaveLength(11)
  expect(more).toContainEqual({ saw: 'released', reason: 'it said hello twice' })
})

test('another welcome counts what came before hello and is stored, and nothing else', async () => {
  const stores = { does: 'stores' } as const
  const early = (answer: Partial<Step>) =>
    inOrder('says', 'greets', 'begins', { ...stores, ...answer }, 'greets')
  expect(welcomesOf(await early({}))).toEqual([0, 1])
  expect(welcomesOf(await early({ answer: 'no' }))).toEqual([0, 0])
})

test('as many messages are stored as come, where each is stored before the next', async () => {
  const each = ['says', 'stores', 'ticks'] as const
  const count = messageWindow + 10
  const seen = await inOrder(
    'greets',
    'begins',
    ...Array.from({ length: count }, () => each).flat(),
  )
  expect(countOf(seen, 'stored')).toBe(count)
})
