import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { deviceSocketPath, messageWindow } from '@grove/device-protocol/limits'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { storeOffers } from './gateway.queries.ts'
import { gatewayWorld, type GatewayWorld } from './testing/gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const event = (seq: number, d: unknown = { n: seq }) =>
  ({ t: 'event', boot: 'boot-1', seq, d }) as const
const connection = async (id: string) =>
  (await world.ask('GET', `device/connection?deviceId=${id}`)).body
const messagesOf = async (id: string) =>
  (await connection(id)).messages.map(({ seq }: { seq: number }) => seq)

test('a connected device is online, and offline after it left', async () => {
  const { id, secret } = await world.device()
  const { welcome, socket } = await world.welcomed(secret, { agent: 'agent 1', firmware: '2.0' })
  expect(welcome).toMatchObject({ device: id, seq: 0, held: false, window: messageWindow })
  expect(await world.stateOf(id)).toBe('online')
  expect(await connection(id)).toMatchObject({
    state: 'connected',
    agent: 'agent 1',
    firmware: '2.0',
    protocol: 'websocket',
    messages: [],
  })
  const listed = (await world.ask('GET', `device?id=${id}`)).body.items[0]
  expect(listed.lastSeenAt).not.toBeNull()
  expect(listed.revision).toBe(1)
  socket.close()
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'))
  expect(await connection(id)).toMatchObject({ state: 'away' })
})

test('messages are stored before they are acknowledged', async () => {
  const { id, secret } = await world.device()
  const { say, until } = await world.welcomed(secret)
  say({ t: 'telemetry', boot: 'boot-1', seq: 1, ts: 1_700_000_000_000, d: { temperature: 21.5 } })
  await until('ack', ({ seq }) => seq === 1)
  expect((await connection(id)).messages).toMatchObject([
    {
      kind: 'telemetry',
      boot: 'boot-1',
      seq: 1,
      sentAt: '2023-11-14T22:13:20.000000Z',
      data: { temperature: 21.5 },
    },
  ])
})

test('a device that resends after a lost answer duplicates nothing', async () => {
  const { id, secret } = await world.device()
  const first = await world.welcomed(secret)
  for (const seq of [1, 2, 3]) first.say(event(seq))
  await first.until('ack', ({ seq }) => seq === 3)
  first.socket.terminate()
  const second = await world.welcomed(secret)
  expect(second.welcome.seq).toBe(3)
  for (const seq of [2, 3, 4, 4]) second.say(event(seq))
  await second.until('ack', ({ seq }) => seq === 4)
  expect(await messagesOf(id)).toEqual([4, 3, 2, 1])
  const third = await world.welcomed(secret, { boot: 'boot-2' })
  expect(third.welcome.seq).toBe(0)
  third.say({ ...event(1), boot: 'boot-2' })
  await third.until('ack', ({ boot }) => boot === 'boot-2')
  expect(await messagesOf(id)).toEqual([1, 4, 3, 2, 1])
})

test('messages that never arrived are counted', async () => {
  const { id, secret } = await world.device()
  const { say, until } = await world.welcomed(secret)
  for (const seq of [1, 5, 6]) say(event(seq))
  await until('ack', ({ seq }) => seq === 6)
  expect((await connection(id)).lost).toBe(3)
})

test.each([1_795_690_000_000, Number.MAX_SAFE_INTEGER])(
  'a device with numbers up to %i has its page',
  async (last) => {
    const { id, secret } = await world.device()
    const { say, until } = await world.welcomed(secret)
    say(event(1))
    say({ ...event(last), ts: Date.now() })
    await until('ack', ({ seq }) => seq === last)
    const { lost, messages } = await connection(id)
    expect(lost).toBe(last - 2)
    expect(messages[0].seq).toBe(last)
  },
)

test('text that databases dislike is stored unchanged', async () => {
  const { secret, id } = await world.device()
  const { say, until } = await world.welcomed(secret)
  const data = { zero: 'a\u0000b', half: '\ud800', bracket: '{"}', ключ: '🌲' }
  say(event(1, data))
  say(event(2, null))
  await until('ack', ({ seq }) => seq === 2)
  const [, first] = (await connection(id)).messages
  expect(first.data).toEqual(JSON.parse(JSON.stringify(data)))
})

