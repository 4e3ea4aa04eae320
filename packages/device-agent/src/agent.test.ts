import { afterEach, expect, test, vi } from 'vitest'
import { runAgent } from './agent.ts'
import { pauseAfter } from './back-off.ts'
import { openDeviceServer, type Connection, type Knock } from './check/device-server.ts'
import { newIdentity } from './identity.ts'
import { openOutbox } from './outbox.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

test('a busy platform does not lengthen the pauses of later failures @long', async () => {
  const server = await openDeviceServer(0, '127.0.0.1')
  const ending = new AbortController()
  ends.push(
    () => server.close(),
    () => ending.abort(),
  )
  const attempts: number[] = []
  runAgent({
    platform: `http://127.0.0.1:${server.port}`,
    secret: newIdentity('waiting').secret,
    outbox: openOutbox(),
    elements: () => [],
    firmware: '1.0.0',
    say: () => {},
    signal: ending.signal,
    pause: (attempt) => (attempts.push(attempt), 10),
  })
  let seen = 0
  const next = async () => {
    const asked = await server.asked.until(
      (each): each is Knock => each.kind === 'connect',
      'A connection',
      { from: seen },
    )
    seen = server.asked.items.indexOf(asked) + 1
    return asked
  }
  const first = await next()
  first.refuse('busy', 1)
  const second = await next()
  // The delay that the platform set, plus jitter.
  expect(second.at - first.at).toBeGreaterThan(950)
  second.refuse('busy', 1)
  ;(await next()).refuse('busy')
  ;(await next()).refuse('busy')
  await next()
  expect(attempts).toEqual([0, 1])
})

test('a refusal by the platform is reported, and not repeated', async () => {
  const server = await openDeviceServer(0, '127.0.0.1')
  const ending = new AbortController()
  ends.push(
    () => server.close(),
    () => ending.abort(),
  )
  const outbox = openOutbox()
  for (const d of ['first', 'second']) outbox.add('event', d, 0)
  const lines: string[] = []
  runAgent({
    platform: `http://127.0.0.1:${server.port}`,
    secret: newIdentity('refused').secret,
    outbox,
    elements: () => [],
    firmware: '1.0.0',
    say: (line) => lines.push(line),
    signal: ending.signal,
    pause: () => 10,
  })
  const connect = async (from: number) => {
    const isKnock = (each: (typeof server.asked.items)[number]): each is Knock =>
      each.kind === 'connect'
    const connection = await (await server.asked.until(isKnock, 'A connection', { from })).accept()
    connection.say({
      t: 'welcome',
      device: 'refused',
      seq: 0,
      heartbeat: 30,
      window: 64,
      held: false,
    })
    return connection
  }
  const placesOf = ({ heard }: Connection) =>
    heard.flatMap((each) => (each.t === 'event' ? [each.seq] : []))
  const first = await connect(0)
  await vi.waitFor(() => expect(placesOf(first)).toEqual([1, 2]))
  first.say({ t: 'refused', boot: 'another', seq: 2, error: 'Not ours.' })
  first.say({ t: 'refused', boot: outbox.boot, seq: 1, error: 'It is too long.' })
  await vi.waitFor(() => expect(lines).toContain('The platform refused message 1: It is too long.'))
  expect(lines.join()).not.toContain('Not ours')
  // Before the acknowledgement of the refused message.
  first.cut()
  const second = await connect(1)
  await vi.waitFor(() => expect(placesOf(second)).toEqual([2]))
  second.say({ t: 'ack', boot: outbox.boot, seq: 2 })
  await vi.waitFor(() => expect(outbox.size()).toBe(0))
})

test('a wait requested by the platform is lengthened a little', () => {
  expect([0, 0.5, 1].map((random) => pauseAfter(2000, () => random))).toEqual([2000, 2500, 3000])
  expect(pauseAfter(60_000, () => 1)).toBe(75_000)
})

test('a change of its elements is announced over the same connection, and in the next hello', async () => {
  const server = await openDeviceServer(0, '127.0.0.1')
  const ending = new AbortController()
  ends.push(
    () => server.close(),
    () => ending.abort(),
  )
  const element = (digit: string) => ({
    cplc: digit.repeat(84),
    take: async () => {},
    transmit: async () => Uint8Array.of(0x90, 0),
    release: async () => {},
  })
  let elements = [element('1')]
  const agent = runAgent({
    platform: `http://127.0.0.1:${server.port}`,
    secret: newIdentity('changing').secret,
    outbox: openOutbox(),
    elements: () => elements,
    firmware: '1.0.0',
    say: () => {},
    signal: ending.signal,
    pause: () => 10,
  })
  const connect = async (from: number) => {
    const isKnock = (each: (typeof server.asked.items)[number]): each is Knock =>
      each.kind === 'connect'
    const knock = await server.asked.until(isKnock, 'A connection', { from })
    return knock.accept()
  }
  const said = (connection: Connection) =>
    connection.heard.flatMap((each) =>
      each.t === 'hello' || each.t === 'elements'
        ? [[each.t, ...(each.elements ?? []).map(([digit]) => digit)].join(' ')]
        : [],
    )
  const first = await connect(0)
  await vi.waitFor(() => expect(said(first)).toEqual(['hello 1']))
  // Between hello and welcome nothing else may be sent.
  elements = [element('1'), element('2')]
  agent.announce()
  const welcome = { device: 'changing', seq: 0, heartbeat: 30, window: 64, held: false }
  first.say({ t: 'welcome', ...welcome })
  await vi.waitFor(() => expect(said(first)).toEqual(['hello 1', 'elements 1 2']))
  agent.announce()
  elements = []
  agent.announce()
  await vi.waitFor(() => expect(said(first)).toEqual(['hello 1', 'elements 1 2', 'elements']))
  elements = [element('3')]
  first.cut()
  const second = await connect(1)
  await vi.waitFor(() => expect(said(second)).toEqual(['hello 3']))
})
