import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import { groupSorting, maxGroupDevices, maxGroups } from '@grove/contract/maple/fleet/group.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
let admin: Person
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = person(await server.bearer(['ADMIN']))
})
beforeEach(async () => {
  await sql`truncate maple.service, maple.account, maple.device, maple.device_term, maple.device_group cascade`.execute(
    server.platform.db,
  )
})
afterAll(() => server.close())

type Headers = { authorization: string }
type Person = ReturnType<typeof person>

function person(headers: Headers) {
  const groups = resourceClient<DeviceGroup>(server, '/api/maple/group', headers)
  const change = async (id: string, payload: object) => {
    const url = `/api/maple/group/${id}/devices`
    const response = await server.app.inject({ method: 'POST', url, headers, payload })
    return { status: response.statusCode, body: response.json<DeviceGroup & Problem>() }
  }
  return {
    headers,
    groups,
    devices: resourceClient<Device>(server, '/api/maple/device', headers),
    change,
    add: (id: string, ...add: string[]) => change(id, { add }),
    found: async (groupId: string, more: Record<string, string> = {}) => {
      const url = `/api/maple/device?${new URLSearchParams({ groupId, count: 'true', ...more })}`
      const response = await server.app.inject({ url, headers })
      const page = response.json<{ items: Device[]; count: object; sorts: string[] }>()
      return { ...page, ids: page.items.map(({ id }) => id) }
    },
  }
}

interface Problem {
  code: string
  errors?: { path: string; code: string }[]
}

async function ofProvider(serviceId: string, role = 'provider_admin'): Promise<Person> {
  await sql`
    insert into maple.service (id, name, name_key) values (${serviceId}, ${serviceId}, ${serviceId})
    on conflict do nothing`.execute(server.platform.db)
  const id = randomUUID()
  await sql`
    insert into maple.account (id, roles, service_id)
    values (${id}, ${[role]}, ${serviceId})`.execute(server.platform.db)
  return person(await server.bearer(['DEVELOPER'], id))
}

async function makeDevices(who: Person, ...ids: string[]) {
  for (const id of ids) await who.devices.create({ id, name: id, type: 'iot' })
}

test('a group is created, changed at its revision, and deleted with its events', async () => {
  const { groups } = admin
  const group = await groups.create({
    name: ' North  gates ',
    rule: { tag: 'north', attribute: '' },
  })
  expect(group).toMatchObject({
    name: 'North gates',
    description: '',
    rule: { tag: 'north' },
    size: null,
    rights: { changeDevices: 'group_has_rule', delete: null },
  })
  const put = (body: object, revision: number) =>
    groups.send('PUT', { id: group.id }, body, { 'if-match': `"${revision}"` })
  expect((await put({ description: ' Of the hall ' }, 1)).json()).toMatchObject({
    description: 'Of the hall',
    revision: 2,
  })
  expect((await put({ name: 'Late' }, 1)).json()).toMatchObject({ code: 'edit_conflict' })
  expect((await put({ rule: { state: 'online' } }, 2)).json()).toMatchObject({
    rule: { state: 'online' },
  })
  expect((await groups.send('DELETE', { id: group.id })).statusCode).toBe(204)
  expect((await groups.list()).items).toEqual([])
  expect((await groups.eventsOf(group.id)).map(({ action }) => action)).toEqual([
    'device_group.create',
    'device_group.update',
    'device_group.update',
    'device_group.delete',
  ])
})

test('a rule that is unreadable or empty is refused at its field', async () => {
  const { groups } = admin
  const refused = (rule: object) => groups.refusal('POST', {}, { name: 'Wrong', rule })
  expect(await refused({})).toEqual([400, 'invalid_request', 'rule'])
  expect(await refused({ tag: ' ' })).toEqual([400, 'invalid_request', 'rule'])
  expect(await refused({ attribute: 'floor' })).toEqual([400, 'invalid_request', 'attribute'])
  expect(await refused({ createdOn: '2026-02-30' })).toEqual([
    400,
    'invalid_request',
    'rule.createdOn',
  ])
  for (const search of ['q', 'id', 'groupId'])
    expect((await refused({ [search]: randomUUID() })).at(-1)).toBe(`rule.${search}`)
  const list = await groups.create({ name: 'A list' })
  expect(await groups.refusal('PUT', { id: list.id }, { rule: { tag: 'north' } })).toEqual([
    400,
    'invalid_request',
    'rule',
  ])
})