test('a quarantined device is shown, and its messages wait until people accept it', async () => {
  const { id, secret } = await world.device({ state: 'quarantined' })
  const held = await world.welcomed(secret)
  expect(held.welcome.held).toBe(true)
  held.say(event(1))
  held.say({ t: 'heartbeat' })
  expect(await connection(id)).toMatchObject({ state: 'connected', messages: [] })
  expect(await world.stateOf(id)).toBe('quarantined')
  await world.ask('PUT', `device?id=${id}`, { state: 'accepted' })
  expect(await held.until('bye')).toMatchObject({ code: 'changed' })
  await held.closed
  expect(held.heard.filter(({ t }) => t === 'ack')).toEqual([])
  const { say, until, welcome } = await world.welcomed(secret)
  expect(welcome).toMatchObject({ held: false, seq: 0 })
  say(event(1))
  await until('ack')
  expect(await world.stateOf(id)).toBe('online')
})

test.each<[string, (found: { id: string; credentialId: string }) => Promise<unknown>]>([
  [
    'its secret is revoked',
    ({ credentialId }) => world.ask('DELETE', `device/credential?id=${credentialId}`),
  ],
  ['it is retired', ({ id }) => world.ask('DELETE', `device?id=${id}`)],
])('a connected device is dropped and refused when %s', async (_, change) => {
  const found = await world.device()
  const link = await world.welcomed(found.secret)
  await change(found)
  expect(await link.until('bye')).toMatchObject({ code: 'changed' })
  await link.closed
  expect(await world.connect(found.secret).refused).toMatchObject({ status: 401 })
})

test('changes from before a device was looked up leave it connected', async () => {
  await vi.waitFor(() => expect(world.gateway().count()).toBe(0))
  const { id, secret } = await world.device({ state: 'quarantined' })
  const { body: old } = await world.ask('POST', 'device/credential', { deviceId: id })
  await world.ask('PUT', `device?id=${id}`, { state: 'accepted' })
  await world.ask('DELETE', `device/credential?id=${old.id}`)
  const link = await world.welcomed(secret)
  // One that is dropped shows that the gateway has read the notices.
  const other = await world.device()
  const dropped = await world.welcomed(other.secret)
  await world.ask('DELETE', `device/credential?id=${other.credentialId}`)
  await dropped.closed
  link.say(event(1))
  await link.until('ack')
})

/** Looks a device up, and connects it later. */
async function lookUp(secret: string) {
  const admission = await world.gateway().admit({ secret })
  if (admission === 'wrong' || !('identity' in admission)) throw new Error('It is not admitted.')
  return () => {
    const said: string[] = []
    const nothing = () => {}
    world.gateway().connect(admission.identity, {
      protocol: 'test',
      ip: '',
      send: (text) => said.push(text),
      waiting: () => 0,
      pause: nothing,
      resume: nothing,
      close: nothing,
      cut: nothing,
    })
    return said
  }
}

test('a device whose secret was revoked after it was looked up is dropped', async () => {
  const { secret, credentialId } = await world.device()
  const connectNow = await lookUp(secret)
  await world.ask('DELETE', `device/credential?id=${credentialId}`)
  const said = connectNow()
  await vi.waitFor(() => expect(said.join()).toContain('"changed"'))
})

// Two concurrent transactions: the embedded database has one.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'a device that was looked up while its secret was being revoked is dropped',
  async () => {
    const { secret, credentialId } = await world.device()
    const connectNow = await world.db.transaction().execute(async (tx) => {
      await sql`delete from maple.device_credential where id = ${credentialId}`.execute(tx)
      return lookUp(secret)
    })
    const said = connectNow()
    await vi.waitFor(() => expect(said.join()).toContain('"changed"'))
  },
)

test('the devices of a suspended service provider are dropped, and no others', async () => {
  const { db } = world
  await sql`insert into maple.service (id, name, name_key) values ('off', 'off', 'off')`.execute(db)
  const [theirs, other] = [await world.device({ serviceId: 'off' }), await world.device()]
  const link = await world.welcomed(theirs.secret)
  const unconcerned = await world.welcomed(other.secret)
  await sql`update maple.service set state = 'suspended' where id = 'off'`.execute(db)
  await link.closed
  expect(await world.connect(theirs.secret).refused).toMatchObject({ status: 401 })
  unconcerned.say(event(1))
  await unconcerned.until('ack')
})

test('a second connection of one device ends the first, and the device stays online', async () => {
  const { id, secret } = await world.device()
  const first = await world.welcomed(secret)
  const second = await world.welcomed(secret)
  expect(await first.until('bye')).toMatchObject({ code: 'replaced' })
  await first.closed
  second.say(event(1))
  await second.until('ack')
  expect(await world.stateOf(id)).toBe('online')
})

