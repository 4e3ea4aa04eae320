import { sql } from 'kysely'
import type { IClientOptions } from 'mqtt'
import { generate, type Packet } from 'mqtt-packet'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { maxMessageLength, messageWindow } from '@grove/device-protocol/limits'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'
import { readPacket } from './packets.ts'
import { mqttClient, rawMqtt, welcomedByMqtt, type Way } from '../testing/mqtt-device.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
const opened: { end: () => unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) each.end()
})
afterAll(() => world.close())

const event = (seq: number, d: unknown = { n: seq }) =>
  ({ t: 'event', boot: 'boot-1', seq, d }) as const
const connectionOf = async (id: string) =>
  (await world.ask('GET', `device/connection?deviceId=${id}`)).body
const messagesOf = async (id: string) =>
  (await connectionOf(id)).messages.map(({ seq }: { seq: number }) => seq)

async function client(
  ...given: Parameters<typeof mqttClient> extends [unknown, ...infer Rest] ? Rest : never
) {
  const device = await mqttClient(world, ...given)
  opened.push({ end: () => device.client.end(true) })
  return device
}
async function welcomed(secret: string, way?: Way, more?: IClientOptions) {
  const device = await welcomedByMqtt(world, secret, way, more)
  opened.push({ end: () => device.client.end(true) })
  return device
}
async function raw() {
  const link = await rawMqtt(world)
  opened.push({ end: () => link.socket.destroy() })
  return link
}

const ways: [string, Way, string][] = [
  ['MQTT 3.1.1', { protocolVersion: 4 }, 'mqtt 3.1.1'],
  ['MQTT 5', { protocolVersion: 5 }, 'mqtt 5'],
  ['MQTT 3.1.1 in a WebSocket', { protocolVersion: 4, isWeb: true }, 'mqtt 3.1.1'],
  ['MQTT 5 in a WebSocket', { protocolVersion: 5, isWeb: true }, 'mqtt 5'],
]

test.each(ways)('a device that speaks %s is received and answered', async (_, way, protocol) => {
  const { id, secret } = await world.device()
  const { welcome, say, until, client } = await welcomed(secret, way)
  expect(welcome).toMatchObject({ device: id, seq: 0, held: false, window: messageWindow })
  expect(await world.stateOf(id)).toBe('online')
  await say(event(1))
  await until('ack', ({ seq }) => seq === 1)
  await say(event(2), 0, `d/${id}/up`)
  await until('ack', ({ seq }) => seq === 2)
  expect(await connectionOf(id)).toMatchObject({ state: 'connected', protocol })
  expect(await messagesOf(id)).toEqual([2, 1])
  client.end()
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'))
})

test('a message is confirmed after it is stored', async () => {
  const { id, secret } = await world.device()
  const { say } = await welcomed(secret)
  const order: string[] = []
  let told: Promise<unknown> | undefined
  await world.db.transaction().execute(async (tx) => {
    await sql`select 1 from maple.device_stream where device_id = ${id} for update`.execute(tx)
    told = say(event(1)).then(() => order.push('confirmed'))
    // Needs no database, and was sent after it.
    await say({ t: 'heartbeat' })
    order.push('heartbeat')
  })
  await told
  expect(order).toEqual(['heartbeat', 'confirmed'])
  expect(await messagesOf(id)).toEqual([1])
})

test('a message resent after a lost confirmation is not duplicated', async () => {
  const { id, secret } = await world.device()
  const first = await welcomed(secret)
  for (const seq of [1, 2]) await first.say(event(seq))
  first.client.end(true)
  const second = await welcomed(secret)
  expect(second.welcome.seq).toBe(2)
  for (const seq of [2, 2, 3]) await second.say(event(seq))
  expect(await messagesOf(id)).toEqual([3, 2, 1])
})

test('a device that is not accepted learns that nothing is stored', async () => {
  const { id, secret } = await world.device({ state: 'quarantined' })
  const held = await welcomed(secret)
  expect(held.welcome.held).toBe(true)
  held.client.publish('d/me/up', JSON.stringify(event(1)), { qos: 1 }, () => {})
  const puback = await vi.waitFor(() => {
    const found = held.packets.filter(({ cmd }) => cmd === 'puback').at(-1)
    expect(found).toMatchObject({ reasonCode: 135 })
    return found
  })
  expect(puback).toBeDefined()
  expect(await messagesOf(id)).toEqual([])
})

