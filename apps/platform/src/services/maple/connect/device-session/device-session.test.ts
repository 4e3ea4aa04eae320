import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { deviceSessionStates } from '@grove/contract/maple/connect/device-session.rules'
import {
  explaining,
  readsOf,
  rowsRead,
  type Plan,
} from '../../../../core/testing/explained-plans.ts'
import { scopeOfService } from '../../../../core/scope.ts'
import { gatewayWorld, type GatewayWorld } from '../gateway/testing/gateway-world.ts'
import { maple } from '../../index.ts'
import { streamDeviceSession } from './device-session-stream.ts'
import { deviceSessionList } from './device-session.queries.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const sessionsOf = async (id: string) =>
  (await world.ask('GET', `sessions/device?device=${id}`)).body.items
const event = (seq: number) => ({ t: 'event', boot: 'boot-1', seq, d: { n: seq } }) as const
const ended = (id: string) =>
  vi.waitFor(async () => {
    const [newest] = await sessionsOf(id)
    expect(newest.endedAt).not.toBeNull()
    return newest
  })

test('each connection is a session, with who, from where, how much and why it ended', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret, { agent: 'agent 1', firmware: '2.0' })
  for (const seq of [1, 2, 3]) link.say(event(seq))
  await link.until('ack', ({ seq }) => seq === 3)
  await world.gateway().touch()
  expect(await sessionsOf(id)).toMatchObject([
    {
      deviceId: id,
      deviceName: id,
      state: 'active',
      endReason: null,
      endedAt: null,
      protocol: 'websocket',
      ip: '127.0.0.1',
      boot: 'boot-1',
      agent: 'agent 1',
      firmware: '2.0',
      messages: 3,
      seenAt: expect.any(String),
    },
  ])
  link.socket.close()
  expect(await ended(id)).toMatchObject({ state: 'closed', endReason: 'left', messages: 3 })
  const again = await world.welcomed(secret)
  again.say('nonsense')
  await again.closed
  expect(await ended(id)).toMatchObject({ state: 'failed', endReason: 'protocol', messages: 0 })
  expect(await sessionsOf(id)).toHaveLength(2)
})

test('a session replaced by another connection keeps its own messages', async () => {
  const { id, secret } = await world.device()
  const first = await world.welcomed(secret)
  first.say(event(1))
  first.say(event(2))
  await first.until('ack', ({ seq }) => seq === 2)
  const second = await world.welcomed(secret)
  second.say(event(3))
  await second.until('ack', ({ seq }) => seq === 3)
  await vi.waitFor(async () =>
    expect(await sessionsOf(id)).toMatchObject([
      { state: 'active' },
      { state: 'closed', endReason: 'replaced', messages: 2 },
    ]),
  )
  const [newer, older] = await sessionsOf(id)
  const seqs = async (session: { id: string }, query = '') =>
    (await world.ask('GET', `sessions/device/${session.id}/message${query}`)).body.items.map(
      ({ seq }: { seq: number }) => seq,
    )
  expect([await seqs(older), await seqs(newer)]).toEqual([[1, 2], [3]])
  expect(await seqs(older, '?order=desc&limit=1')).toEqual([2])
  expect(await seqs(older, '?kind=telemetry')).toEqual([])
  expect(await seqs(older, '?kind=event')).toEqual([1, 2])
})

test('sessions of a gateway that is gone have expired', async () => {
  const { db } = world
  const { id, secret } = await world.device()
  await world.welcomed(secret)
  const gone = randomUUID()
  await sql`insert into maple.gateway (id, seen_at) values (${gone}, now() - interval '80 seconds')`.execute(
    db,
  )
  await sql`update maple.device_presence set gateway_id = ${gone}, messages = 7 where device_id = ${id}`.execute(
    db,
  )
  await world.gateway().lease()
  expect(await sessionsOf(id)).toMatchObject([{ state: 'expired', endReason: 'lost', messages: 7 }])
})

test('a watcher sees messages, commands, the twin and the end, from any message on', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  const [session] = await sessionsOf(id)
  const context = await maple.open(world.server.platform)
  const origin = { requestId: '', ip: '', userAgent: '' }
  const watch = async (after: number) => {
    const gone = new AbortController()
    const actor = { id: 'watcher', roles: ['ADMIN'], sessionId: undefined, origin }
    const input = { id: session.id, after, until: Infinity, signal: gone.signal }
    const stream = await streamDeviceSession(context, actor, input)
    const heard = { text: '' }
    const done = (async () => {
      for await (const chunk of stream) heard.text += String(chunk)
    })()
    return { heard, done }
  }
  const { heard, done } = await watch(0)
  link.say(event(1))
  await vi.waitFor(() => expect(heard.text).toContain('"n":1'))
  const { body: command } = await world.ask('POST', 'device/command', {
    deviceId: id,
    name: 'ping',
  })
  await link.until('command')
  await vi.waitFor(() => expect(heard.text).toContain('"state":"sent"'))
  link.say({ t: 'result', boot: 'boot-1', seq: 2, id: command.id, ok: true })
  await vi.waitFor(() => expect(heard.text).toContain('"state":"succeeded"'))
  await world.ask('PUT', `device/twin?deviceId=${id}`, { desired: { interval: 9 } })
  await vi.waitFor(() => expect(heard.text).toContain('"desired":{"interval":9}'))
  link.socket.close()
  await done
  expect(heard.text).toContain('event: end')
  const ids = [...heard.text.matchAll(/^id: (\d+)$/gm)].map(([, found]) => Number(found))
  // Its messages, the command, its result, and the desired state.
  expect(ids).toHaveLength(4)
  const later = await watch(ids[0] ?? 0)
  await later.done
  expect(later.heard.text).not.toContain('"n":1')
  expect(later.heard.text).toContain(`id: ${ids[1]}`)
})