test('a device that connected elsewhere is disconnected here', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  await sql`update maple.device_presence set connection_id = gen_random_uuid() where device_id = ${id}`.execute(
    world.db,
  )
  await world.gateway().touch()
  expect(await link.until('bye')).toMatchObject({ code: 'replaced' })
})

test('heartbeats are written next to the device, on the same database page', async () => {
  const { id, secret } = await world.device()
  const { say, until } = await world.welcomed(secret)
  const rowOf = async () =>
    (
      await sql<{ text: string }>`
        select xmin::text || ctid::text as text from maple.device where id = ${id}`.execute(
        world.db,
      )
    ).rows[0]?.text
  const seen = async () => (await world.ask('GET', `device?id=${id}`)).body.items[0].lastSeenAt
  const [row, before] = [await rowOf(), await seen()]
  say({ t: 'heartbeat' })
  say(event(1))
  await until('ack')
  await world.gateway().touch()
  expect(await rowOf()).toBe(row)
  expect((await seen()) > before).toBe(true)
  // An index on a column written every minute would be written too.
  const { rows } = await sql<{ column: string }>`
    select attname as column from pg_index join pg_attribute
      on attrelid = indrelid and attnum = any(indkey)
    where indrelid = 'maple.device_presence'::regclass`.execute(world.db)
  expect(rows.map(({ column }) => column)).not.toContain('seen_at')
})

test('devices of a gateway that is gone are unknown, and then offline', async () => {
  const { db } = world
  const { id } = await world.device()
  const gone = crypto.randomUUID()
  await sql`insert into maple.gateway (id, seen_at) values (${gone}, now() - interval '50 seconds')`.execute(
    db,
  )
  await sql`
    insert into maple.device_presence
      (device_id, gateway_id, connection_id, connected_at, seen_at, protocol, ip)
    values (${id}, ${gone}, gen_random_uuid(), now(), now(), 'websocket', '')`.execute(db)
  await sql`update maple.device set state = 'online' where id = ${id}`.execute(db)
  await world.gateway().lease()
  expect(await connection(id)).toMatchObject({ state: 'unknown' })
  await sql`update maple.gateway set seen_at = now() - interval '80 seconds' where id = ${gone}`.execute(
    db,
  )
  await world.gateway().lease()
  expect(await connection(id)).toMatchObject({ state: 'away' })
  expect(await world.stateOf(id)).toBe('offline')
})

test.each([
  ['a wrong secret', 'A'.repeat(43), {}, 401],
  ['no secret', '', {}, 401],
  ['the page of somebody', undefined, { origin: 'https://elsewhere.example' }, 403],
  ['the page of ours', undefined, { origin: 'http://127.0.0.1' }, 403],
  ['another name of the server', undefined, { host: 'elsewhere.example' }, 421],
])('%s opens no connection', async (_, wrong, more, status) => {
  const { secret } = await world.device()
  expect(await world.connect(wrong ?? secret, more).refused).toMatchObject({ status })
})

test('another path opens no connection', async () => {
  const { secret } = await world.device()
  const link = world.connect(secret, {}, { path: '/api/maple/gateway/sockets' })
  expect(await link.refused).toMatchObject({ status: 404 })
})

type Link = Awaited<ReturnType<GatewayWorld['welcomed']>>
test.each<[string, (link: Link) => void]>([
  ['text that is no message', ({ say }) => say('hello')],
  ['a kind of the platform', ({ say }) => say('{"t":"ack","boot":"a","seq":1}')],
  ['bytes', ({ socket }) => socket.send(Buffer.of(1, 2, 3))],
  ['a huge message', ({ say }) => say('x'.repeat(200_000))],
  ['a hundred thousand brackets', ({ say }) => say('['.repeat(100_000))],
  ['a reply that nobody asked for', ({ say }) => say({ t: 'reply', id: 7, data: '9000' })],
  ['a second hello', ({ say }) => say({ t: 'hello', v: 1, boot: 'again' })],
  ['a boot that it did not name', ({ say }) => say({ ...event(1), boot: 'boot-9' })],
])('%s ends the connection', async (_, misbehave) => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  misbehave(link)
  await link.closed
  await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'))
  expect(await messagesOf(id)).toEqual([])
})