test('a service provider can use a name once, in any case', async () => {
  const acme = await ofProvider('acme')
  await admin.groups.create({ name: 'Gates' })
  await acme.groups.create({ name: 'Gates' })
  const other = await acme.groups.create({ name: 'Doors' })
  const taken = [409, 'already_exists', 'name']
  expect(await acme.groups.refusal('POST', {}, { name: 'GATES' })).toEqual(taken)
  expect(await acme.groups.refusal('PUT', { id: other.id }, { name: 'gates' })).toEqual(taken)
  const both = await Promise.all(
    [1, 2].map(() => acme.groups.send('POST', {}, { name: 'At once' })),
  )
  expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409])
})

test('groups are listed in pages by name or time, and found by the beginning of a name', async () => {
  const { groups } = admin
  const names = ['Beta', 'alpha', 'Gamma', 'beta 2', 'Delta']
  const made: DeviceGroup[] = []
  for (const [at, name] of names.entries())
    made.push(await groups.create({ name, ...(at % 2 === 0 && { rule: { tag: 'north' } }) }))
  const idsOf = (...at: number[]) => at.map((each) => made[each]?.id)
  expect(await groups.walk({ limit: '2' })).toEqual(idsOf(1, 0, 3, 4, 2))
  expect(await groups.walk({ limit: '2', sort: 'createdAt', order: 'desc' })).toEqual(
    idsOf(4, 3, 2, 1, 0),
  )
  expect((await groups.list({ q: 'BETA' })).ids).toEqual(idsOf(0, 3))
  expect((await groups.list({ kind: 'list' })).ids).toEqual(idsOf(1, 3))
  expect(groupSorting.by).toEqual(['name', 'createdAt'])
})

test('the list of devices shows a list’s devices under every sort, filter and page', async () => {
  const { groups, devices, found } = admin
  const ids = Array.from({ length: 7 }, (_, at) => `d-${at}`)
  await makeDevices(admin, ...ids, 'stranger')
  await devices.send('PUT', { id: 'd-3' }, { tags: ['north'], state: 'accepted' })
  const { id } = await groups.create({ name: 'List' })
  expect((await admin.add(id, ...ids)).body).toMatchObject({ size: 7 })
  for (const sort of ['name', 'id', 'createdAt', 'lastSeenAt']) {
    const walked = await devices.walk({ groupId: id, limit: '3', sort })
    expect(walked.toSorted()).toEqual(ids)
  }
  expect(await devices.walk({ groupId: id, limit: '3', sort: 'id', order: 'desc' })).toEqual(
    ids.toReversed(),
  )
  expect((await found(id)).count).toEqual({ value: 7, isCapped: false })
  expect((await found(id, { tag: 'north' })).ids).toEqual(['d-3'])
  expect((await found(id, { q: 'd-5' })).ids).toEqual(['d-5'])
  expect((await found(id, { q: 'strang' })).ids).toEqual([])
  expect((await found(id, { state: 'pending', sort: 'id' })).ids).toEqual(
    ids.filter((each) => each !== 'd-3'),
  )
  expect((await admin.change(id, { remove: ['d-0', 'd-1'], add: ['stranger'] })).body.size).toBe(6)
  expect((await found(id, { q: 'strang' })).ids).toEqual(['stranger'])
})

