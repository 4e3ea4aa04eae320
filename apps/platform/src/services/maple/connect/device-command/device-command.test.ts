import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { commandWindow } from '@grove/device-protocol/limits'
import { processActor } from '../../../../core/actor.ts'
import { gatewayWorld, type GatewayWorld } from '../gateway/testing/gateway-world.ts'
import { maple } from '../../index.ts'
import { endOfCommand, sendCommand, tidyCommands } from './device-command.service.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const path = 'device/command'
const give = async (deviceId: string, more: object = {}) =>
  await world.ask('POST', path, { deviceId, name: 'ping', ...more })
const read = async (id: string) => (await world.ask('GET', `${path}/${id}`)).body
const answer = (seq: number, id: string, more: object = { ok: true, d: { n: seq } }) =>
  JSON.stringify({ t: 'result', boot: 'boot-1', seq, id, ...more })

test('a command reaches a connected device immediately, and its result comes back', async () => {
  const { id: deviceId, secret } = await world.device()
  const link = await world.welcomed(secret)
  const { status, body } = await give(deviceId, { data: { led: true }, hours: 1 })
  expect(status).toBe(201)
  expect(body).toMatchObject({ deviceId, name: 'ping', data: { led: true }, result: null })
  const sent = await link.until('command')
  expect(sent).toMatchObject({ id: body.id, name: 'ping', d: { led: true } })
  expect(sent.exp).toBeCloseTo(Date.parse(body.expiresAt), -1)
  expect(await read(body.id)).toMatchObject({
    state: 'sent',
    attempts: 1,
    rights: { cancel: 'transition_refused' },
  })
  link.say(answer(1, body.id))
  await link.until('ack')
  expect(await read(body.id)).toMatchObject({ state: 'succeeded', result: { n: 1 }, error: null })
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${deviceId} order by id desc limit 1`.execute(
    world.db,
  )
  expect(rows[0]?.action).toBe('command.send')
})

test('a device that refuses says why', async () => {
  const { id: deviceId, secret } = await world.device()
  const link = await world.welcomed(secret)
  const { body } = await give(deviceId)
  await link.until('command')
  link.say(answer(1, body.id, { ok: false, error: 'no\u0000 \ud800power' }))
  await link.until('ack')
  expect(await read(body.id)).toMatchObject({
    state: 'failed',
    error: 'no \ufffdpower',
    result: null,
  })
})

test('commands wait for their device, and arrive in order when it connects', async () => {
  const { id: deviceId, secret } = await world.device()
  const ids: string[] = []
  for (let n = 0; n < commandWindow + 3; n++) ids.push((await give(deviceId, { data: n })).body.id)
  const link = await world.welcomed(secret)
  await link.until('command', ({ d }) => d === commandWindow - 1)
  const heard = () => link.heard.filter((each) => each.t === 'command').map(({ id }) => id)
  expect(heard()).toEqual(ids.slice(0, commandWindow))
  // At most as many as a device remembers; each result makes room.
  link.say(answer(1, ids[0] ?? ''))
  await link.until('command', ({ d }) => d === commandWindow)
  for (const [index, id] of ids.entries()) {
    if (index === 0) continue
    await link.until('command', (each) => each.id === id)
    link.say(answer(index + 1, id))
  }
  await link.until('ack', ({ seq }) => seq === ids.length)
  expect(heard()).toEqual(ids)
  const { body } = await world.ask('GET', `${path}?deviceId=${deviceId}&state=succeeded&limit=200`)
  expect(body.items).toHaveLength(ids.length)
})

test('a command without a result is resent with the next connection, and counts once', async () => {
  const { id: deviceId, secret } = await world.device()
  const first = await world.welcomed(secret)
  const { body } = await give(deviceId)
  await first.until('command')
  first.socket.terminate()
  const second = await world.welcomed(secret)
  expect(await second.until('command')).toMatchObject({ id: body.id })
  second.say(answer(1, body.id))
  second.say(answer(2, body.id, { ok: false, error: 'again' }))
  await second.until('ack', ({ seq }) => seq === 2)
  expect(await read(body.id)).toMatchObject({ state: 'succeeded', result: { n: 1 }, attempts: 2 })
  second.socket.terminate()
  const third = await world.welcomed(secret)
  third.say(JSON.stringify({ t: 'event', boot: 'boot-1', seq: 3, d: null }))
  await third.until('ack', ({ seq }) => seq === 3)
  expect(third.heard.filter(({ t }) => t === 'command')).toEqual([])
})

test('a command whose notice was lost is found, both here and at another process', async () => {
  const [a, b] = [await world.device(), await world.device()]
  const links = [await world.welcomed(a.secret), await world.welcomed(b.secret)] as const
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_command (id, device_id, name, data, expires_at)
    values (gen_random_uuid(), ${a.id}, 'ping', 'null', now() + interval '1 hour') returning id
  `.execute(world.db)
  await world.gateway().lookAgain()
  expect(await links[0].until('command')).toMatchObject({ id: rows[0]?.id })
  expect(links[1].heard.filter(({ t }) => t === 'command')).toEqual([])
})