test('many devices at one address leave people there their connections', async () => {
  const { secret } = await world.device()
  // An address has 512 connections that did not prove who they are.
  for (let opened = 0; opened < 600; opened += 100) {
    const links = Array.from({ length: 100 }, () => world.connect(secret))
    await Promise.all(links.map(({ socket }) => once(socket, 'open')))
  }
  expect((await fetch(`http://${world.address}/healthz`)).status).toBe(200)
})

test('a burst of one address beyond its connections is answered with a time to try again @long', async () => {
  const quick = await gatewayWorld()
  // Each is still silent; together they use every slot of the address.
  const [host, port] = quick.address.split(':')
  const idle = Array.from({ length: 512 }, () => connect(Number(port), host))
  await Promise.all(idle.map((socket) => once(socket, 'connect')))
  const links = Array.from({ length: 300 }, () => quick.connect('A'.repeat(43)))
  const answers = await Promise.all(links.map(({ refused }) => refused))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  for (const { retryAfter } of answers) expect(Number(retryAfter)).toBeGreaterThan(0)
  for (const socket of idle) socket.destroy()
  await quick.close()
})

test('a refused client that keeps its side open is disconnected @long', async () => {
  const [host = '', port] = world.address.split(':')
  const socket = connect({ host, port: Number(port), allowHalfOpen: true })
  socket.write(
    `GET ${deviceSocketPath} HTTP/1.1\r\nhost: ${world.address}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /)
  const pushing = setInterval(() => socket.write('still here'), 50)
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve))
  clearInterval(pushing)
  expect(error.code).toMatch(/^(ECONNRESET|EPIPE)$/)
})

test('a frame that announces a gigabyte ends the connection before it arrives', async () => {
  const { secret } = await world.device()
  const link = await world.welcomed(secret)
  const raw = (link.socket as unknown as { _socket: { write: (bytes: Buffer) => void } })._socket
  raw.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4]))
  await link.closed
})

test('a device can speak only for itself, whatever it sends', async () => {
  const [a, b] = [await world.device(), await world.device()]
  const { say, until } = await world.welcomed(a.secret)
  say(JSON.stringify({ ...event(1), device: b.id, deviceId: b.id, id: b.id }))
  await until('ack')
  expect(await messagesOf(a.id)).toEqual([1])
  expect(await messagesOf(b.id)).toEqual([])
})

test('a session reaches an element that a connected device offers', async () => {
  const card = softwareCard({ seed: 'in a device' })
  const { cplc } = card.snapshot()
  const { id, secret } = await world.device()
  await world.ask('PUT', `device?id=${id}`, { cplc: [cplc] })
  const link = await world.welcomed(secret, { elements: [cplc] })
  let commands = 0
  link.socket.on('heard', () => {
    const asked = link.heard.filter((each) => each.t === 'exchange')
    for (const { id: exchange, data } of asked.slice(commands))
      void card
        .transmit(readHex(data))
        .then((reply) => link.say({ t: 'reply', id: exchange, data: toHex(reply) }))
    commands = asked.length
  })
  const opened = await world.ask('POST', 'sessions/se', { cplc })
  expect(opened).toMatchObject({ status: 201, body: { transport: 'device' } })
  const ran = await world.ask('POST', `sessions/se/${opened.body.id}/raw`, {
    command: '00A4040000',
  })
  expect(ran.body).toMatchObject({ state: 'done', items: [{ statusWord: '9000' }] })
  await world.ask('POST', `sessions/se/${opened.body.id}/end`)
  await link.until('end')
})

test('a command whose device disconnects is unknown, and is not resent', async () => {
  const { cplc } = softwareCard({ seed: 'going away' }).snapshot()
  const { id, secret } = await world.device()
  await world.ask('PUT', `device?id=${id}`, { cplc: [cplc] })
  const link = await world.welcomed(secret, { elements: [cplc] })
  const opened = await world.ask('POST', 'sessions/se', { cplc })
  const sent = world.ask('POST', `sessions/se/${opened.body.id}/raw`, { command: '00A4040000' })
  const first = await link.until('exchange')
  link.say({ t: 'reply', id: first.id, data: `9F7F2A${cplc}9000` })
  await link.until('exchange', ({ isFirst }) => !isFirst)
  link.socket.terminate()
  expect((await sent).body).toMatchObject({ state: 'unknown' })
  const again = await world.welcomed(secret, { elements: [cplc] })
  again.say(event(1))
  await again.until('ack')
  expect(again.heard.filter(({ t }) => t === 'exchange')).toEqual([])
})

test('an element that the device does not offer, or does not have, is unreachable', async () => {
  const [mine, other] = ['mine', 'other'].map((seed) => softwareCard({ seed }).snapshot().cplc)
  const { id, secret } = await world.device()
  await world.ask('PUT', `device?id=${id}`, { cplc: [mine] })
  await sql`insert into maple.element (cplc) values (${other})`.execute(world.db)
  await world.welcomed(secret, { elements: [other ?? ''] })
  for (const cplc of [mine, other])
    expect((await world.ask('POST', 'sessions/se', { cplc })).body).toMatchObject({
      code: 'transport_missing',
    })
})

test('an element that is inserted and removed while its device is connected is reachable in between', async () => {
  const [first, second] = ['comes', 'goes'].map((seed) => softwareCard({ seed }).snapshot().cplc)
  const elements = [first ?? '', second ?? '']
  const { id, secret } = await world.device()
  await world.ask('PUT', `device?id=${id}`, { cplc: elements })
  const { say, until, socket } = await world.welcomed(secret)
  const offered = async () => (await connection(id)).offered
  const opens = async (cplc = '') =>
    (await world.ask('POST', 'sessions/se', { cplc })).body.code ?? 'opened'
  expect(await offered()).toEqual([])
  expect(world.devices.offering.has(id)).toBe(false)

  say({ t: 'elements', elements })
  await vi.waitFor(async () => expect(await offered()).toEqual(elements))
  expect(world.devices.offering.has(id)).toBe(true)
  say({ t: 'elements', elements: [elements[1] ?? ''] })
  await vi.waitFor(async () => expect(await offered()).toEqual([second]))
  expect(await opens(first)).toBe('transport_missing')
  expect(await opens(second)).toBe('opened')
  say({ t: 'elements', elements: [] })
  await vi.waitFor(async () => expect(await offered()).toEqual([]))
  expect(world.devices.offering.has(id)).toBe(false)
  // The same connection continues.
  say(event(1))
  await until('ack')
  socket.close()
  await vi.waitFor(async () => expect(await offered()).toBeNull())
})

test('a device’s offer is from its hello, and is hidden until people have accepted it', async () => {
  const { cplc } = softwareCard({ seed: 'hello' }).snapshot()
  const { id, secret } = await world.device({ state: 'quarantined' })
  const held = await world.welcomed(secret, { elements: [cplc] })
  expect(await connection(id)).toMatchObject({ state: 'connected', offered: null })
  await world.ask('PUT', `device?id=${id}`, { state: 'accepted' })
  await held.closed
  await world.welcomed(secret, { elements: [cplc] })
  expect(await connection(id)).toMatchObject({ offered: [cplc] })
  await world.welcomed(secret)
  expect(await connection(id)).toMatchObject({ offered: [] })
})

test('the offer of a device’s earlier connection no longer counts', async () => {
  const { id } = await world.device()
  const [connectionId, earlier] = [randomUUID(), randomUUID()]
  await sql`
    insert into maple.device_presence
      (device_id, connection_id, connected_at, seen_at, protocol, ip)
    values (${id}, ${connectionId}, now(), now(), 'websocket', '192.0.2.1')`.execute(world.db)
  const stored = async () =>
    (
      await sql<{ elements: string[] }>`
        select elements from maple.device_offer where device_id = ${id}`.execute(world.db)
    ).rows[0]?.elements
  await storeOffers(world.db, [
    { deviceId: id, connectionId, elements: ['before'] },
    { deviceId: id, connectionId, elements: ['one', 'two'] },
  ])
  expect(await stored()).toEqual(['one', 'two'])
  await storeOffers(world.db, [{ deviceId: id, connectionId: earlier, elements: [] }])
  expect(await stored()).toEqual(['one', 'two'])
})

test('a device that sends no hello or stays silent is disconnected @long', async () => {
  const quick = await gatewayWorld({ limits: { helloMs: 500, silenceMs: 1000 } })
  const { secret } = await quick.device()
  const mute = quick.connect(secret)
  await once(mute.socket, 'open')
  const { code, retryIn } = await mute.until('bye')
  expect(code).toBe('silent')
  expect(retryIn).toBeLessThan(10_000)
  await mute.closed
  const link = await quick.welcomed(secret)
  expect(await link.until('bye')).toMatchObject({ code: 'silent' })
  await vi.waitFor(() => expect(quick.reasons).toEqual(['it did not say hello', 'it is silent']))
  await quick.close()
})

test('a flood slows its sender, and nobody else @long', async () => {
  const quick = await gatewayWorld({ limits: { burst: 20, perSecond: 100 } })
  const [loud, calm] = [await quick.device(), await quick.device()]
  const flood = await quick.welcomed(loud.secret)
  const other = await quick.welcomed(calm.secret)
  const count = 200
  const startedAt = performance.now()
  for (let seq = 1; seq <= count; seq++) flood.say(event(seq))
  other.say(event(1))
  await other.until('ack')
  expect(flood.heard.some((each) => each.t === 'ack' && each.seq === count)).toBe(false)
  await flood.until('ack', ({ seq }) => seq === count)
  // Nothing is lost, and it took as long as that many messages may take.
  expect(performance.now() - startedAt).toBeGreaterThan(((count - 20) / 100) * 1000 * 0.5)
  expect((await quick.ask('GET', `device/connection?deviceId=${loud.id}`)).body.lost).toBe(0)
  await quick.close()
})

// The other database has one connection.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'a device that disconnects while being stored as connected does not stay online',
  async () => {
    const { id, secret } = await world.device()
    const link = world.connect(secret)
    await once(link.socket, 'open')
    const before = world.reasons.length
    await world.db.transaction().execute(async (tx) => {
      await sql`select from maple.device where id = ${id} for update`.execute(tx)
      link.say({ t: 'hello', v: 1, boot: 'boot-1' })
      await vi.waitFor(async () => {
        const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%for update%'
      `.execute(world.db)
        expect(rows).toHaveLength(1)
      })
      link.socket.terminate()
      await vi.waitFor(() => expect(world.reasons.slice(before)).toContain('it went'))
    })
    await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'))
  },
)

