import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'
import { connectPacket, rawBytes, welcomedByMqtt } from '../testing/mqtt-device.ts'
import { frameReader } from './frames.ts'
import { readPacket, type MqttVersion } from './packets.ts'

let world: GatewayWorld
const opened: { end: () => unknown }[] = []
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => {
  for (const each of opened.splice(0)) each.end()
})
afterAll(() => world.close())

const event = (seq: number) => ({ t: 'event', boot: 'boot-1', seq, d: seq }) as const

/** Forbidden packets, as bytes of 3.1.1 and of 5, and the reason in 5. */
const packets: [string, string | undefined, string | undefined, number][] = [
  ['SUBSCRIBE without topics', '82 02 00 01', '82 03 00 01 00', 130],
  ['SUBSCRIBE without an id', '82 00', '82 00', 129],
  ['SUBSCRIBE with id 0', '82 06 00 00 00 01 61 00', '82 07 00 00 00 00 01 61 00', 130],
  ['SUBSCRIBE that ends in its topic', '82 05 00 01 00 09 61', '82 06 00 01 00 00 09 61', 129],
  ['UNSUBSCRIBE without topics', 'A2 02 00 01', 'A2 03 00 01 00', 130],
  ['UNSUBSCRIBE without an id', 'A2 00', 'A2 00', 129],
  ['UNSUBSCRIBE with id 0', 'A2 05 00 00 00 01 61', 'A2 06 00 00 00 00 01 61', 130],
  ['PUBLISH with QoS 1 without an id', '32 03 00 01 61', '32 03 00 01 61', 129],
  ['PUBLISH with QoS 1 and id 0', '32 05 00 01 61 00 00', '32 06 00 01 61 00 00 00', 130],
  ['PUBLISH without a topic', '30 00', '30 00', 129],
  ['PUBLISH with an alias of a topic', undefined, '30 06 00 00 03 23 00 01', 148],
  ['PUBLISH with a property twice', undefined, '30 08 00 01 61 04 01 01 01 00', 130],
  ['PUBLISH with a property that there is not', undefined, '30 06 00 01 61 02 7F 00', 129],
  ['PUBACK without an id', '40 00', '40 00', 129],
  ['PUBACK with a reason that there is not', undefined, '40 03 00 01 55', 129],
  ['PUBREC', '50 02 00 01', '50 02 00 01', 130],
  ['PUBREL', '62 02 00 01', '62 02 00 01', 130],
  ['PUBCOMP', '70 02 00 01', '70 02 00 01', 130],
  ['CONNACK', '20 02 00 00', '20 03 00 00 00', 130],
  ['SUBACK', '90 03 00 01 00', '90 04 00 01 00 00', 130],
  ['UNSUBACK', 'B0 02 00 01', 'B0 04 00 01 00 00', 130],
  ['PINGRESP', 'D0 00', 'D0 00', 130],
  ['AUTH', undefined, 'F0 00', 129],
  ['AUTH with a method', undefined, 'F0 06 18 04 15 00 01 61', 130],
  ['DISCONNECT with a reason that there is not', undefined, 'E0 01 55', 129],
  [
    'a second CONNECT, of the other version',
    '10 0E 00 04 4D 51 54 54 05 02 00 3C 00 00 01 61',
    '10 0D 00 04 4D 51 54 54 04 02 00 3C 00 01 61',
    130,
  ],
]
const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

/** The packets received before a connection closed. */
function packetsOf(bytes: Buffer, version: MqttVersion) {
  const frames = frameReader()
  frames.add(bytes)
  const found = []
  for (let frame = frames.next(1e6); frame !== undefined; frame = frames.next(1e6)) {
    if (typeof frame === 'string') throw new Error(`The gateway sent something ${frame}.`)
    found.push(readPacket(frame, version))
  }
  return found
}

const cases = packets.flatMap(([name, old, five, reason]) => [
  ...(old === undefined ? [] : [{ name, version: 4 as const, hex: old, reason: undefined }]),
  ...(five === undefined ? [] : [{ name, version: 5 as const, hex: five, reason }]),
])