test('a rule finds the same as the filter, narrowed by the filters next to it', async () => {
  const { groups, devices, found } = admin
  await makeDevices(admin, 'a', 'b', 'c', 'd')
  const floor = (value: number) => ({ floor: { type: 'number', value } })
  for (const [id, tags, attributes] of [
    ['a', ['north'], floor(1)],
    ['b', ['north', 'gate'], floor(2)],
    ['c', ['south'], floor(3)],
  ] as const)
    await devices.send('PUT', { id }, { tags, attributes })
  await devices.send('PUT', { id: 'a' }, { state: 'accepted' })
  const rule = (name: string, of: object) => groups.create({ name, rule: of })

  const north = await rule('North', { tag: 'north' })
  expect(await devices.walk({ groupId: north.id, limit: '1' })).toEqual(['a', 'b'])
  expect(await found(north.id)).toMatchObject({ sorts: ['createdAt'], count: { value: 2 } })
  expect((await found(north.id, { tag: 'gate' })).ids).toEqual(['b'])
  expect((await found(north.id, { q: 'b' })).ids).toEqual(['b'])
  const some = await rule('Some states', { state: 'pending,accepted', type: 'iot' })
  expect((await found(some.id, { sort: 'id' })).ids).toEqual(['a', 'b', 'c', 'd'])
  expect((await found(some.id, { state: 'accepted,online' })).ids).toEqual(['a'])
  expect((await found(some.id, { state: 'online' })).ids).toEqual([])
  expect((await found(some.id, { type: 'boot' })).ids).toEqual([])
  // It cannot be sorted by name: the order of the rule takes the place of the one asked for.
  const high = await rule('High', { attribute: 'floor>=2' })
  expect(await found(high.id, { sort: 'name' })).toMatchObject({
    ids: ['b', 'c'],
    sorts: ['attribute'],
  })
  expect(await devices.walk({ groupId: high.id, limit: '1', sort: 'name' })).toEqual(['b', 'c'])
})

test('a missing group has no devices, in any call', async () => {
  await makeDevices(admin, 'a')
  const groupId = randomUUID()
  expect((await admin.found(groupId)).ids).toEqual([])
  for (const path of ['device/bulk/count', 'rollouts/count']) {
    const url = `/api/maple/${path}?groupId=${groupId}`
    const { headers } = admin
    expect((await server.app.inject({ url, headers })).json()).toEqual({ count: 0 })
  }
})

test('a provider has groups of its own, with its own devices', async () => {
  const [acme, umbra] = [await ofProvider('acme'), await ofProvider('umbra')]
  await makeDevices(acme, 'a-1', 'a-2')
  await makeDevices(umbra, 'u-1')
  const list = await acme.groups.create({ name: 'List' })
  const rule = await acme.groups.create({ name: 'Rule', rule: { state: 'pending' } })
  await acme.add(list.id, 'a-1')
  expect((await umbra.groups.list()).items).toEqual([])
  for (const { id } of [list, rule]) {
    expect((await umbra.found(id)).ids).toEqual([])
    expect((await umbra.groups.send('PUT', { id }, { name: 'Mine' })).statusCode).toBe(404)
    expect((await umbra.groups.send('DELETE', { id })).statusCode).toBe(404)
    expect((await umbra.add(id, 'u-1')).status).toBe(404)
  }
  // Neither provider nor administrator puts a device of another one into it.
  for (const who of [acme, admin])
    expect((await who.add(list.id, 'a-2', 'u-1')).body.errors).toMatchObject([
      { path: 'add.1', code: 'exists' },
    ])
  expect((await acme.found(list.id)).ids).toEqual(['a-1'])
  // An administrator sees what the provider sees.
  expect((await admin.found(rule.id, { sort: 'id' })).ids).toEqual(['a-1', 'a-2'])
  expect((await admin.found(rule.id, { serviceId: 'umbra' })).ids).toEqual([])
  const viewer = await ofProvider('acme', 'viewer')
  expect((await viewer.groups.list()).ids.length).toBe(2)
  expect((await viewer.add(list.id, 'a-2')).status).toBe(403)
  expect((await viewer.groups.send('POST', {}, { name: 'No' })).statusCode).toBe(403)
})

test('a device that moves to another provider leaves the former’s lists', async () => {
  const acme = await ofProvider('acme')
  await ofProvider('umbra')
  await makeDevices(acme, 'a-1')
  const own = await acme.groups.create({ name: 'Own' })
  const common = await admin.groups.create({ name: 'Of all' })
  await acme.add(own.id, 'a-1')
  await admin.add(common.id, 'a-1')
  await admin.devices.send('PUT', { id: 'a-1' }, { serviceId: 'umbra' })
  expect([(await admin.found(own.id)).ids, (await admin.found(common.id)).ids]).toEqual([
    [],
    ['a-1'],
  ])
  expect((await acme.groups.list({ id: own.id })).items).toMatchObject([{ size: 0 }])
})