test('CONNACK names unsupported features, and no session is kept', async () => {
  const { secret } = await world.device()
  const link = await raw()
  expect([...(await link.connect(secret)).subarray(0, 4)]).toEqual([0x20, 2, 0, 0])
  const other = await raw()
  const answer = await other.connect(secret, 5, { clientId: '', keepalive: 65_000 })
  expect(readPacket(answer, 5)).toMatchObject({
    cmd: 'connack',
    sessionPresent: false,
    reasonCode: 0,
    properties: {
      maximumQoS: 1,
      retainAvailable: false,
      wildcardSubscriptionAvailable: false,
      sharedSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: false,
      receiveMaximum: messageWindow,
      serverKeepAlive: 1200,
      assignedClientIdentifier: expect.stringMatching(/^[\w-]{36}$/),
    },
  })
})

test.each([
  ['a wrong secret', 'A'.repeat(43)],
  ['no secret', ''],
  ['the id of the device', 'id'],
])('%s opens no connection', async (_, wrong) => {
  const { id } = await world.device()
  const secret = wrong === 'id' ? id : wrong
  const link = await raw()
  expect([...(await link.connect(secret))]).toEqual([0x20, 2, 0, 4])
  await link.closed
  const five = await raw()
  expect((await five.connect(secret, 5))[3]).toBe(134)
  await five.closed
})

test('a client id gives no rights and takes over no connection', async () => {
  const [a, b] = [await world.device(), await world.device()]
  const first = await welcomed(a.secret, { protocolVersion: 5 }, { clientId: a.id })
  const second = await welcomed(
    b.secret,
    { protocolVersion: 5 },
    {
      clientId: a.id,
      username: a.id,
    },
  )
  expect(second.welcome.device).toBe(b.id)
  await second.say(event(1))
  await first.say(event(7))
  expect(await messagesOf(a.id)).toEqual([7])
  expect(await messagesOf(b.id)).toEqual([1])
})

const foreign = (other: string) => [
  '#',
  'd/+/down',
  `d/${other}/down`,
  'd/me/up',
  '$share/all/d/me/down',
  '$SYS/#',
  'd/me/down/#',
]

test('a device can subscribe only to its own topic', async () => {
  const [a, b] = [await world.device(), await world.device()]
  const spy = await client(a.secret, { protocolVersion: 5 })
  expect(await spy.subscribe(...foreign(b.id))).toEqual([162, 162, 135, 135, 158, 162, 162])
  expect(await spy.subscribe('d/me/down', `d/${a.id}/down`)).toEqual([1, 1])
  const old = await client(a.secret, { protocolVersion: 4 })
  expect(await old.subscribe(...foreign(b.id))).toEqual(foreign(b.id).map(() => 128))
  const victim = await welcomed(b.secret)
  await victim.say(event(1))
  await victim.until('ack')
  expect([...spy.heard, ...old.heard].filter(({ t }) => t !== 'bye')).toEqual([])
})

test('messages that a device publishes to other topics reach nobody', async () => {
  const [a, b] = [await world.device(), await world.device()]
  await welcomed(b.secret)
  const five = await welcomed(a.secret, { protocolVersion: 5 })
  for (const topic of [`d/${b.id}/up`, `d/${b.id}/down`, 'd/me/down', '$SYS/x'])
    await expect(five.say(event(1), 1, topic)).rejects.toThrow(/not authorized/i)
  await five.say(event(1))
  expect(await messagesOf(a.id)).toEqual([1])
  const old = await welcomed(a.secret, { protocolVersion: 4 })
  old.client.publish(`d/${b.id}/up`, JSON.stringify(event(2)), { qos: 1 }, () => {})
  await old.closed
  expect(await messagesOf(b.id)).toEqual([])
})

test.each<[string, object, number]>([
  ['with QoS 2', { qos: 2 }, 155],
  ['retained messages', { retain: true }, 154],
])('a device that publishes %s is dropped with the reason', async (_, options, reasonCode) => {
  const { id, secret } = await world.device()
  const device = await welcomed(secret)
  // mqtt.js respects the limits in CONNACK.
  const packet = {
    cmd: 'publish',
    topic: 'd/me/up',
    payload: '{}',
    qos: 0,
    messageId: 9,
    ...options,
  }
  device.client.stream.write(
    generate({ dup: false, retain: false, ...packet } as Packet, { protocolVersion: 5 }),
  )
  expect(await device.packet('disconnect')).toMatchObject({ reasonCode })
  await device.closed
  expect(await messagesOf(id)).toEqual([])
})