test('a held device gets nothing until people accept it', async () => {
  const { id: deviceId, secret } = await world.device({ state: 'quarantined' })
  const held = await world.welcomed(secret)
  const { body } = await give(deviceId)
  await world.gateway().lookAgain()
  held.say({ t: 'heartbeat' })
  await world.ask('PUT', `device?id=${deviceId}`, { state: 'accepted' })
  await held.closed
  expect(held.heard.filter(({ t }) => t === 'command')).toEqual([])
  const link = await world.welcomed(secret)
  expect(await link.until('command')).toMatchObject({ id: body.id })
})

test('an expired command is not sent, and a result that comes later is kept next to the expiry', async () => {
  const { id: deviceId, secret } = await world.device()
  const link = await world.welcomed(secret)
  const late = (await give(deviceId)).body
  await link.until('command')
  const expire = (id: string) =>
    sql`update maple.device_command set expires_at = now() - interval '1 second' where id = ${id}`.execute(
      world.db,
    )
  await expire(late.id)
  expect(await read(late.id)).toMatchObject({ state: 'expired' })
  link.say(answer(1, late.id))
  await link.until('ack')
  expect(await read(late.id)).toMatchObject({ state: 'expired', result: { n: 1 } })
  link.socket.terminate()
  await vi.waitFor(async () => expect(await world.stateOf(deviceId)).toBe('offline'))
  const never = (await give(deviceId)).body
  await expire(never.id)
  const context = await maple.open(world.server.platform)
  await tidyCommands(context, new AbortController().signal)
  const { rows } = await sql<{ state: string; finished_at: string }>`
    select state, finished_at from maple.device_command where id = ${never.id}`.execute(world.db)
  expect(rows[0]).toMatchObject({ state: 'expired', finished_at: expect.any(String) })
  const again = await world.welcomed(secret)
  again.say(JSON.stringify({ t: 'event', boot: 'boot-1', seq: 2, d: null }))
  await again.until('ack', ({ seq }) => seq === 2)
  expect(again.heard.filter(({ t }) => t === 'command')).toEqual([])
})

test('an unsent command can be cancelled, a sent one cannot', async () => {
  const { id: deviceId, secret } = await world.device()
  const first = (await give(deviceId)).body
  expect(await world.ask('POST', `${path}/${first.id}/cancel`)).toMatchObject({
    status: 200,
    body: { state: 'cancelled' },
  })
  const second = (await give(deviceId)).body
  const link = await world.welcomed(secret)
  expect(await link.until('command')).toMatchObject({ id: second.id })
  expect(await world.ask('POST', `${path}/${second.id}/cancel`)).toMatchObject({
    status: 409,
    body: { code: 'transition_refused' },
  })
  expect(link.heard.filter(({ t }) => t === 'command')).toHaveLength(1)
})

test('the same id means the same command, but only for its owner', async () => {
  const [a, b] = [await world.device(), await world.device()]
  const id = randomUUID()
  const first = await give(a.id, { id, data: [1] })
  expect((await give(a.id, { id, data: [1] })).body).toEqual(first.body)
  for (const other of [give(a.id, { id, data: [2] }), give(b.id, { id, data: [1] })])
    expect(await other).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  // Nor can another device answer it.
  const link = await world.welcomed(b.secret)
  link.say(answer(1, id))
  link.say(answer(2, 'something-else'))
  await link.until('ack', ({ seq }) => seq === 2)
  expect(await read(id)).toMatchObject({ state: 'queued', result: null })
})

test('commands that are too long, too deep or for a retired device are refused', async () => {
  const { id } = await world.device()
  let deep: unknown = 1
  for (let n = 0; n < 20; n++) deep = [deep]
  expect(await give(id, { data: deep })).toMatchObject({ status: 400 })
  expect(await give(id, { data: 'x'.repeat(32_768) })).toMatchObject({ status: 400 })
  expect(await give('nobody')).toMatchObject({ status: 404 })
  await world.ask('DELETE', `device?id=${id}`)
  expect(await give(id)).toMatchObject({ status: 409, body: { code: 'transition_refused' } })
})