test('a gateway that was busy reads waiting messages before it judges who is silent @long', async () => {
  const quick = await gatewayWorld({ limits: { helloMs: 1000 } })
  const { secret } = await quick.device()
  const link = quick.connect(secret)
  await once(link.socket, 'open')
  link.say({ t: 'hello', v: 1, boot: 'boot-1' })
  // Nothing else runs in this process meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  await link.until('welcome')
  await quick.close()
})

test('a storm is admitted slowly, and a waiting device learns for how long @long', async () => {
  const quick = await gatewayWorld({ admissionsPerSecond: 2 })
  const { secret } = await quick.device()
  const links = Array.from({ length: 10 }, () => quick.connect(secret))
  const told = await Promise.all(
    links.map((link) =>
      Promise.race([link.refused, once(link.socket, 'open').then(() => undefined)]),
    ),
  )
  const refused = told.filter((each) => each !== undefined)
  expect(refused.length).toBeGreaterThanOrEqual(7)
  for (const { status, retryAfter } of refused) {
    expect(status).toBe(503)
    expect(Number(retryAfter)).toBeGreaterThan(0)
  }
  // One after another, as places become free.
  const seconds = refused.map(({ retryAfter }) => Number(retryAfter))
  expect(Math.max(...seconds)).toBeGreaterThanOrEqual(3)
  expect(seconds.filter((each) => each === 1).length).toBeLessThanOrEqual(2)
  await quick.close()
})

