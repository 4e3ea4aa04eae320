import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import { processActor } from '../../../../core/actor.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { createImportClient, type ImportClient } from '../device-import/testing/import-client.ts'
import { importDevices } from '../device/device-import.service.ts'
import { maple } from '../../index.ts'
import { openExport } from './device-export.service.ts'

let server: TestServer
let admin: { authorization: string }
let client: ImportClient
let shiftMs = 0
const floor = { floor: { type: 'number', value: -3 } }
beforeAll(async () => {
  server = await startTestServer([maple], {
    jobs: { pollMs: 50, hasRecurring: false },
    now: () => Date.now() + shiftMs,
  })
  admin = await server.bearer(['ADMIN'])
  client = createImportClient(server, admin)
  const cplcOf = (at: number) =>
    `4790D3214700104803006123${at.toString(16).toUpperCase().padStart(8, '0')}0648${'0'.repeat(48)}`
  await importDevices(
    await maple.open(server.platform),
    processActor('test'),
    Array.from({ length: 2500 }, (_, at) => ({
      id: `EX-${at}`,
      name: ['=cmd|x', 'Name, "quoted"', 'Имя', "'=a", '-5'][at % 5] ?? '',
      type: at % 2 ? 'iot' : 'boot',
      state: at % 3 ? 'online' : 'retired',
      createdAt: '2026-01-01T00:00:00Z',
      lastSeenAt: null,
      cplc: at % 4 ? [] : [cplcOf(at * 2), cplcOf(at * 2 + 1)],
      tags: at % 7 ? [] : ['north', 'тег'],
      attributes: (at % 5 ? {} : floor) as Device['attributes'],
    })),
  )
})
afterAll(() => server.close())

async function addressOf(body: object, headers = admin): Promise<string> {
  const url = '/api/maple/device/export'
  const response = await server.app.inject({ method: 'POST', url, payload: body, headers })
  expect([response.statusCode, response.body]).toEqual([200, response.body])
  return response.json<{ address: string }>().address
}
const download = async (body: object) => server.app.inject(await addressOf(body))

async function fleet(): Promise<unknown[]> {
  const { rows } = await sql`
    select id, name, type, state, inner_id, service_id, tags, attributes,
      array(select cplc from maple.element where device_id = device.id order by cplc) as cplc
    from maple.device order by id`.execute(server.database.db)
  return rows
}

test.each(['csv', 'jsonl'] as const)(
  'a whole fleet exported as %s imports the same, and again changes nothing @long',
  async (format) => {
    const before = await fleet()
    const file = await download({ format })
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="devices-.*"$/)
    expect((await client.imported(file.body)).counts).toMatchObject({ unchanged: 2500, wrong: 0 })
    await sql`truncate maple.device, maple.element, maple.device_term cascade`.execute(
      server.database.db,
    )
    expect((await client.imported(file.body)).counts).toMatchObject({ created: 2500, wrong: 0 })
    expect(await fleet()).toEqual(before)
  },
  120_000,
)

test('a spreadsheet runs none of it as formulas', async () => {
  const { body } = await download({ format: 'csv', id: 'EX-0' })
  expect(body).toBe(
    `\u{feff}id,name,type,state,cplc,innerId,serviceId,tags,attributes,service,accountId,account,lastSeenAt,createdAt\r\n` +
      body.split('\r\n')[1] +
      '\r\n',
  )
  expect(body).toContain("EX-0,'=cmd|x,boot,retired,")
})

test.each([
  [{ type: 'iot' }, ({ type }: Device) => type === 'iot'],
  [
    { type: 'boot', state: 'retired' },
    ({ type, state }: Device) => type === 'boot' && state === 'retired',
  ],
  [{ tag: 'north' }, ({ tags }: Device) => tags.includes('north')],
  [{ q: 'ex-1' }, ({ id }: Device) => id.startsWith('EX-1')],
])('a filter %j exports everything that the list has', async (filter, matches) => {
  const idsOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Device).id)
      .toSorted()
  const all = (await download({ format: 'jsonl' })).body.trim().split('\n')
  const expected = all.map((line) => JSON.parse(line) as Device).filter(matches)
  expect(idsOf((await download({ format: 'jsonl', ...filter })).body)).toEqual(
    expected.map(({ id }) => id).toSorted(),
  )
})