async function member(roles: string[]) {
  const [id, service] = [randomUUID(), `s-${randomUUID()}`]
  await sql`insert into maple.service (id, name, name_key) values (${service}, ${service}, ${service})`.execute(
    world.db,
  )
  await sql`insert into maple.account (id, roles, service_id) values (${id}, ${sql.val(roles)}, ${service})`.execute(
    world.db,
  )
  return { service, as: await world.server.bearer(['DEVELOPER'], id) }
}

test('commands, states, telemetry and sessions of another service provider do not exist', async () => {
  const [a, b] = [await member(['admin']), await member(['admin'])]
  const { id: deviceId, secret } = await world.device({ as: a.as, serviceId: a.service })
  const link = await world.welcomed(secret)
  const ofA = (await world.ask('POST', path, { deviceId, name: 'ping' }, a.as)).body
  await link.until('command')
  link.say({ t: 'telemetry', boot: 'boot-1', seq: 1, d: { temperature: 1 } })
  await link.until('ack')
  const session = (await world.ask('GET', `sessions/device?device=${deviceId}`, undefined, a.as))
    .body.items[0]
  const range = `deviceId=${deviceId}&from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z`
  const calls: ['GET' | 'POST' | 'PUT', string, object?][] = [
    ['GET', `${path}?deviceId=${deviceId}`],
    ['POST', path, { deviceId, name: 'ping' }],
    ['GET', `${path}/${ofA.id}`],
    ['POST', `${path}/${ofA.id}/cancel`],
    ['GET', `device/twin?deviceId=${deviceId}`],
    ['PUT', `device/twin?deviceId=${deviceId}`, { desired: { a: 1 } }],
    ['GET', `device/telemetry/key?${range}`],
    ['GET', `device/telemetry?${range}&key=temperature`],
    ['GET', `device/telemetry/export?${range}`],
    ['GET', `sessions/device/${session.id}`],
    ['GET', `sessions/device/${session.id}/message`],
    ['GET', `sessions/device/${session.id}/stream`],
    ['GET', `sessions/device/${session.id}/export?format=json`],
  ]
  for (const [method, url, body] of calls)
    expect([url, (await world.ask(method, url, body, b.as)).status]).toEqual([url, 404])
  expect((await world.ask('GET', 'sessions/device', undefined, b.as)).body.items).toEqual([])
  expect((await world.ask('GET', `${path}/${ofA.id}`, undefined, a.as)).status).toBe(200)
  // Nor does the id of a command reveal that it exists.
  const taken = await world.device({ as: b.as, serviceId: b.service })
  expect(
    await world.ask('POST', path, { deviceId: taken.id, name: 'ping', id: ofA.id }, b.as),
  ).toMatchObject({ status: 409, body: { detail: 'Another command has this id.' } })
})

test('a command does not follow its device to another service provider', async () => {
  const [a, b] = [await member(['admin']), await member(['admin'])]
  const { id: deviceId, secret } = await world.device({ as: a.as, serviceId: a.service })
  const { body } = await world.ask('POST', path, { deviceId, name: 'ping' }, a.as)
  await world.ask('PUT', `device?id=${deviceId}`, { serviceId: b.service })
  // It would end the first connection, which was admitted before the gateway saw it.
  await sql`delete from maple.device_notice where device_id = ${deviceId}`.execute(world.db)
  const link = await world.welcomed(secret)
  const next = (await world.ask('POST', path, { deviceId, name: 'ping' }, b.as)).body
  expect(await link.until('command')).toMatchObject({ id: next.id })
  expect(link.heard.filter((each) => each.t === 'command' && each.id === body.id)).toEqual([])
  const listed = await world.ask('GET', `${path}?deviceId=${deviceId}`, undefined, b.as)
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([next.id])
})

test('a viewer can read commands but not send any', async () => {
  const { as } = await member(['viewer'])
  const owner = await member(['admin'])
  const { id } = await world.device({ as: owner.as, serviceId: owner.service })
  expect((await world.ask('POST', path, { deviceId: id, name: 'ping' }, as)).status).toBe(403)
  expect((await world.ask('GET', `${path}?deviceId=${id}`, undefined, as)).status).toBe(404)
})

test('a program sends a command and waits for its end', async () => {
  const { id: deviceId, secret } = await world.device()
  const link = await world.welcomed(secret)
  const context = await maple.open(world.server.platform)
  const actor = { ...processActor('test'), roles: ['ADMIN'] }
  const { id } = await sendCommand(context, actor, { deviceId, name: 'ping' })
  const end = endOfCommand(context, actor, { id, signal: AbortSignal.timeout(20_000) })
  await link.until('command')
  link.say(answer(1, id))
  expect(await end).toMatchObject({ state: 'succeeded', result: { n: 1 } })
})
