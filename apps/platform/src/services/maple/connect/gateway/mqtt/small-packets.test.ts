import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { readToDevice } from '@grove/device-protocol/message'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'
import { mqttClient, welcomedByMqtt } from '../testing/mqtt-device.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterAll(() => world.close())

const small = { properties: { maximumPacketSize: 400, receiveMaximum: 2 } }

test('a command longer than a device accepts is marked so, and the next ones arrive', async () => {
  const { id, secret } = await world.device()
  const device = await mqttClient(world, secret, { protocolVersion: 5 }, small)
  await device.subscribe('d/me/down')
  await device.say({ t: 'hello', v: 1, boot: 'boot-1' })
  await device.until('welcome')
  const command = async (data: unknown) =>
    (await world.ask('POST', 'device/command', { deviceId: id, name: 'ping', data })).body.id
  const stateOf = async (one: string) => (await world.ask('GET', `device/command/${one}`)).body
  // More of them than it confirms at once.
  for (let n = 0; n < 4; n++) {
    const long = await command('x'.repeat(1000))
    await vi.waitFor(async () =>
      expect(await stateOf(long)).toMatchObject({
        state: 'failed',
        error: 'The command exceeds the device’s maximum message length.',
      }),
    )
  }
  const short = await command('y')
  await device.until('command', (each) => each.id === short)
  await device.say({ t: 'result', boot: 'boot-1', seq: 1, id: short, ok: true })
  await vi.waitFor(async () => expect((await stateOf(short)).state).toBe('succeeded'))
  expect(device.heard.filter(({ t }) => t === 'bye')).toEqual([])
  device.client.end(true)
})

test('a desired state longer than a device accepts says so, until it fits', async () => {
  const { id, secret } = await world.device()
  const device = await welcomedByMqtt(world, secret, { protocolVersion: 5 }, small)
  const twin = `device/twin?deviceId=${id}`
  const problem = async () => (await world.ask('GET', twin)).body.desiredProblem
  await world.ask('PUT', twin, { desired: { note: 'x'.repeat(1000) } })
  await vi.waitFor(async () => expect(await problem()).toBe('too_long'))
  // The next version is another one.
  await world.ask('PUT', twin, { desired: { note: 'short' } })
  expect(await device.until('desired')).toMatchObject({ version: 2 })
  expect(await problem()).toBeNull()

  await world.ask('PUT', twin, { desired: { note: 'y'.repeat(1000) } })
  await vi.waitFor(async () => expect(await problem()).toBe('too_long'))
  device.client.end(true)
  const roomy = await welcomedByMqtt(world, secret, { protocolVersion: 5 })
  expect(await roomy.until('desired')).toMatchObject({ version: 3 })
  await vi.waitFor(async () => expect(await problem()).toBeNull())
  roomy.client.end(true)
})

test('a command to a card that is longer than its device accepts is refused with the reason', async () => {
  const card = softwareCard({ seed: 'behind small packets' })
  const { cplc } = card.snapshot()
  const { id, secret } = await world.device()
  await world.ask('PUT', `device?id=${id}`, { cplc: [cplc] })
  const device = await mqttClient(world, secret, { protocolVersion: 5 }, small)
  await device.subscribe('d/me/down')
  device.client.on('message', (_, payload) => {
    const message = readToDevice(payload.toString())
    if (message?.t !== 'exchange') return
    void card
      .transmit(Buffer.from(message.data, 'hex'))
      .then((reply) =>
        device.say({ t: 'reply', id: message.id, data: Buffer.from(reply).toString('hex') }),
      )
  })
  await device.say({ t: 'hello', v: 1, boot: 'boot-1', elements: [cplc] })
  await device.until('welcome')
  const session = await world.ask('POST', 'sessions/se', { cplc })
  expect(session.status).toBe(201)
  const run = (command: string) =>
    world.ask('POST', `sessions/se/${session.body.id}/raw`, { command })
  expect((await run('00A4040000')).body).toMatchObject({ state: 'done' })
  expect((await run(`00B0000000FF${'00'.repeat(255)}`)).body).toMatchObject({
    state: 'refused',
    problem: { message: expect.stringContaining('maximum message length') },
  })
  // The session and the card go on.
  expect((await run('00A4040000')).body).toMatchObject({ state: 'done' })
  device.client.end(true)
})