test('a flood of wrong secrets and a hostile device are named in the log, in a few lines @long', async () => {
  const quick = await gatewayWorld({ logMs: 1e8 })
  const retired = await quick.device()
  await quick.ask('DELETE', `device?id=${retired.id}`)
  const hostile = await quick.device()
  const secrets = Array.from({ length: 40 }, () => randomBytes(32).toString('base64url'))
  for (const secret of [...secrets, retired.secret, retired.secret])
    expect(await quick.connect(secret).refused).toMatchObject({ status: 401 })
  for (let times = 0; times < 3; times++) {
    const link = await quick.welcomed(hostile.secret)
    link.say('{')
    await link.closed
  }
  const ip = '127.0.0.1'
  const wrong = { reason: 'Its secret is wrong or revoked.', ip }
  const closed = {
    reason: 'The device is retired, or its service provider is suspended.',
    device: retired.id,
    ip,
  }
  const dropped = { device: hostile.id, reason: 'it sent something else than a message' }
  const ofDevices = () => quick.logged.filter((fields) => 'count' in fields)
  expect(ofDevices()).toEqual([wrong, closed, dropped].map((each) => ({ ...each, count: 1 })))
  await quick.close()
  expect(ofDevices().slice(3)).toEqual([
    { ...wrong, count: 39 },
    { ...closed, count: 1 },
    { ...dropped, count: 2 },
  ])
})