test('the log of a session contains everything sent to the device, each time it was sent', async () => {
  const { id, secret } = await world.device()
  await world.ask('PUT', `device/twin?deviceId=${id}`, { desired: { interval: 5 } })
  const first = await world.welcomed(secret)
  await first.until('desired')
  first.say(event(1))
  await first.until('ack', ({ seq }) => seq === 1)
  const { body: command } = await world.ask('POST', 'device/command', {
    deviceId: id,
    name: 'echo',
    data: { led: true },
  })
  await first.until('command')
  const second = await world.welcomed(secret)
  await second.until('command')
  await second.until('desired')
  await vi.waitFor(async () => expect(await sessionsOf(id)).toHaveLength(2))
  const [newer, older] = await sessionsOf(id)
  const logOf = async (session: { id: string }, query = '') =>
    (await world.ask('GET', `sessions/device/${session.id}/message${query}`)).body.items
  const desired = { kind: 'desired', boot: '', seq: 0, data: { version: 1, d: { interval: 5 } } }
  const sent = { kind: 'command', data: { id: command.id, name: 'echo', d: { led: true } } }
  expect(await logOf(older)).toMatchObject([desired, { kind: 'event', seq: 1 }, sent])
  expect(await logOf(newer)).toMatchObject([sent, desired])
  expect(await logOf(older, '?kind=command')).toMatchObject([sent])
  const { body } = await world.server.app.inject({
    url: `/api/maple/sessions/device/${older.id}/export?format=text`,
    headers: world.headers,
  })
  expect(body).toContain('to the device: desired {"version":1,"d":{"interval":5}}')
  // The page of the device shows its messages, and its count includes only those.
  const connection = (await world.ask('GET', `device/connection?deviceId=${id}`)).body
  expect(connection.messages).toMatchObject([{ kind: 'event' }])
  // The number of a session that ended is stored when its socket has closed.
  await vi.waitFor(async () => {
    await world.gateway().touch()
    expect(await sessionsOf(id)).toMatchObject([{ messages: 0 }, { messages: 1 }])
  })
})

test('two devices with one secret are noticed, one that keeps reconnecting is not', async () => {
  const rivalsOf = async (id: string) =>
    (await world.ask('GET', `device/connection?deviceId=${id}`)).body.rivals
  const alone = await world.device()
  for (const boot of ['a', 'a', 'b', 'b', 'c', 'd']) await world.welcomed(alone.secret, { boot })
  expect(await rivalsOf(alone.id)).toBeNull()
  const shared = await world.device()
  for (const boot of ['a', 'b', 'a', 'b']) await world.welcomed(shared.secret, { boot })
  expect(await rivalsOf(shared.id)).toEqual({ times: 3, ips: ['127.0.0.1'] })
})

test('a session is exported as text and as JSON', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  link.say(event(1))
  await link.until('ack')
  const [session] = await sessionsOf(id)
  const file = async (format: string) =>
    await world.server.app.inject({
      url: `/api/maple/sessions/device/${session.id}/export?format=${format}`,
      headers: world.headers,
    })
  expect((await file('text')).body).toContain('boot-1#1 event {"n":1}')
  expect((await file('json')).json()).toMatchObject({
    session: { id: session.id },
    messages: [{ seq: 1, data: { n: 1 } }],
  })
})

test('every filter of sessions reads a range of an index, however many there are @long', async () => {
  const { db } = world
  const services = ['acme', 'rare']
  for (const service of services)
    await sql`insert into maple.service (id, name, name_key) values (${service}, ${service}, ${service})`.execute(
      db,
    )
  await sql`
    insert into maple.device (id, name, name_key, type, state, service_id)
    select 'LOG-' || n, n, n, 'iot', 'offline', case when n % 3 = 0 then 'acme' end
    from generate_series(0, 999) as n`.execute(db)
  await sql`
    insert into maple.device_session (id, device_id, service_id, state, end_reason, gateway_id,
      protocol, ip, boot, opened_at, ended_at, first_message, last_message)
    select gen_random_uuid(), 'LOG-' || n % 1000, case when n % 3 = 0 then 'acme' end,
      case when n % 1000 = 0 then 'failed' when n % 1000 = 1 then 'expired' else 'closed' end,
      'left', gen_random_uuid(), 'websocket', '', 'b',
      '2026-01-01'::date + n * interval '1 minute', now(), 0, 0
    from generate_series(1, 40000) as n`.execute(db)
  await sql`vacuum (analyze) maple.device_session`.execute(db)
  const filters = [
    {},
    ...deviceSessionStates.map((state) => ({ state })),
    { device: 'LOG-6' },
    { device: 'LOG-6', state: 'failed' as const },
    { from: '2026-01-20T00:00:00Z', to: '2026-01-21T00:00:00Z' },
  ]
  for (const query of filters)
    for (const scope of [null, 'acme', 'rare'])
      for (const order of ['asc', 'desc'] as const) {
        const plans: Plan[] = []
        const explained = db.withPlugin(explaining('maple.device_session as session', plans))
        await deviceSessionList.read(explained, { ...query, order }, scopeOfService(scope))
        const reads = readsOf(plans, 'device_session')
        expect(reads.length).toBeGreaterThan(0)
        for (const node of reads) {
          expect([query, scope, node['Node Type']]).toEqual([
            query,
            scope,
            expect.stringMatching(/^(Index|Bitmap Heap)/),
          ])
          expect([query, scope, rowsRead(node) <= 1500]).toEqual([query, scope, true])
        }
      }
}, 60_000)
