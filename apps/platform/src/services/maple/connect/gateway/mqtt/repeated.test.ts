import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { sql } from 'kysely'
import type { FromDevice } from '@grove/device-protocol/message'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'
import { mqttClient, welcomedByMqtt } from '../testing/mqtt-device.ts'

// MQTT libraries resend what an earlier connection did not confirm: mqtt.js before its program sends
// hello, and without DUP; paho after it.

let world: GatewayWorld
const opened: { end: (isForced: boolean) => unknown }[] = []
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => {
  for (const each of opened.splice(0)) each.end(true)
})
afterAll(() => world.close())

const event = (seq: number, boot = 'boot-1') => ({ t: 'event', boot, seq, d: seq }) as const
const hello = { t: 'hello', v: 1, boot: 'boot-1' } as const

async function client(secret: string, protocolVersion: 4 | 5) {
  const device = await mqttClient(world, secret, { protocolVersion })
  opened.push(device.client)
  await device.subscribe('d/me/down')
  return device
}

const storedOf = async (id: string) => {
  const { rows } = await sql<{ seq: number }>`
    select seq::int as seq from maple.device_message where device_id = ${id} order by id`.execute(
    world.db,
  )
  return rows.map(({ seq }) => seq)
}
const lostOf = async (id: string) =>
  (await world.ask('GET', `device/connection?deviceId=${id}`)).body.lost

const versions: [string, 4 | 5][] = [
  ['MQTT 3.1.1', 4],
  ['MQTT 5', 5],
]

test.each(versions)('messages that %s sends before hello are stored, once', async (_, version) => {
  const { id, secret } = await world.device()
  const first = await welcomedByMqtt(world, secret, { protocolVersion: version })
  for (const seq of [1, 2]) await first.say(event(seq))
  first.client.end(true)
  const second = await client(secret, version)
  // The second was stored and its confirmation lost; the third never arrived.
  for (const seq of [2, 3]) await second.say(event(seq))
  expect(await storedOf(id)).toEqual([1, 2, 3])
  await second.say(hello)
  expect((await second.until('welcome')).seq).toBe(3)
  await second.say(event(4))
  expect(await storedOf(id)).toEqual([1, 2, 3, 4])
  expect(await lostOf(id)).toBe(0)
  expect(second.heard.filter(({ t }) => t === 'bye')).toEqual([])
})

test.each(versions)(
  'the messages of a boot whose hello was lost are stored from %s',
  async (_, version) => {
    const { id, secret } = await world.device()
    const device = await client(secret, version)
    for (const seq of [1, 2]) await device.say(event(seq))
    await device.say(hello)
    expect((await device.until('welcome')).seq).toBe(2)
    expect(await storedOf(id)).toEqual([1, 2])
  },
)

test.each(versions)(
  'the hello of an earlier connection does not end this one of %s',
  async (_, version) => {
    const { id, secret } = await world.device()
    const device = await client(secret, version)
    for (const message of [hello, event(1), hello, event(2)]) await device.say(message)
    await vi.waitFor(() =>
      expect(device.heard.flatMap((each) => (each.t === 'welcome' ? [each.seq] : []))).toEqual([
        0, 1,
      ]),
    )
    expect(await storedOf(id)).toEqual([1, 2])
  },
)

test.each(versions)(
  'answers to an earlier connection are confirmed and ignored, by %s',
  async (_, version) => {
    const { secret } = await world.device()
    const device = await client(secret, version)
    const cplc = 'A'.repeat(84)
    const stale: FromDevice[] = [
      { t: 'heartbeat' },
      { t: 'elements', elements: [cplc] },
      { t: 'reply', id: 1, data: '9000' },
      { t: 'failed', id: 1, code: 'lost' },
    ]
    for (const each of stale) await device.say(each)
    await device.say(hello)
    await device.until('welcome')
    for (const each of stale.slice(2)) await device.say(each)
    expect(world.devices.offering.size).toBe(0)
    await device.say(event(1))
    await device.until('ack')
  },
)

test.each(versions)(
  'publishes of a held device of %s are confirmed, and nothing is stored',
  async (_, version) => {
    const { id, secret } = await world.device({ state: 'quarantined' })
    const device = await client(secret, version)
    const confirmed = () => device.packets.filter(({ cmd }) => cmd === 'puback')
    const publish = (message: object) =>
      device.client.publish('d/me/up', JSON.stringify(message), { qos: 1 }, () => {})
    publish(event(1))
    await vi.waitFor(() => expect(confirmed()).toHaveLength(1))
    publish(hello)
    expect((await device.until('welcome')).held).toBe(true)
    publish(event(2))
    await vi.waitFor(() => expect(confirmed()).toHaveLength(3))
    if (version === 5)
      expect(confirmed()).toMatchObject([{ reasonCode: 135 }, {}, { reasonCode: 135 }])
    expect(await storedOf(id)).toEqual([])

    await world.ask('PUT', `device?id=${id}`, { state: 'accepted' })
    await device.closed
    const accepted = await welcomedByMqtt(world, secret, { protocolVersion: version })
    opened.push(accepted.client)
    // Confirmed but unstored messages are requested again by number.
    expect(accepted.welcome).toMatchObject({ held: false, seq: 0 })
    for (const seq of [1, 2]) await accepted.say(event(seq))
    expect(await storedOf(id)).toEqual([1, 2])
  },
)

test('messages that arrive after newer ones are stored, and count as lost until then', async () => {
  const { id, secret } = await world.device()
  const device = await welcomedByMqtt(world, secret, { protocolVersion: 4 })
  opened.push(device.client)
  for (const seq of [1, 5]) await device.say(event(seq))
  expect(await lostOf(id)).toBe(3)
  await Promise.all([3, 3, 1, 5, 4].map((seq) => device.say(event(seq))))
  expect(await lostOf(id)).toBe(1)
  expect((await storedOf(id)).toSorted((a, b) => a - b)).toEqual([1, 3, 4, 5])
})

test('a device that names another boot starts again with a new connection', async () => {
  const { secret } = await world.device()
  const device = await client(secret, 5)
  await device.say(hello)
  device.client.publish('d/me/up', JSON.stringify({ ...hello, boot: 'boot-2' }), { qos: 1 })
  expect(await device.until('bye')).toMatchObject({ code: 'replaced' })
  await device.closed
})
