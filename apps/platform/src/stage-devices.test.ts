import { sql } from 'kysely'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import type { BulkAction } from '@grove/contract/maple/fleet/device-bulk.rules'
import { stageHeader } from '@grove/contract/stage.rules'
import { resourceClient } from './core/testing/resource-client.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

// A MapleDeveloper has the same list of devices as administrators, limited to their working provider.
let server: TestServer
let admin: { authorization: string }
let tides: Developer
let dunes: Developer
type Developer = Awaited<ReturnType<typeof developer>>

beforeAll(async () => {
  server = await startTestServer([cedar, maple], { jobs: { pollMs: 50, hasRecurring: false } })
  admin = await server.bearer(['ADMIN'])
  tides = await developer('Tides')
  dunes = await developer('Dunes')
  for (const { devices, name } of [tides, dunes]) {
    await devices.create({ id: `${name}-1`, name: 'Gate', type: 'iot', state: 'quarantined' })
    await devices.create({ id: `${name}-2`, name: 'Door', type: 'iot', state: 'quarantined' })
    await devices.create({ id: `${name}-3`, name: 'Wall', type: 'iot', tags: ['north'] })
  }
})
afterAll(() => server.close())

async function developer(name: string) {
  const ownerId = randomUUID()
  const owner = await server.bearer(['DEVELOPER'], ownerId)
  // Cedar knows anyone who has sent a token.
  await server.app.inject({ url: '/api/provider', headers: owner })
  const providers = resourceClient<AdminProvider>(server, '/api/cedar/provider', admin)
  const { id } = await providers.create({ name, ownerId })
  const mobyApiKey = `grove_api_${randomBytes(32).toString('base64url')}`
  await server.app.inject({
    method: 'PUT',
    url: `/api/admin/provider/${id}`,
    headers: admin,
    payload: { mobyApiKey },
  })
  const headers = { ...owner, [stageHeader]: id }
  const client = <Item extends { id: string }>(path: `/api/${string}`) =>
    resourceClient<Item>(server, path, headers)
  return {
    id,
    name,
    owner,
    ids: [1, 2, 3].map((at) => `${name}-${at}`),
    devices: client<Device>('/api/maple/device'),
    bulks: client<DeviceBulk>('/api/maple/device/bulk'),
    views: client('/api/maple/device/view'),
    groups: client('/api/maple/group'),
    count: async (query: Record<string, string>) =>
      (await client('/api/maple/device/bulk/count').send('GET', query)).json<{ count: number }>()
        .count,
    labels: async (query: Record<string, string>) =>
      (await client('/api/maple/device/label').send('GET', query)).json<{ items: string[] }>()
        .items,
    exported: async (filter: object = {}) => {
      const answer = await client('/api/maple/device/export').send(
        'POST',
        {},
        {
          ...filter,
          format: 'jsonl',
        },
      )
      const { body } = await server.app.inject(answer.json<{ address: string }>().address)
      return body
        .trim()
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Device).id]))
        .toSorted()
    },
  }
}

/** The IDs of everything that the other provider has, in every filter that names it. */
const naming = ({ id, ids: [first = ''] }: Developer): Record<string, string>[] => [
  { id: first },
  { serviceId: id },
  { q: first },
  { q: 'Gate', serviceId: id },
]

const stateOf = async (id: string) =>
  (await resourceClient<Device>(server, '/api/maple/device', admin).list({ id })).items[0]

async function finished({ bulks }: Developer, id: string): Promise<DeviceBulk> {
  return vi.waitFor(
    async () => {
      const bulk = (await bulks.list()).items.find((each) => each.id === id)
      if (bulk?.state !== 'completed') throw new Error(`It is ${bulk?.state}.`)
      return bulk
    },
    { timeout: 20_000, interval: 50 },
  )
}

test('the list, the counts, the labels and the files contain only the provider’s devices', async () => {
  expect((await tides.devices.list({ sort: 'id' })).ids).toEqual(tides.ids)
  expect(await tides.exported()).toEqual(tides.ids)
  expect(await tides.labels({ kind: 'tag' })).toEqual(['north'])
  expect(await tides.count({})).toBe(3)
  expect(await tides.count({ state: 'quarantined' })).toBe(2)
  for (const filter of naming(dunes)) {
    expect([filter, (await tides.devices.list(filter)).ids]).toEqual([filter, []])
    expect([filter, await tides.count(filter)]).toEqual([filter, 0])
    expect([filter, await tides.exported(filter)]).toEqual([filter, []])
  }
})