test('the number of a provider’s groups, and of a list’s devices, is limited', async () => {
  const { groups } = admin
  const list = await groups.create({ name: 'List' })
  await sql`
    insert into maple.device_group (name, name_key, description)
    select 'Group ' || n, 'group ' || n, '' from generate_series(2, ${maxGroups}) n`.execute(
    server.platform.db,
  )
  expect(await groups.refusal('POST', {}, { name: 'More' })).toEqual([409, 'limit_reached'])
  await sql`
    insert into maple.device (id, name, name_key, type, state)
    select 'd-' || n, 'd', 'd', 'iot', 'pending' from generate_series(0, ${maxGroupDevices}) n
  `.execute(server.platform.db)
  await sql`
    insert into maple.device_group_member (group_id, device_id)
    select ${list.id}, 'd-' || n from generate_series(1, ${maxGroupDevices - 1}) n`.execute(
    server.platform.db,
  )
  expect((await admin.add(list.id, 'd-0', `d-${maxGroupDevices}`)).body.code).toBe('limit_reached')
  expect((await admin.add(list.id, 'd-0')).body.size).toBe(maxGroupDevices)
  // Again, it adds none; and a place that is given up can be taken in one call.
  expect((await admin.add(list.id, 'd-0')).body.size).toBe(maxGroupDevices)
  const swap = { remove: ['d-0'], add: [`d-${maxGroupDevices}`] }
  expect((await admin.change(list.id, swap)).body.size).toBe(maxGroupDevices)
  expect(await admin.found(list.id)).toMatchObject({
    count: { value: maxGroupDevices, isCapped: false },
    isTruncated: false,
  })
})

test('of several groups that are made at once, those beyond the limit are refused', async () => {
  await sql`
    insert into maple.device_group (name, name_key, description)
    select 'Group ' || n, 'group ' || n, '' from generate_series(3, ${maxGroups}) n`.execute(
    server.platform.db,
  )
  const names = ['A', 'B', 'C', 'D', 'E', 'F']
  const made = await Promise.all(names.map((name) => admin.groups.send('POST', {}, { name })))
  const statuses = made.map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 201, 409, 409, 409, 409])
})

test('two concurrent additions keep the limit, and lose no device', async () => {
  const list = await admin.groups.create({ name: 'List' })
  const batches = [0, 1].map((half) => Array.from({ length: 10 }, (_, at) => `d-${half * 10 + at}`))
  await makeDevices(admin, ...batches.flat())
  await sql`
    insert into maple.device (id, name, name_key, type, state)
    select 'f-' || n, 'f', 'f', 'iot', 'pending' from generate_series(1, ${maxGroupDevices - 10}) n
  `.execute(server.platform.db)
  const together = () => Promise.all(batches.map((ids) => admin.add(list.id, ...ids)))
  expect((await together()).map(({ status }) => status)).toEqual([200, 200])
  expect((await admin.groups.list()).items).toMatchObject([{ size: 20 }])
  await admin.change(list.id, { remove: batches.flat() })
  await sql`
    insert into maple.device_group_member (group_id, device_id)
    select ${list.id}, 'f-' || n from generate_series(1, ${maxGroupDevices - 10}) n`.execute(
    server.platform.db,
  )
  const statuses = (await together()).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409])
  expect((await admin.groups.list()).items).toMatchObject([{ size: maxGroupDevices }])
})

test('a change, an export and a count of a whole filter take the devices of a group', async () => {
  await makeDevices(admin, 'a', 'b', 'c')
  await admin.devices.send('PUT', { id: 'a' }, { tags: ['north'] })
  const list = await admin.groups.create({ name: 'List' })
  await admin.add(list.id, 'a', 'b')
  const rule = await admin.groups.create({ name: 'Rule', rule: { tag: 'north' } })
  const { headers } = admin
  const count = async (groupId: string) =>
    (
      await server.app.inject({ url: `/api/maple/device/bulk/count?groupId=${groupId}`, headers })
    ).json<{ count: number }>().count
  expect([await count(list.id), await count(rule.id)]).toEqual([2, 1])
  for (const [groupId, ids] of [
    [list.id, ['a', 'b']],
    [rule.id, ['a']],
  ] as const) {
    const prepared = await server.app.inject({
      method: 'POST',
      url: '/api/maple/device/export',
      headers,
      payload: { format: 'csv', groupId },
    })
    const { address: url } = prepared.json<{ address: string }>()
    const lines = (await server.app.inject({ url })).body.trim().split('\r\n').slice(1)
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids)
  }
})