test.each([
  ['a socket', false],
  ['a WebSocket', true],
])('an invalid client packet over %s ends only its own connection @long', async (_, isWeb) => {
  const neighbours = []
  for (const protocolVersion of [4, 5] as const) {
    const neighbour = await welcomedByMqtt(world, (await world.device()).secret, {
      protocolVersion,
      isWeb,
    })
    opened.push({ end: () => neighbour.client.end(true) })
    neighbours.push(neighbour)
  }
  const [accepted, held] = [await world.device(), await world.device({ state: 'quarantined' })]
  for (const [index, { name, version, hex, reason }] of cases.entries()) {
    const { secret } = index % 2 === 0 ? accepted : held
    const link = await rawBytes(world, isWeb)
    opened.push(link)
    link.write(connectPacket(secret, version))
    expect((await link.any())[3], name).toBe(0)
    link.write(bytesOf(hex))
    const said = packetsOf(await link.rest(), version).slice(1)
    const last = { name, version, said: said.at(-1) }
    if (reason === undefined) expect(last).toEqual({ name, version, said: undefined })
    else expect(last).toMatchObject({ name, said: { cmd: 'disconnect', reasonCode: reason } })
    for (const neighbour of neighbours) await neighbour.say(event(index + 1))
  }
  for (const { client, heard } of neighbours) {
    expect(client.connected).toBe(true)
    expect(heard.filter(({ t }) => t === 'bye')).toEqual([])
  }
  await vi.waitFor(() => expect(world.gateway().count()).toBe(neighbours.length))
})

/** CONNECT of MQTT 5 with these bytes for properties. */
const withProperties = (secret: string, hex: string) => {
  const properties = bytesOf(hex)
  const rest = Buffer.concat([
    bytesOf('00 04 4D 51 54 54 05 C2 00 3C'),
    Buffer.of(properties.length),
    properties,
    bytesOf('00 01 61 00 01 78 00 2B'),
    Buffer.from(secret),
  ])
  return Buffer.concat([Buffer.of(0x10, rest.length), rest])
}

test.each([
  ['a receive maximum of 0', '21 00 00'],
  ['two receive maxima', '21 00 05 21 00 06'],
  ['a maximum packet size of 0', '27 00 00 00 00'],
  ['two maximum packet sizes', '27 00 00 10 00 27 00 00 20 00'],
])('CONNECT with %s is refused', async (_, hex) => {
  const { secret } = await world.device()
  const link = await rawBytes(world, false)
  opened.push(link)
  link.write(withProperties(secret, hex))
  expect(packetsOf(await link.rest(), 5)).toMatchObject([{ cmd: 'connack', reasonCode: 130 }])
})

test('a device may be named like the error event of a Node emitter', async () => {
  for (const id of ['error', 'close', 'newListener']) {
    const { secret } = await world.device({ id })
    const device = await welcomedByMqtt(world, secret)
    opened.push({ end: () => device.client.end(true) })
    const { body } = await world.ask('POST', 'device/command', { deviceId: id, name: 'ping' })
    await device.until('command')
    await device.say({ t: 'result', boot: 'boot-1', seq: 1, id: body.id, ok: true })
    await vi.waitFor(async () =>
      expect((await world.ask('GET', `device/command/${body.id}`)).body.state).toBe('succeeded'),
    )
  }
})

test('an internal error ends only its own connection, and is logged', async () => {
  const { id, secret } = await world.device()
  const neighbour = await welcomedByMqtt(world, (await world.device()).secret)
  opened.push({ end: () => neighbour.client.end(true) })
  const gateway = world.gateway()
  const before = gateway.count()
  for (let round = 0; round < 2; round++) {
    const admission = await gateway.admit({ secret })
    if (admission === 'wrong' || !('identity' in admission)) throw new Error('It is not admitted.')
    let isCut = false
    const connection = gateway.connect(admission.identity, {
      protocol: 'broken',
      ip: '',
      send() {
        throw new Error('no bytes for it')
      },
      waiting: () => 0,
      pause: () => {},
      resume: () => {},
      close: () => {},
      cut: () => (isCut = true),
    })
    // Its welcome throws.
    connection.receive('{"t":"hello","v":1,"boot":"boot-1"}')
    await vi.waitFor(() => expect(isCut).toBe(true))
    expect(gateway.count()).toBe(before)
  }
  expect(world.logged).toContainEqual({
    device: id,
    count: 1,
    reason: expect.stringMatching(/^Error: no bytes for it\n.*malformed\.test\.ts/s),
  })
  await neighbour.say(event(1))
})
