import { randomUUID } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'
import { gatewayWorld, type GatewayWorld } from '../../connect/gateway/testing/gateway-world.ts'
import { tidyMessages } from '../../connect/device-connection/device-connection.service.ts'
import { handlerClient, payload } from './testing/handler-client.ts'

let world: GatewayWorld
let handlers: ReturnType<typeof handlerClient>
beforeAll(async () => {
  world = await gatewayWorld()
  handlers = handlerClient(world)
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const level = `const decode = ({ bytes, port }) => ({
  telemetry: { level: bytes[0] }, reported: { level: bytes[0], port },
})`

/** The messages of a device once none is waiting. */
async function decoded(deviceId: string, count: number): Promise<DeviceMessage[]> {
  let messages: DeviceMessage[] = []
  await vi.waitFor(
    async () => {
      messages = await handlers.messagesOf(deviceId)
      expect(messages).toHaveLength(count)
      expect(messages.filter(({ decoding }) => decoding?.state === 'waiting')).toEqual([])
    },
    { timeout: 20_000, interval: 50 },
  )
  return messages
}

test('payloads become points and states as if the device had sent those @long', async () => {
  const device = await handlers.deviceWith(level)
  const link = await world.welcomed(device.secret)
  const ts = Date.now() - 60_000
  for (let n = 1; n <= 3; n++) link.say(payload(n, `0${n}`, { port: n, ts: ts + n }))
  await link.until('ack', ({ seq }) => seq === 3)
  const messages = await decoded(device.id, 3)
  expect(messages[0]).toMatchObject({
    kind: 'bytes',
    data: { bytes: 'AQ==', port: 1 },
    decoding: {
      state: 'decoded',
      handlerId: device.handler.id,
      version: 1,
      value: { telemetry: { level: 1 }, reported: { level: 1, port: 1 } },
      error: null,
    },
  })
  expect(await handlers.pointsOf(device.id)).toEqual(
    [1, 2, 3].map((value) => ({ key: 'level', value })),
  )
  expect(await handlers.reportedOf(device.id)).toEqual({ level: 3, port: 3 })
  const { rows } = await sql<{ at: string }>`
    select ts as at from maple.telemetry where device_id = ${device.id} order by ts`.execute(
    world.db,
  )
  expect(Date.parse(rows[0]?.at ?? '')).toBe(ts + 1)
  // JSON of the same device is stored as ever.
  link.say({ t: 'telemetry', boot: 'boot-1', seq: 4, d: { level: 9 } })
  await link.until('ack', ({ seq }) => seq === 4)
  expect((await handlers.messagesOf(device.id)).at(-1)).toMatchObject({
    kind: 'telemetry',
    decoding: null,
  })
})

test('a payload that the handler refuses is kept, with the reason next to it', async () => {
  const device = await handlers.deviceWith(`function decode({ bytes }) {
    if (bytes.length < 2)
      throw new RangeError('Two bytes at least')
    return { telemetry: { sum: bytes[0] + bytes[1] } }
  }`)
  const link = await world.welcomed(device.secret)
  link.say(payload(1, '01'))
  link.say(payload(2, '0102'))
  await link.until('ack', ({ seq }) => seq === 2)
  const [first, second] = await decoded(device.id, 2)
  expect(first).toMatchObject({
    data: { bytes: 'AQ==' },
    decoding: {
      state: 'failed',
      value: null,
      error: { name: 'RangeError', message: 'Two bytes at least', line: 3 },
    },
  })
  expect(second?.decoding?.state).toBe('decoded')
  expect(await handlers.pointsOf(device.id)).toEqual([{ key: 'sum', value: 3 }])
})

/** Watches a session of a device. */
async function watch(id: string, query = '') {
  const url = `http://${world.address}/api/maple/sessions/device/${id}/stream${query}`
  // Not `fetch`: after a response it preconnects, and the server waits for that connection.
  const response = await new Promise<IncomingMessage>((resolve) => {
    get(url, { headers: world.headers }, resolve)
  })
  const chunks = response.setEncoding('utf8').iterator()
  let heard = ''
  return {
    heard: () => heard,
    async until(pattern: RegExp) {
      while (!pattern.test(heard)) {
        const { value, done } = await chunks.next()
        if (done === true) expect.fail(heard)
        heard += value
      }
    },
    leave: () => void response.destroy(),
  }
}

test('a watcher of the session sees the payload, then its contents @long', async () => {
  const device = await handlers.deviceWith(level)
  // Another process has the lease, until it does not.
  await sql`
    insert into maple.device_decoder (service_id, process_id, until)
    values ('', ${randomUUID()}, now() + interval '1 hour')
    on conflict (service_id) do update set process_id = excluded.process_id, until = excluded.until
  `.execute(world.db)
  const link = await world.welcomed(device.secret)
  const { body } = await world.ask('GET', `sessions/device?device=${device.id}`)
  const watcher = await watch(body.items[0].id)
  link.say(payload(1, '07'))
  await watcher.until(/event: message\n.*\n.*"state":"waiting"/)
  expect(watcher.heard()).not.toContain('event: decoding')
  await sql`update maple.device_decoder set until = now()`.execute(world.db)
  await watcher.until(/event: decoding\ndata: .*"level":7/)
  watcher.leave()
  expect(await handlers.pointsOf(device.id)).toEqual([{ key: 'level', value: 7 }])
})

test('a watcher of a waiting payload is told its outcome, even if it was decoded before they began to watch', async () => {
  const device = await handlers.deviceWith(level)
  const link = await world.welcomed(device.secret)
  const { body } = await world.ask('GET', `sessions/device?device=${device.id}`)
  link.say(payload(1, '05'))
  link.say(payload(2, '07'))
  const seen = await decoded(device.id, 2)
  const [first, last] = seen.map(({ id }) => id).toSorted((a, b) => a - b)
  const watcher = await watch(body.items[0].id, `?after=${last}&waiting=${last}`)
  await watcher.until(/event: decoding\ndata: .*"level":7/)
  watcher.leave()
  expect(watcher.heard()).not.toContain(`"id":${first},`)
})

test('a harmful handler loses nothing, and does not delay other service providers @long', async () => {
  const [bad, good] = [await handlers.provider(), await handlers.provider()]
  const harmful = await handlers.deviceWith(`function decode({ bytes }) { for (;;); }`, bad)
  const harmless = await handlers.deviceWith(level, good)
  const links = [
    await world.welcomed(harmful.secret),
    await world.welcomed(harmless.secret),
  ] as const
  for (let n = 1; n <= 8; n++) links[0].say(payload(n, '01'))
  await links[0].until('ack', ({ seq }) => seq === 8)
  const started = performance.now()
  links[1].say(payload(1, '05'))
  await decoded(harmless.id, 1)
  expect(performance.now() - started).toBeLessThan(5000)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.device_message where device_id = ${harmful.id}`.execute(
    world.db,
  )
  expect(rows[0]?.count).toBe(8)
  await vi.waitFor(
    async () => {
      const left = await sql<{ state: string; name: string | null }>`
        select state, error ->> 'name' as name from maple.device_decoding
        where device_id = ${harmful.id} group by 1, 2`.execute(world.db)
      expect(left.rows).toEqual([{ state: 'failed', name: 'fuel' }])
    },
    { timeout: 30_000, interval: 200 },
  )
})

test('payloads that waited for an ended process are decoded once @long', async () => {
  const device = await handlers.deviceWith(level)
  await sql`
    insert into maple.device_decoder (service_id, process_id, until)
    values ('', ${randomUUID()}, now() + interval '2 seconds')
    on conflict (service_id) do update set process_id = excluded.process_id, until = excluded.until
  `.execute(world.db)
  const link = await world.welcomed(device.secret)
  for (let n = 1; n <= 300; n++) link.say(payload(n, (n % 256).toString(16).padStart(2, '0')))
  await link.until('ack', ({ seq }) => seq === 300)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.device_decoding
    where device_id = ${device.id} and state = 'waiting'`.execute(world.db)
  expect(rows[0]?.count).toBe(300)
  await vi.waitFor(
    async () => expect(await handlers.reportedOf(device.id)).toEqual({ level: 44 }),
    { timeout: 20_000, interval: 100 },
  )
  expect(await handlers.pointsOf(device.id)).toHaveLength(300)
})

test('without a handler, or a published one, payloads stay unchanged', async () => {
  const plain = await world.device()
  const draft = await handlers.deviceWith(level)
  const unpublished = await handlers.create({ code: level })
  await world.ask('PUT', `products/${draft.productId}`, { handlerId: unpublished.id })
  for (const { id, secret } of [plain, draft]) {
    const link = await world.welcomed(secret)
    link.say(payload(1, '01'))
    await link.until('ack')
    expect(await handlers.messagesOf(id)).toMatchObject([
      { data: { bytes: 'AQ==' }, decoding: null },
    ])
  }
})

test('waiting payloads are not decoded if their product no longer has a handler', async () => {
  const device = await handlers.deviceWith(level)
  await sql`
    insert into maple.device_message (device_id, kind, boot, seq, data)
    values (${device.id}, 'bytes', 'b', 1, '{"bytes":"AQ=="}')`.execute(world.db)
  await world.ask('PUT', `products/${device.productId}`, { handlerId: null })
  await sql`
    insert into maple.device_decoding (message_id, device_id, service_id)
    select id, device_id, '' from maple.device_message where device_id = ${device.id}`.execute(
    world.db,
  )
  await vi.waitFor(
    async () => expect(await handlers.messagesOf(device.id)).toMatchObject([{ decoding: null }]),
    { timeout: 10_000 },
  )
})

test('decoded values are deleted with their message', async () => {
  const device = await handlers.deviceWith(level)
  const link = await world.welcomed(device.secret)
  link.say(payload(1, '01'))
  await link.until('ack')
  const [message] = await decoded(device.id, 1)
  const later = Date.now() + 40 * 86_400_000
  await tidyMessages({ db: world.db, now: () => later }, new AbortController().signal)
  const { rows } = await sql`
    select from maple.device_decoding where message_id = ${message?.id ?? 0}`.execute(world.db)
  expect(rows).toEqual([])
  expect(await handlers.messagesOf(device.id)).toEqual([])
})

const commands = `${level}
function encode({ name, data }) {
  if (name === 'blink') return { bytes: [1, data.times], port: 2 }
  if (name === 'bad') throw new TypeError('There is no such lamp')
}`

test('commands are sent as the handler encodes them, or unchanged', async () => {
  const device = await handlers.deviceWith(commands)
  const link = await world.welcomed(device.secret)
  const id = randomUUID()
  const give = (name: string, data: unknown) =>
    world.ask('POST', 'device/command', { deviceId: device.id, name, data, id })
  const made = await give('blink', { times: 3 })
  expect(made.body).toMatchObject({ data: { times: 3 }, encoded: { bytes: 'AQM=', port: 2 } })
  expect((await link.until('command')).d).toEqual({ bytes: 'AQM=', port: 2 })
  // Repeated with the same id, it is the same command.
  expect((await give('blink', { times: 3 })).status).toBe(201)
  const plain = await world.ask('POST', 'device/command', {
    deviceId: device.id,
    name: 'other',
    data: { a: 1 },
  })
  expect(plain.body.encoded).toBeNull()
  expect((await link.until('command', ({ name }) => name === 'other')).d).toEqual({ a: 1 })
})

test('a command that the handler refuses is not sent, and says why', async () => {
  const device = await handlers.deviceWith(commands)
  const { status, body } = await world.ask('POST', 'device/command', {
    deviceId: device.id,
    name: 'bad',
  })
  expect(status).toBe(400)
  expect(body.errors).toMatchObject([
    { path: 'data', code: 'encode', params: { message: 'There is no such lamp' } },
  ])
  const { rows } = await sql`
    select from maple.device_command where device_id = ${device.id}`.execute(world.db)
  expect(rows).toEqual([])
})

test.each([
  ['no base64', { d: 'A?==' }],
  ['base64 without its padding', { d: 'AQ' }],
  ['more bytes than a payload has', { d: Buffer.alloc(8193).toString('base64') }],
  ['a port that is none', { port: 65_536 }],
  ['a topic with spaces', { topic: 'a b' }],
])(
  'a payload with %s is refused by its position, and the next one is stored',
  async (_name, more) => {
    const { secret } = await world.device()
    const link = await world.welcomed(secret)
    link.say(payload(1, '01', more))
    link.say(payload(2, '01'))
    expect((await link.until('refused')).seq).toBe(1)
    await link.until('ack', ({ seq }) => seq === 2)
  },
)
