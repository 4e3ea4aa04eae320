import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { messageWindow } from '@grove/device-protocol/limits'
import { readToDevice, type FromDevice, type ToDevice } from '@grove/device-protocol/message'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'
import { openBroker } from './broker.ts'
import { hasMosquitto, needs, startMosquitto, type Mosquitto } from './testing/mosquitto.ts'

let mosquitto: Mosquitto
let world: GatewayWorld
beforeAll(async () => {
  if (!hasMosquitto) return
  mosquitto = await startMosquitto()
  world = await gatewayWorld({ brokerUrl: mosquitto.url })
})
const clients: MqttClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true)
})
afterAll(async () => {
  await world?.close()
  await mosquitto?.close()
})

const within = { timeout: 10_000 }
const brokerTest = (name: string, run: () => Promise<void>) =>
  test.skipIf(!hasMosquitto)(`${name} ${needs}`, run)

const event = (seq: number) => ({ t: 'event', boot: 'boot-1', seq, d: { n: seq } }) as const
const storedOf = async (id: string): Promise<number[]> => {
  const { body } = await world.ask('GET', `device/connection?deviceId=${id}`)
  return body.messages.map(({ seq }: { seq: number }) => seq).toReversed()
}

/** The overview's statement about the broker. */
const brokerOf = async (of: GatewayWorld) => (await of.ask('GET', 'about')).body.broker

/** A device with an account at the broker. */
async function device(given: Parameters<GatewayWorld['device']>[0] = {}) {
  const made = await world.device(given)
  await vi.waitFor(async () => {
    const { rows } = await sql`select 1 from maple.broker_change`.execute(world.db)
    expect(rows).toEqual([])
  }, within)
  return { ...made, user: made.credentialId }
}

/** A client of the broker that receives this account's messages. */
async function connect(user: string, password: string, clientId: string = randomUUID()) {
  const client = await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
    protocolVersion: 5,
    username: user,
    password,
    clientId,
    reconnectPeriod: 100,
  })
  clients.push(client)
  client.on('error', () => {})
  const heard: ToDevice[] = []
  client.on('message', (_, payload) => {
    const message = readToDevice(payload.toString())
    if (message) heard.push(message)
  })
  await client.subscribeAsync(`d/${user}/down`, { qos: 1 })
  const say = (message: FromDevice | string) =>
    client.publishAsync(
      `d/${user}/up`,
      typeof message === 'string' ? message : JSON.stringify(message),
      { qos: 1 },
    )
  const next = <Kind extends ToDevice['t']>(
    kind: Kind,
    fits: (message: Extract<ToDevice, { t: Kind }>) => boolean = () => true,
  ) =>
    vi.waitFor(() => {
      const found = heard.find(
        (each): each is Extract<ToDevice, { t: Kind }> =>
          each.t === kind && fits(each as Extract<ToDevice, { t: Kind }>),
      )
      if (!found) throw new Error(`Heard ${JSON.stringify(heard)}`)
      return found
    }, within)
  const welcome = async (more: Partial<Extract<FromDevice, { t: 'hello' }>> = {}) => {
    heard.length = 0
    await say({ t: 'hello', v: 1, boot: 'boot-1', ...more })
    return next('welcome')
  }
  return { client, heard, say, next, welcome }
}

brokerTest('a device is heard and answered through the broker', async () => {
  const { id, user, secret } = await device()
  const { say, next, welcome, client } = await connect(user, secret)
  expect(await welcome()).toMatchObject({ device: id, seq: 0, held: false, window: messageWindow })
  for (const seq of [1, 2, 3]) await say(event(seq))
  await next('ack', ({ seq }) => seq === 3)
  expect(await storedOf(id)).toEqual([1, 2, 3])
  const { body } = await world.ask('GET', `device/connection?deviceId=${id}`)
  expect(body).toMatchObject({ state: 'connected', protocol: 'mqtt broker' })
  expect(await world.stateOf(id)).toBe('online')
  await world.ask('POST', 'device/command', { deviceId: id, name: 'blink', data: {} })
  const command = await next('command')
  await say({ t: 'result', boot: 'boot-1', seq: 4, id: command.id, ok: true })
  await next('ack', ({ seq }) => seq === 4)
  client.end(true)
})

brokerTest('a device that does not wait for its welcome is heard all the same', async () => {
  const { id, user, secret } = await device()
  const { say, next } = await connect(user, secret)
  void say({ t: 'hello', v: 1, boot: 'boot-1' })
  for (const seq of [1, 2]) void say(event(seq))
  await next('ack', ({ seq }) => seq === 2)
  expect(await storedOf(id)).toEqual([1, 2])
})

