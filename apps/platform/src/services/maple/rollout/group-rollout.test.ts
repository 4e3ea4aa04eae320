import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { everything } from '../../../core/scope.ts'
import { createAppletClient } from '../card/applet/testing/applet-client.ts'
import { startSessionServer, type SessionServer } from '../card/session/testing/session-server.ts'
import { joinLate, prepare } from './find-devices.ts'
import { findRollout } from './rollout.queries.ts'
import { createRolloutClient, planWith, type RolloutClient } from './testing/rollout-client.ts'

let server: SessionServer
let rollouts: RolloutClient
let program: { kind: 'applet'; id: string; input: { action: string } }
beforeAll(async () => {
  server = await startSessionServer()
  rollouts = createRolloutClient(server, server.admin)
  const { id } = await createAppletClient(server, server.admin).uploaded()
  program = { kind: 'applet', id, input: { action: 'install' } }
})
afterAll(() => server.close())

async function ask(method: 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) {
  const answer = await server.app.inject({
    method,
    url: `/api/maple/group${path}`,
    headers: server.admin,
    ...(payload && { payload }),
  })
  const body = answer.body === '' ? null : answer.json<DeviceGroup & { code: string }>()
  return { status: answer.statusCode, body }
}

let made = 0
async function makeGroup(values: object = {}): Promise<string> {
  const { status, body } = await ask('POST', '', { name: `Group ${++made}`, ...values })
  expect([status, body]).toEqual([201, body])
  return body?.id ?? ''
}
const remove = (id: string) => ask('DELETE', `?id=${id}`)

async function makeDevices(size: number): Promise<string[]> {
  const ids: string[] = []
  for (let count = 0; count < size; count++) {
    const { rows } = await sql<{ id: string }>`
      select device_id as id from maple.element where cplc = ${await server.card()}`.execute(
      server.db,
    )
    ids.push(rows[0]?.id ?? '')
  }
  return ids
}

const draft = (groupId: string, more: object = {}) => ({
  name: 'To a group',
  program,
  targets: { filter: { groupId }, ...more },
  plan: planWith(),
})
const devicesOf = async ({ id }: Rollout) =>
  (await rollouts.executions(id)).map(({ deviceId }) => deviceId).toSorted()

test('a rollout takes the devices that a list and a rule contain when it starts', async () => {
  const [first = '', second = '', third = ''] = await makeDevices(3)
  const list = await makeGroup()
  await ask('POST', `/${list}/devices`, { add: [first, second] })
  const { id } = await rollouts.create(draft(list))
  await ask('POST', `/${list}/devices`, { add: [third], remove: [first] })
  await rollouts.control(id, 'start')
  expect(await devicesOf(await rollouts.until(id, 'finished'))).toEqual([second, third].toSorted())
  // What leaves it afterwards stays in the rollout.
  await ask('POST', `/${list}/devices`, { remove: [second] })
  expect((await rollouts.executions(id)).length).toBe(2)

  const tag = 'by-rule'
  await sql`update maple.device set tags = array[${tag}] where id = any(${[first, third]})`.execute(
    server.db,
  )
  const rule = await makeGroup({ rule: { tag } })
  const started = await rollouts.started(draft(rule))
  expect(await devicesOf(await rollouts.until(started.id, 'finished'))).toEqual(
    [first, third].toSorted(),
  )
})

test('devices that join the group later join the last group of a rollout that waits for them', async () => {
  const [early = '', late = ''] = await makeDevices(2)
  const list = await makeGroup()
  await ask('POST', `/${list}/devices`, { add: [early] })
  const joinUntil = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = await rollouts.started(draft(list, { joinUntil }))
  await vi.waitFor(async () => expect((await rollouts.read(id)).groups[0]?.succeeded).toBe(1), {
    timeout: 30_000,
    interval: 50,
  })
  await ask('POST', `/${list}/devices`, { add: [late] })
  await sql`update maple.rollout set joined_at = null where id = ${id}`.execute(server.db)
  const stored = (await findRollout(server.context.db, id, everything)) ?? expect.fail('no rollout')
  await joinLate(server.context, stored, new AbortController().signal)
  expect((await rollouts.executions(id)).length).toBe(2)
  await rollouts.control(id, 'stop')
})

test('a group cannot be deleted while a rollout takes its devices from it', async () => {
  const [device = ''] = await makeDevices(1)
  const list = await makeGroup()
  await ask('POST', `/${list}/devices`, { add: [device] })
  const { id } = await rollouts.create(draft(list))
  expect(await remove(list)).toMatchObject({ status: 409, body: { code: 'group_in_use' } })
  await rollouts.control(id, 'start')
  await rollouts.until(id, 'finished')
  expect((await remove(list)).status).toBe(204)
  expect((await rollouts.read(id)).targets.filter).toEqual({ groupId: list })
  const refused = await rollouts.send('POST', '', draft(list))
  expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'targets.filter.groupId'])
})

test('of a rollout being created and its group being deleted at once, one is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const list = await makeGroup()
    const [created, removed] = await Promise.all([
      rollouts.send<Rollout>('POST', '', draft(list)),
      remove(list),
    ])
    expect([
      [201, 409],
      [400, 204],
    ]).toContainEqual([created.status, removed.status])
    if (created.status !== 201) continue
    const [started, again] = await Promise.all([
      rollouts.send('POST', `/${created.body.id}/start`),
      remove(list),
    ])
    // It has no devices, so that it can be over before the group is asked for.
    expect([started.status, [204, 409].includes(again.status)]).toEqual([200, true])
    await rollouts.until(created.body.id, 'finished')
  }
})

test('a rule cannot change while a rollout finds its devices by it', async () => {
  const rule = await makeGroup({ rule: { tag: 'nowhere' } })
  const { id } = await rollouts.create(draft(rule))
  const change = () => ask('PUT', `?id=${rule}`, { rule: { tag: 'elsewhere' } })
  await sql`update maple.rollout set state = 'running', started_at = now() where id = ${id}`.execute(
    server.db,
  )
  expect(await change()).toMatchObject({ status: 409, body: { code: 'group_in_use' } })
  expect((await ask('PUT', `?id=${rule}`, { name: 'Renamed' })).status).toBe(200)
  await prepare(server.context, id, new AbortController().signal)
  expect(await change()).toMatchObject({ status: 200, body: { rule: { tag: 'elsewhere' } } })
})