test.each<[string, 4 | 5]>([
  ['MQTT 3.1.1', 4],
  ['MQTT 5', 5],
])('a secret that is revoked ends a connection of %s at once', async (_, protocolVersion) => {
  const { secret, credentialId } = await world.device()
  const device = await welcomed(secret, { protocolVersion })
  await world.ask('DELETE', `device/credential?id=${credentialId}`)
  expect(await device.until('bye')).toMatchObject({ code: 'changed' })
  if (protocolVersion === 5)
    expect(await device.packet('disconnect')).toMatchObject({ reasonCode: 152 })
  await device.closed
  const again = await raw()
  expect([...(await again.connect(secret))]).toEqual([0x20, 2, 0, 4])
})

test('a device’s will is not sent to anyone', async () => {
  const [a, b] = [await world.device(), await world.device()]
  const payload = Buffer.from('{"t":"end","session":"x"}')
  const will = { topic: `d/${b.id}/down`, payload, qos: 1, retain: false } as const
  const victim = await welcomed(b.secret)
  const device = await welcomed(a.secret, { protocolVersion: 4 }, { will })
  device.client.stream.destroy()
  await vi.waitFor(async () => expect(await world.stateOf(a.id)).toBe('offline'))
  await victim.say(event(1))
  await victim.until('ack')
  expect(victim.heard.map(({ t }) => t)).toEqual(['welcome', 'ack'])
})

test('a session reaches an element of a device that speaks MQTT', async () => {
  const card = softwareCard({ seed: 'behind MQTT' })
  const { cplc } = card.snapshot()
  const { id, secret } = await world.device()
  await world.ask('PUT', `device?id=${id}`, { cplc: [cplc] })
  const device = await client(secret)
  await device.subscribe('d/me/down')
  device.client.on('message', (_, payload) => {
    const { t, id: exchange, data } = JSON.parse(payload.toString())
    if (t !== 'exchange') return
    void card
      .transmit(Buffer.from(data, 'hex'))
      .then((reply) =>
        device.say({ t: 'reply', id: exchange, data: Buffer.from(reply).toString('hex') }),
      )
  })
  await device.say({ t: 'hello', v: 1, boot: 'boot-1', elements: [cplc] })
  await device.until('welcome')
  const session = await world.ask('POST', 'sessions/se', { cplc })
  expect(session).toMatchObject({ status: 201, body: { transport: 'device' } })
  const ran = await world.ask('POST', `sessions/se/${session.body.id}/raw`, {
    command: '00A4040000',
  })
  expect(ran.body).toMatchObject({ state: 'done', items: [{ statusWord: '9000' }] })
  await world.ask('POST', `sessions/se/${session.body.id}/end`)
  await device.until('end')
})

const subscribe = (filters: number): Packet => ({
  cmd: 'subscribe',
  messageId: 1,
  subscriptions: Array.from({ length: filters }, (_, n) => ({ topic: `t/${n}`, qos: 0 as const })),
})
const publish = (payload: string | Buffer) =>
  generate({ cmd: 'publish', topic: 'd/me/up', payload, qos: 0, dup: false, retain: false })

test.each<[string, Buffer]>([
  ['bytes that are no packet', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a packet that announces 256 MB', Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])],
  ['a length without an end', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0xff])],
  ['QoS 3', Buffer.from([0x36, 5, 0, 1, 0x61, 0, 1])],
  ['QoS 2', Buffer.from([0x34, 5, 0, 1, 0x61, 0, 1])],
  ['a packet of the other side', Buffer.from([0x20, 2, 0, 0])],
  ['AUTH', Buffer.from([0xf0, 0])],
  ['a second CONNECT', generate({ cmd: 'connect', clientId: 'a', keepalive: 0, clean: true })],
  ['a topic that is longer than its packet', Buffer.from([0x30, 3, 0xff, 0xff, 0x61])],
  ['seventeen filters', generate(subscribe(17))],
  ['text that is no message', publish('hello')],
  ['bytes that are no text', publish(Buffer.of(0xff, 0xfe))],
  ['a huge message', publish('x'.repeat(maxMessageLength + 1))],
  ['a hundred thousand brackets', publish('['.repeat(100_000))],
])('%s ends the connection, and no other', async (_, bytes) => {
  const [{ id, secret }, other] = [await world.device(), await world.device()]
  const calm = await welcomed(other.secret)
  const link = await raw()
  await link.connect(secret)
  link.socket.write(publish(JSON.stringify({ t: 'hello', v: 1, boot: 'boot-1' })))
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('online'))
  link.socket.write(bytes)
  await link.closed
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'))
  expect(await messagesOf(id)).toEqual([])
  await calm.say(event(1))
})