test('a small count of devices in a state is exact', async () => {
  const counted = async (query: Record<string, string>) =>
    (await tides.devices.send('GET', { ...query, count: 'true' })).json<{ count: object }>().count
  expect(await counted({ state: 'quarantined' })).toEqual({ value: 2, isCapped: false })
  expect(await counted({ state: 'pending' })).toEqual({ value: 1, isCapped: false })
  expect(await counted({ state: 'pending', tag: 'north' })).toEqual({ value: 1, isCapped: false })
})

test('a device of another provider cannot be changed', async () => {
  const before = await stateOf('Dunes-1')
  const at = { id: 'Dunes-1' }
  const missing = [404, 'not_found']
  expect(await tides.devices.refusal('PUT', at, { state: 'accepted' })).toEqual(missing)
  expect(await tides.devices.refusal('DELETE', at)).toEqual(missing)
  const group = await tides.groups.create({ name: 'Mine' })
  const add = resourceClient(server, `/api/maple/group/${group.id}/devices`, {
    ...admin,
    [stageHeader]: tides.id,
  })
  expect(await add.refusal('POST', {}, { add: ['Dunes-1'] })).toEqual([
    400,
    'invalid_request',
    'add.0',
  ])
  expect((await dunes.groups.list()).items).toEqual([])
  expect((await dunes.devices.list({ groupId: group.id })).ids).toEqual([])
  expect(await stateOf('Dunes-1')).toEqual(before)
})

test('a developer reverts their own change, and learns nothing about others', async () => {
  const made = await tides.bulks.create({ filter: {}, action: 'addTag', tag: 'oops' })
  await finished(tides, made.id)
  const at = (id: string, of: { authorization: string }, stage: string, method: 'GET' | 'POST') =>
    server.app.inject({
      method,
      url: `/api/maple/device/bulk/${id}/revert`,
      headers: { ...of, [stageHeader]: stage },
      ...(method === 'POST' && { payload: { overwrites: false } }),
    })
  // Someone else's change, even an administrator's of the same devices, is not listed.
  const all = await resourceClient<DeviceBulk>(server, '/api/maple/device/bulk', admin).create({
    filter: { serviceId: tides.id },
    action: 'addTag',
    tag: 'all',
  })
  for (const [id, developer] of [
    [made.id, dunes],
    [all.id, tides],
  ] as const)
    for (const method of ['GET', 'POST'] as const)
      expect([method, (await at(id, developer.owner, developer.id, method)).statusCode]).toEqual([
        method,
        404,
      ])
  expect((await tides.bulks.list()).items.map(({ id }) => id)).not.toContain(all.id)
  // The administrator's revert of it stays with the provider, who sees it.
  const reverted = await server.app.inject({
    method: 'POST',
    url: `/api/maple/device/bulk/${made.id}/revert`,
    headers: admin,
    payload: { overwrites: false },
  })
  const back = await finished(tides, reverted.json<DeviceBulk>().id)
  expect(back).toMatchObject({ total: 3, changed: 3, revertsBulkId: made.id })
  expect(await tides.count({ tag: 'oops' })).toBe(0)
  expect((await dunes.bulks.list()).items).toEqual([])
})

test('a view belongs to the person who saved it', async () => {
  await tides.views.create({ name: 'Waiting', search: 'state=quarantined' })
  const listed = async ({ views }: Developer) =>
    (await views.send('GET')).json<{ items: object[] }>().items
  expect(await listed(tides)).toMatchObject([{ name: 'Waiting' }])
  expect(await listed(dunes)).toEqual([])
})

test('a change of all matching devices reaches none of another provider @long', async () => {
  const theirs = await Promise.all(dunes.ids.map(stateOf))
  const actions: { action: BulkAction; tag?: string }[] = [
    { action: 'addTag', tag: 'mine' },
    { action: 'accept' },
    { action: 'retire' },
  ]
  for (const change of actions)
    for (const filter of naming(dunes)) {
      const { id } = await tides.bulks.create({ filter, ...change })
      expect([filter, await finished(tides, id)]).toMatchObject([filter, { total: 0 }])
    }
  const { id } = await tides.bulks.create({ filter: { state: 'quarantined' }, action: 'accept' })
  expect(await finished(tides, id)).toMatchObject({ total: 2, changed: 2, refused: 0 })
  expect(await tides.count({ state: 'quarantined' })).toBe(0)
  expect(await Promise.all(dunes.ids.map(stateOf))).toEqual(theirs)
  expect((await dunes.bulks.list()).items).toEqual([])
  const { rows } = await sql<{ action: string }>`
    select distinct action from maple.event where service_id = ${dunes.id} and action like 'device%'
  `.execute(server.platform.db)
  expect(rows).toEqual([{ action: 'device.create' }])
})