test('a file names providers, and accounts only to administrators of the platform', async () => {
  const { db } = server.database
  const [serviceId, accountId, member] = ['s-named', randomUUID(), randomUUID()]
  await sql`insert into maple.service (id, name, name_key) values (${serviceId}, 'Metro', 'metro')`.execute(
    db,
  )
  await sql`insert into platform.person (id, email) values (${accountId}, 'ada@example.com')`.execute(
    db,
  )
  await sql`
    insert into maple.account (id, roles, service_id)
    values (${member}, '{provider_admin}', ${serviceId}), (${accountId}, '{}', ${serviceId})`.execute(
    db,
  )
  await sql`
    update maple.device set service_id = ${serviceId}, account_id = ${accountId}, inner_id = 'one'
    where id = 'EX-3'`.execute(db)
  const rowOf = async (headers: typeof admin) => {
    const address = await addressOf({ format: 'jsonl', id: 'EX-3' }, headers)
    return JSON.parse((await server.app.inject(address)).body) as unknown
  }
  const known = { serviceId, service: 'Metro', accountId }
  expect(await rowOf(admin)).toMatchObject({ ...known, account: 'ada@example.com' })
  const other = await server.bearer(['DEVELOPER'], member)
  expect(await rowOf(other)).toMatchObject({ ...known, account: null })
  await sql`update maple.device set service_id = null, account_id = null, inner_id = null where id = 'EX-3'`.execute(
    db,
  )
})

test('a URL expires after a minute, and a made-up one does not exist', async () => {
  const address = await addressOf({ format: 'csv' })
  shiftMs = 61_000
  expect((await server.app.inject(address)).json()).toMatchObject({
    status: 404,
    code: 'not_found',
  })
  shiftMs = 0
  const changed = address.replace(/.{4}$/, 'AAAA')
  expect((await server.app.inject(changed)).statusCode).toBe(404)
})

test('an export is for those who may read devices, and is in the audit trail', async () => {
  for (const roles of [['DEVELOPER'], ['CUSTOMER']]) {
    const headers = await server.bearer(roles)
    const url = '/api/maple/device/export'
    const answer = await server.app.inject({
      method: 'POST',
      url,
      payload: { format: 'csv' },
      headers,
    })
    expect(answer.statusCode).toBe(403)
  }
  await addressOf({ format: 'csv', type: 'iot' })
  const { rows } = await sql`
    select after from maple.event where action = 'device.export' order by id desc limit 1
  `.execute(server.database.db)
  expect(rows).toEqual([{ after: { format: 'csv', type: 'iot' } }])
})

test('a search by name gives all matches, where the list shows the first of them', async () => {
  await importDevices(
    await maple.open(server.platform),
    processActor('test'),
    Array.from({ length: 2100 }, (_, at) => ({
      id: `T-${at}`,
      name: `Turnstile ${at}`,
      type: 'iot',
      state: at % 2 ? 'online' : 'pending',
      createdAt: '2026-01-01T00:00:00Z',
      lastSeenAt: null,
      cplc: [],
    })),
  )
  const linesOf = async (filter: object) =>
    (await download({ format: 'jsonl', ...filter })).body.trim().split('\n')
  expect(new Set(await linesOf({ q: 'turnstile' })).size).toBe(2100)
  expect(await linesOf({ q: 'turnstile', state: 'online' })).toHaveLength(1050)
})

// A transaction on the embedded database blocks everyone else, so each of its pages is read on its
// own.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'a file shows one moment, whatever changes during the download',
  async () => {
    const context = await maple.open(server.platform)
    const ticket = new URL(await addressOf({ format: 'jsonl' }), 'http://grove').searchParams
    const { stream } = await openExport(context, ticket.get('ticket') ?? '')
    const chunks: string[] = []
    for await (const chunk of stream) {
      if (chunks.length === 0)
        await sql`update maple.device set name = 'Renamed', name_key = 'renamed'`.execute(
          server.database.db,
        )
      chunks.push(String(chunk))
    }
    expect(chunks.length).toBeGreaterThan(2)
    expect(chunks.join('')).not.toContain('Renamed')
    expect((await download({ format: 'jsonl' })).body).toContain('Renamed')
  },
)

test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'an aborted download frees its connection',
  async () => {
    const context = await maple.open(server.platform)
    for (let time = 0; time < 12; time += 1) {
      const ticket = new URL(await addressOf({ format: 'csv' }), 'http://grove').searchParams
      const { stream } = await openExport(context, ticket.get('ticket') ?? '')
      for await (const _ of stream) break
    }
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'
      `.execute(server.database.db)
      expect(rows).toEqual([])
    })
  },
)