test.each<[string, Buffer]>([
  ['bytes that are no packet', Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01')],
  ['a packet before CONNECT', Buffer.from([0xc0, 0])],
  ['a CONNECT of 64 KB', Buffer.from([0x10, 0xff, 0xff, 0x03, 0, 4])],
  [
    'a CONNECT of another version',
    Buffer.from([0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 9, 2, 0, 60, 0, 0]),
  ],
])('%s from nobody known ends the connection', async (_, bytes) => {
  const link = await raw()
  link.socket.write(bytes)
  link.socket.resume()
  await link.closed
})

test('a flood slows its sender, and nobody else @long', async () => {
  const quick = await gatewayWorld({ limits: { burst: 20, perSecond: 100 } })
  const [loud, calm] = [await quick.device(), await quick.device()]
  const flood = await welcomedByMqtt(quick, loud.secret)
  const other = await welcomedByMqtt(quick, calm.secret)
  const count = 200
  const startedAt = performance.now()
  for (let seq = 1; seq <= count; seq++) void flood.say(event(seq), 0)
  await other.say(event(1))
  expect(flood.heard.some((each) => each.t === 'ack' && each.seq === count)).toBe(false)
  await flood.until('ack', ({ seq }) => seq === count)
  expect(performance.now() - startedAt).toBeGreaterThan(((count - 20) / 100) * 1000 * 0.5)
  expect((await quick.ask('GET', `device/connection?deviceId=${loud.id}`)).body.lost).toBe(0)
  for (const { client: each } of [flood, other]) each.end(true)
  await quick.close()
})

test('heartbeats cost as much as messages @long', async () => {
  const quick = await gatewayWorld({ limits: { burst: 20, perSecond: 100 } })
  const { secret } = await quick.device()
  const link = await rawMqtt(quick)
  await link.connect(secret)
  const pings = 100
  let answered = 0
  const startedAt = performance.now()
  const all = new Promise<void>((resolve) => {
    link.socket.on('data', (bytes) => {
      answered += bytes.length / 2
      if (answered >= pings) resolve()
    })
  })
  link.socket.write(Buffer.concat(Array.from({ length: pings }, () => Buffer.from([0xc0, 0]))))
  await all
  expect(performance.now() - startedAt).toBeGreaterThan(((pings - 20) / 100) * 1000 * 0.5)
  link.socket.destroy()
  await quick.close()
})

test('a device that does not read is dropped', async () => {
  const quick = await gatewayWorld({ limits: { maxWaiting: 100_000 } })
  const { cplc } = softwareCard({ seed: 'slow' }).snapshot()
  const { id, secret } = await quick.device()
  await quick.ask('PUT', `device?id=${id}`, { cplc: [cplc] })
  const link = await rawMqtt(quick)
  await link.connect(secret)
  link.socket.write(
    Buffer.concat([
      generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'd/me/down', qos: 0 }] }),
      publish(JSON.stringify({ t: 'hello', v: 1, boot: 'boot-1', elements: [cplc] })),
    ]),
  )
  await vi.waitFor(() => expect(quick.devices.live.has(id)).toBe(true))
  link.socket.pause()
  const command = new Uint8Array(50_000)
  const exchange = { session: 'x', isFirst: false, cplc, command }
  // Its socket, and ours, buffer some megabytes.
  for (let sent = 0; sent < 1000 && quick.devices.live.has(id); sent++) {
    quick.devices.live
      .get(id)
      ?.exchange(exchange)
      .catch(() => {})
    await new Promise(setImmediate)
  }
  await vi.waitFor(() => expect(quick.reasons).toContain('it does not read'))
  link.socket.destroy()
  await quick.close()
})

test('a device counts as silent after one and a half times its announced interval @long', async () => {
  const { id, secret } = await world.device()
  const link = await raw()
  await link.connect(secret, 4, { keepalive: 1 })
  const connectedAt = performance.now()
  link.socket.write(publish(JSON.stringify({ t: 'hello', v: 1, boot: 'boot-1' })))
  const other = await world.device()
  const pinging = await welcomed(other.secret, { protocolVersion: 4 }, { keepalive: 1 })
  await link.closed
  expect(performance.now() - connectedAt).toBeGreaterThan(1500)
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'))
  expect(world.reasons).toContain('it is silent')
  await pinging.say(event(1))
})

