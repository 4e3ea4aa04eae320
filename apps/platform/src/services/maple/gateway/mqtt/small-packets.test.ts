import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'
import { mqttClient } from '../testing/mqtt-device.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterAll(() => world.close())

test('what is longer than a device takes is said on the command, and the next ones arrive', async () => {
  const { id, secret } = await world.device()
  const device = await mqttClient(
    world,
    secret,
    { protocolVersion: 5 },
    {
      properties: { maximumPacketSize: 400, receiveMaximum: 2 },
    },
  )
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
        error: 'The device said that it takes no message as long as this command.',
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