brokerTest('a message over the limit is refused through the broker', async () => {
  const { id, user, secret } = await device()
  const { say, next, welcome, heard } = await connect(user, secret)
  await welcome()
  await say(event(1))
  await say(JSON.stringify({ ...event(2), d: 'x'.repeat(200_000) }))
  await say(event(3))
  await next('ack', ({ seq }) => seq === 3)
  expect(heard).toContainEqual(expect.objectContaining({ t: 'refused', seq: 2 }))
  expect(await storedOf(id)).toEqual([1, 3])
})

brokerTest('a device reaches no topic of another one', async () => {
  const [own, other] = [await device(), await device()]
  const victim = await connect(other.user, other.secret)
  await victim.welcome()
  const { client, welcome } = await connect(own.user, own.secret)
  await welcome()
  const heard: string[] = []
  client.on('message', (topic) => heard.push(topic))
  for (const filter of ['#', 'd/+/down', 'd/+/up', `d/${other.user}/down`, '$CONTROL/#'])
    await client.subscribeAsync(filter, { qos: 1 }).catch(() => {})
  await client
    .publishAsync(`d/${other.user}/up`, JSON.stringify(event(1)), { qos: 1 })
    .catch(() => {})
  await client
    .publishAsync(
      '$CONTROL/dynamic-security/v1',
      JSON.stringify({ commands: [{ command: 'deleteClient', username: other.user }] }),
      { qos: 1 },
    )
    .catch(() => {})
  await victim.say(event(1))
  await victim.next('ack')
  expect(await storedOf(other.id)).toEqual([1])
  expect(await storedOf(own.id)).toEqual([])
  expect(heard.filter((topic) => topic !== `d/${own.user}/down`)).toEqual([])
})

brokerTest('somebody else’s client id takes over no session', async () => {
  const [own, other] = [await device(), await device()]
  const clientId = `pump-${randomUUID()}`
  const victim = await connect(other.user, other.secret, clientId)
  await victim.welcome()
  let closed = 0
  victim.client.on('close', () => closed++)
  const thief = await connect(own.user, own.secret, clientId)
  expect(await thief.welcome()).toMatchObject({ device: own.id })
  await victim.say(event(1))
  await victim.next('ack')
  expect(closed).toBe(0)
})

brokerTest('a revoked secret ends its connection at the broker, and opens none', async () => {
  const { id, user, secret, credentialId } = await device()
  const { client, welcome } = await connect(user, secret)
  await welcome()
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  await world.ask('DELETE', `device/credential?id=${credentialId}`)
  await closed
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'), within)
  await expect(connect(user, secret)).rejects.toThrow(/not authorized/i)
  await expect(connect(user, 'A'.repeat(43))).rejects.toThrow(/not authorized/i)
})

brokerTest('an account that outlives its secret is not heard', async () => {
  const { id, user, secret } = await device()
  const { say, next } = await connect(user, secret)
  // As if the broker had not been reached.
  await sql`alter table maple.device_credential disable trigger user`.execute(world.db)
  await sql`delete from maple.device_credential where id = ${user}`.execute(world.db)
  await sql`alter table maple.device_credential enable trigger user`.execute(world.db)
  await say({ t: 'hello', v: 1, boot: 'boot-1' })
  expect(await next('bye')).toMatchObject({ code: 'changed' })
  await say(event(1))
  expect(await storedOf(id)).toEqual([])
})

brokerTest('retiring a device deletes its accounts', async () => {
  const { id, user, secret } = await device()
  await world.ask('DELETE', `device?id=${id}`)
  await vi.waitFor(() => expect(connect(user, secret)).rejects.toThrow(/not authorized/i), within)
})

brokerTest('nothing is stored behind a message that the broker lost', async () => {
  const { id, user, secret } = await device()
  const { heard, say, next, welcome } = await connect(user, secret)
  await welcome()
  await say(event(1))
  await next('ack')
  await say(event(3))
  expect(await next('bye')).toMatchObject({ code: 'unavailable' })
  expect(heard.filter(({ t }) => t === 'ack')).toEqual([{ t: 'ack', boot: 'boot-1', seq: 1 }])
  expect(await storedOf(id)).toEqual([1])
  expect(await welcome()).toMatchObject({ seq: 1 })
  for (const seq of [2, 3]) await say(event(seq))
  await next('ack', ({ seq }) => seq === 3)
  // It gave up those before 10 itself.
  expect(await welcome({ next: 10 })).toMatchObject({ seq: 3 })
  await say(event(10))
  await next('ack', ({ seq }) => seq === 10)
  expect(await storedOf(id)).toEqual([1, 2, 3, 10])
})

