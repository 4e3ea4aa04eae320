import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { commandWindow, maxMessageLength } from '@grove/device-protocol/limits'
import { gatewayWorld, type GatewayWorld } from './testing/gateway-world.ts'
import { mqttClient, welcomedByMqtt } from './testing/mqtt-device.ts'

// A device keeps a message until its `ack`: one that is never stored must not come forever.

let world: GatewayWorld
const ends: (() => unknown)[] = []
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
  world.disconnectAll()
})
afterAll(() => world.close())

const event = (seq: number, d: unknown = seq) => ({ t: 'event', boot: 'boot-1', seq, d }) as const
const textOfLength = (seq: number, length: number) => {
  const around = JSON.stringify(event(seq, '')).length
  return JSON.stringify(event(seq, 'x'.repeat(length - around)))
}
const hello = { t: 'hello', v: 1, boot: 'boot-1' } as const

const storedOf = async (id: string) => {
  const { rows } = await sql<{ seq: number }>`
    select seq::int as seq from maple.device_message where device_id = ${id} order by id`.execute(
    world.db,
  )
  return rows.map(({ seq }) => seq)
}
const lostOf = async (id: string) =>
  (await world.ask('GET', `device/connection?deviceId=${id}`)).body.lost

const refusedTexts: [string, string][] = [
  ['over the limit', textOfLength(2, maxMessageLength + 1)],
  ['far over the limit', textOfLength(2, 4 * maxMessageLength)],
  ['whose data is too long', JSON.stringify(event(2, 'x'.repeat(40_000)))],
  ['that says its place last', `{"d":"${'x'.repeat(40_000)}","seq":2,"boot":"boot-1","t":"event"}`],
  [
    'that is too deep',
    `{"t":"event","boot":"boot-1","seq":2,"d":${'['.repeat(99)}${']'.repeat(99)}}`,
  ],
  ['that was cut', '{"t":"event","boot":"boot-1","seq":2,"d":{"a":"'],
  ['of no kind', '{"t":"alarm","boot":"boot-1","seq":2,"d":1}'],
  ['without its data', '{"t":"event","boot":"boot-1","seq":2}'],
]

test.each(refusedTexts)(
  'a message %s is refused by its position over a WebSocket',
  async (_, text) => {
    const { id, secret } = await world.device()
    const device = await world.welcomed(secret)
    device.say(event(1))
    device.say(text)
    device.say(event(3))
    await device.until('ack', ({ seq }) => seq === 3)
    const answers = device.heard.flatMap((each) =>
      each.t === 'ack' || each.t === 'refused' ? [`${each.t} ${each.seq}`] : [],
    )
    expect(answers).toEqual(['ack 1', 'refused 2', 'ack 2', 'ack 3'])
    expect(await storedOf(id)).toEqual([1, 3])
    expect(await lostOf(id)).toBe(1)
  },
)

test('a device that ignores refusals and waits for each ack gets past its message', async () => {
  const { id, secret } = await world.device()
  const waiting = [JSON.stringify(event(1)), textOfLength(2, 200_000), JSON.stringify(event(3))]
  const acked = new Set<number>()
  for (let tries = 0; tries < 3 && acked.size < waiting.length; tries++) {
    const device = await world.welcomed(secret)
    for (const [index, text] of waiting.entries()) {
      if (index + 1 <= device.welcome.seq) continue
      device.say(text)
      await device.until('ack', ({ seq }) => seq === index + 1)
      acked.add(index + 1)
    }
    device.socket.terminate()
  }
  expect([...acked]).toEqual([1, 2, 3])
  expect(await storedOf(id)).toEqual([1, 3])
})

test('a refused message repeated over the next connection gets the same answer', async () => {
  const { id, secret } = await world.device()
  const text = textOfLength(1, maxMessageLength + 1)
  const first = await world.welcomed(secret)
  first.say(text)
  const { error } = await first.until('refused')
  first.socket.terminate()
  const second = await world.welcomed(secret)
  expect(second.welcome.seq).toBe(1)
  second.say(text)
  expect(await second.until('refused')).toMatchObject({ seq: 1, error })
  await second.until('ack', ({ seq }) => seq === 1)
  second.say(event(2))
  await second.until('ack', ({ seq }) => seq === 2)
  expect(await storedOf(id)).toEqual([2])
  expect(await lostOf(id)).toBe(1)
})

test('a refused message resent within the limit is stored, and no longer lost', async () => {
  const { id, secret } = await world.device()
  const device = await world.welcomed(secret)
  for (const seq of [1, 2]) device.say(textOfLength(seq, maxMessageLength + 1))
  await device.until('ack', ({ seq }) => seq === 2)
  expect(await lostOf(id)).toBe(2)
  device.say(event(2))
  device.say(event(3))
  await device.until('ack', ({ seq }) => seq === 3)
  expect(await storedOf(id)).toEqual([2, 3])
  expect(await lostOf(id)).toBe(1)
})

test('messages of a held device are not refused yet', async () => {
  const { secret } = await world.device({ state: 'quarantined' })
  const device = await world.welcomed(secret)
  device.say(textOfLength(1, maxMessageLength + 1))
  device.say('{"t":"reply","id":1}')
  await device.closed
  expect(device.heard.map(({ t }) => t)).toEqual(['welcome', 'bye'])
})