test('a client that does not identify itself is disconnected @long', async () => {
  const quick = await gatewayWorld({ limits: { helloMs: 300 } })
  const mute = await rawMqtt(quick)
  mute.socket.resume()
  await mute.closed
  const { secret } = await quick.device()
  const link = await rawMqtt(quick)
  await link.connect(secret)
  await link.closed
  expect(quick.reasons).toContain('it did not say hello')
  await quick.close()
})

test('an address has a limited number of unidentified connections @long', async () => {
  const quick = await gatewayWorld()
  const { secret } = await quick.device()
  const known = await rawMqtt(quick)
  await known.connect(secret)
  const links = []
  // 512, excluding the active one.
  for (let n = 0; n < 512; n++) links.push(await rawMqtt(quick))
  for (const [version, busy] of [
    [4, 3],
    [5, 137],
  ] as const) {
    const beyond = await rawMqtt(quick)
    expect((await beyond.connect(secret, version))[3]).toBe(busy)
    await beyond.closed
  }
  links[0]?.socket.destroy()
  await vi.waitFor(async () => {
    const again = await rawMqtt(quick)
    expect((await again.connect(secret))[3]).toBe(0)
  })
  for (const { socket } of [known, ...links]) socket.destroy()
  await quick.close()
})

test('a storm is admitted slowly, and MQTT 5 says for how long to wait', async () => {
  const quick = await gatewayWorld({ admissionsPerSecond: 1 })
  const { secret } = await quick.device()
  const links = await Promise.all(Array.from({ length: 6 }, () => rawMqtt(quick)))
  const answers = await Promise.all(links.map((link) => link.connect(secret, 5)))
  const busy = answers.filter((each) => each[3] === 137)
  expect(busy.length).toBeGreaterThanOrEqual(4)
  for (const each of busy) expect(each.toString('latin1')).toMatch(/retryIn..\d+000$/s)
  const old = await rawMqtt(quick)
  expect((await old.connect(secret, 4))[3]).toBe(3)
  await old.closed
  for (const { socket } of links) socket.destroy()
  await quick.close()
})

test('the devices of one service provider leave room for others', async () => {
  const quick = await gatewayWorld({ maxOfProvider: 2 })
  await sql`insert into maple.service (id, name, name_key) values ('big', 'big', 'big')`.execute(
    quick.db,
  )
  const theirs = await Promise.all(
    Array.from({ length: 3 }, () => quick.device({ serviceId: 'big' })),
  )
  const links = []
  for (const { secret } of theirs) {
    const link = await rawMqtt(quick)
    links.push({ ...link, answer: await link.connect(secret) })
  }
  expect(links.map(({ answer }) => answer[3])).toEqual([0, 0, 3])
  const other = await quick.device()
  const link = await rawMqtt(quick)
  expect((await link.connect(other.secret))[3]).toBe(0)
  links[0]?.socket.destroy()
  await vi.waitFor(async () => {
    const again = await rawMqtt(quick)
    expect((await again.connect(theirs[2]?.secret ?? ''))[3]).toBe(0)
  })
  await quick.close()
})

test('the connections of a service provider are counted over all running processes @long', async () => {
  const quick = await gatewayWorld({ maxOfProvider: 2 })
  await sql`insert into maple.service (id, name, name_key) values ('big', 'big', 'big')`.execute(
    quick.db,
  )
  const [first, second] = [
    await quick.device({ serviceId: 'big' }),
    await quick.device({ serviceId: 'big' }),
  ]
  const known = await rawMqtt(quick)
  expect((await known.connect(first.secret))[3]).toBe(0)
  const loads = async () =>
    (await sql<{ load: object }>`select load from maple.gateway`.execute(quick.db)).rows
  await vi.waitFor(async () => expect(await loads()).toEqual([{ load: { big: 1 } }]))

  await sql`
    insert into maple.gateway (id, load) values (gen_random_uuid(), '{"big": 1, "": 9}')`.execute(
    quick.db,
  )
  const answers = (code: number) =>
    vi.waitFor(
      async () => {
        const link = await rawMqtt(quick)
        const [, , , answer] = await link.connect(second.secret)
        link.socket.destroy()
        expect(answer).toBe(code)
      },
      { timeout: 5000, interval: 200 },
    )
  // What another process wrote is read a second later.
  await answers(3)
  // One silent for 45 seconds is offline.
  await sql`
    update maple.gateway set seen_at = now() - interval '46 seconds' where load ? ''`.execute(
    quick.db,
  )
  await answers(0)
  known.socket.destroy()
  await quick.close()
})