brokerTest('a hello that the broker kept is not heard', async () => {
  const { id, user, secret } = await device()
  const { client } = await connect(user, secret)
  await client.publishAsync(`d/${user}/up`, '{"t":"hello","v":1,"boot":"kept"}', {
    qos: 1,
    retain: true,
  })
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('online'), within)
  const second = await takeOver()
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'), within)
  const other = await device()
  const { welcome } = await connect(other.user, other.secret)
  await welcome()
  expect(await world.stateOf(id)).toBe('offline')
  await second.close()
})

brokerTest('after the broker was away, devices are asked to say hello again', async () => {
  const { id, user, secret } = await device()
  const { client, heard, say, next, welcome } = await connect(user, secret)
  await welcome()
  await say(event(1))
  await next('ack')
  expect(await brokerOf(world)).toEqual({ isConnected: true, problem: null })
  await mosquitto.stop()
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'), within)
  const unreachable = { isConnected: false, problem: 'unreachable' }
  await vi.waitFor(async () => expect(await brokerOf(world)).toEqual(unreachable), within)
  const back = new Promise((resolve) => client.once('connect', resolve))
  await mosquitto.start()
  await back
  await client.subscribeAsync(`d/${user}/down`, { qos: 1 })
  await vi.waitFor(() => expect(world.isAtBroker()).toBe(true), within)
  await vi.waitFor(async () => expect((await brokerOf(world)).isConnected).toBe(true), within)
  heard.length = 0
  await say({ t: 'heartbeat' })
  expect(await next('bye')).toMatchObject({ code: 'unavailable' })
  expect(await welcome()).toMatchObject({ seq: 1 })
})

brokerTest('who sends what is no message is not heard for a while, and others are', async () => {
  const [own, other] = [await device(), await device()]
  const noisy = await connect(own.user, own.secret)
  await noisy.welcome()
  const calm = await connect(other.user, other.secret)
  await calm.welcome()
  for (let n = 0; n < 500; n++) void noisy.say('garbage').catch(() => {})
  await noisy.next('bye', ({ code, retryIn }) => code === 'protocol' && retryIn >= 60_000)
  await noisy.say({ t: 'hello', v: 1, boot: 'boot-2' })
  await calm.say(event(1))
  await calm.next('ack')
  expect(noisy.heard.filter(({ t }) => t === 'welcome')).toHaveLength(1)
  // Messages beyond the window and the pace end it too.
  for (let n = 2; n < 900; n++) void calm.say(event(n)).catch(() => {})
  await calm.next('bye', ({ code }) => code === 'protocol')
  const kept = await storedOf(other.id)
  expect(kept).toEqual(kept.toSorted((a, b) => a - b))
})

brokerTest('an account that the broker refuses is named as the cause', async () => {
  const url = Object.assign(new URL(mosquitto.url), { password: 'wrong' })
  const other = await gatewayWorld({ brokerUrl: url.href })
  const refused = { isConnected: false, problem: 'refused' }
  await vi.waitFor(async () => expect(await brokerOf(other)).toEqual(refused), within)
  await other.close()
})

/** Another process has the place at the broker. */
async function takeOver() {
  const gatewayId = randomUUID()
  await sql`update maple.broker_holder set gateway_id = ${gatewayId}`.execute(world.db)
  await vi.waitFor(() => expect(world.isAtBroker()).toBe(false), within)
  const second = openBroker({
    url: mosquitto.url,
    db: world.db,
    gatewayId,
    gateway: world.gateway(),
    secret: world.sessionSecret,
    log: { info: () => {}, warn: () => {} },
    pace: { tickMs: 20, holdMs: 500, retryMs: 100 },
  })
  await vi.waitFor(() => expect(second.isConnected()).toBe(true), within)
  expect(world.isAtBroker()).toBe(false)
  return second
}

brokerTest('one process is at the broker, and the next one when it is gone', async () => {
  const { id, user, secret } = await device()
  const { next, say, welcome } = await connect(user, secret)
  await welcome()
  const second = await takeOver()
  await say(event(1))
  await next('bye')
  expect(await welcome()).toMatchObject({ seq: 0 })
  await second.close()
  await vi.waitFor(() => expect(world.isAtBroker()).toBe(true), within)
  await say({ t: 'heartbeat' })
  await next('bye', ({ code }) => code === 'unavailable')
  await welcome()
  await say(event(1))
  await next('ack')
  expect(await storedOf(id)).toEqual([1])
})