test('a message more than four times too long, or without a position, ends the connection', async () => {
  const { id, secret } = await world.device()
  const device = await world.welcomed(secret)
  device.say(textOfLength(1, 4 * maxMessageLength + 1))
  await device.closed
  const next = await world.welcomed(secret)
  next.say(textOfLength(1, maxMessageLength + 1).replace('"seq"', '"sequence"'))
  expect(await next.until('bye')).toMatchObject({ code: 'protocol' })
  await next.closed
  expect(await storedOf(id)).toEqual([])
  expect(await lostOf(id)).toBe(0)
})

test('a command whose result is refused fails with that reason, and makes room for the next', async () => {
  const { id, secret } = await world.device()
  const give = async () =>
    (await world.ask('POST', 'device/command', { deviceId: id, name: 'ping' })).body.id as string
  const device = await world.welcomed(secret)
  const refusedResults: [object, RegExp][] = [
    [{ ok: true, d: 'x'.repeat(40_000) }, /“d” has 40002 characters/],
    [{ ok: true, d: 'x'.repeat(maxMessageLength) }, /The message has \d+ characters/],
    [{ ok: 'yes' }, /“ok” is not what result may have there/],
    [{ ok: false, error: 'e'.repeat(501) }, /“error” is not/],
  ]
  const commands = await Promise.all(Array.from({ length: commandWindow }, give))
  for (const command of commands) await device.until('command', (each) => each.id === command)
  const next = await give()
  for (const [index, command] of commands.entries()) {
    const [fields] = refusedResults[index % refusedResults.length] ?? []
    const place = { t: 'result', boot: 'boot-1', seq: index + 1, id: command }
    device.say(JSON.stringify({ ...place, ...fields }))
  }
  for (const [index, command] of commands.slice(0, refusedResults.length).entries())
    await vi.waitFor(async () =>
      expect((await world.ask('GET', `device/command/${command}`)).body).toMatchObject({
        state: 'failed',
        error: expect.stringMatching(refusedResults[index]?.[1] ?? /never/),
      }),
    )
  await device.until('command', (each) => each.id === next)
})

test('a refused result does not end another device’s command', async () => {
  const [mine, other] = [await world.device(), await world.device()]
  const command = (await world.ask('POST', 'device/command', { deviceId: mine.id, name: 'ping' }))
    .body.id
  const device = await world.welcomed(other.secret)
  device.say(JSON.stringify({ t: 'result', boot: 'boot-1', seq: 1, id: command }))
  await device.until('ack')
  expect((await world.ask('GET', `device/command/${command}`)).body.state).toBe('queued')
})

test('the device’s page says why its last message was refused, and when', async () => {
  const { id, secret } = await world.device()
  const device = await world.welcomed(secret)
  const refused = async () =>
    (await world.ask('GET', `device/connection?deviceId=${id}`)).body.refused
  device.say(event(1))
  await device.until('ack')
  expect(await refused()).toBeNull()
  device.say('{"t":"event","boot":"boot-1","seq":2}')
  device.say('{"t":"alarm","boot":"boot-1","seq":3}')
  device.say(event(4))
  await device.until('ack', ({ seq }) => seq === 4)
  const found = await refused()
  expect(found.error).toContain('“t” should be one of')
  expect(Math.abs(Date.parse(found.at) - Date.now())).toBeLessThan(60_000)
  device.socket.terminate()
  // A later boot of the device has its own positions; refusals are still reported.
  await world.welcomed(secret, { boot: 'boot-2' })
  expect(await refused()).toEqual(found)
})

const versions: [string, 4 | 5, number | undefined, number | undefined][] = [
  ['MQTT 3.1.1', 4, undefined, undefined],
  ['MQTT 5', 5, 151, 153],
]

test.each(versions)(
  'a message over the limit is confirmed and refused over %s, before hello too',
  async (_, protocolVersion, tooLong, unreadable) => {
    const { id, secret } = await world.device()
    /** What the library is told: in version 5 the reason of PUBACK. */
    const answerTo = (given: Promise<unknown>) =>
      given.then(
        () => undefined,
        ({ code }: { code: number }) => code,
      )
    const first = await welcomedByMqtt(world, secret, { protocolVersion })
    ends.push(() => first.client.end(true))
    await first.say(event(1))
    expect(await answerTo(first.say(textOfLength(2, maxMessageLength + 1)))).toBe(tooLong)
    expect(await answerTo(first.say(textOfLength(3, 200_000)))).toBe(tooLong)
    expect(await answerTo(first.say('{"t":"event","boot":"boot-1","seq":4}'))).toBe(unreadable)
    await first.say(event(5))
    await first.until('ack', ({ seq }) => seq === 5)
    expect(first.heard.flatMap((each) => (each.t === 'refused' ? [each.seq] : []))).toEqual([
      2, 3, 4,
    ])
    first.client.end(true)

    const second = await mqttClient(world, secret, { protocolVersion })
    ends.push(() => second.client.end(true))
    await second.subscribe('d/me/down')
    for (const seq of [3, 6])
      expect(await answerTo(second.say(textOfLength(seq, 200_000)))).toBe(tooLong)
    await second.say(event(7))
    await second.say(hello)
    expect((await second.until('welcome')).seq).toBe(7)
    await second.say(event(8))
    expect(await storedOf(id)).toEqual([1, 5, 7, 8])
    expect(await lostOf(id)).toBe(4)
    expect(second.heard.filter(({ t }) => t === 'bye')).toEqual([])
  },
)
