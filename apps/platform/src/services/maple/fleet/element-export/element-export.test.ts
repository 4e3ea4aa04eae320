import { randomUUID } from 'node:crypto'
import { maxExportedElements } from '@grove/contract/maple/fleet/element.rules'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
let admin: { authorization: string }
let shiftMs = 0
const platform = '4790D321470010480300'
beforeAll(async () => {
  server = await startTestServer([maple], { now: () => Date.now() + shiftMs })
  admin = await server.bearer(['ADMIN'])
  await sql`
    insert into maple.element (cplc, state)
    select ${platform} || '6123' || upper(lpad(to_hex(n), 8, '0')) || '0001' || repeat('0', 48),
      case when n % 3 = 0 then 'secured' else 'unknown' end::maple.element_state
    from generate_series(1, 2500) as n`.execute(server.platform.db)
  await sql`insert into maple.profile (id, name, platform) values ('transit', 'Transit', ${platform})`.execute(
    server.platform.db,
  )
})
afterAll(() => server.close())

const prepare = (payload: object, headers = admin) =>
  server.app.inject({ method: 'POST', url: '/api/maple/se/element/export', payload, headers })
async function download(body: object) {
  const response = await prepare(body)
  expect([response.statusCode, response.body]).toEqual([200, response.body])
  return server.app.inject(response.json<{ address: string }>().address)
}
const linesOf = (text: string) => text.trim().split('\n')

test('a file contains every element of a filter once, however many', async () => {
  const file = await download({ format: 'csv' })
  expect(file.headers['content-disposition']).toMatch(
    /^attachment; filename="secure-elements-.*\.csv"$/,
  )
  expect(file.body.startsWith('\u{feff}')).toBe(true)
  const lines = linesOf(file.body)
  expect(lines[0]).toBe(
    'cplc,chipId,serial,state,profile,profileAssigned,device,attachedAt,keys,createdAt,updatedAt\r',
  )
  expect(new Set(lines).size).toBe(2501)
  expect(lines[1]).toMatch(/^4790D3.*,00000001,unknown,transit,false,,,vault,/)
  expect(linesOf((await download({ format: 'jsonl', state: 'secured' })).body)).toHaveLength(833)
  expect((await download({ format: 'jsonl', hasProfile: false })).body).toBe('')
})

test.each([
  ['a CPLC', '4790D3', {}, 2500],
  ['a CPLC, under a filter', '4790D3', { state: 'secured' }, 833],
  ['a serial', '0000', {}, 2500],
])(
  'a search by the beginning of %s gives all matches, not only the first',
  async (_, q, more, count) => {
    const lines = linesOf((await download({ format: 'jsonl', q, ...more })).body)
    expect(new Set(lines).size).toBe(count)
  },
)

test('a URL expires after a minute, and does not work for another file', async () => {
  const { address } = (await prepare({ format: 'csv' })).json<{ address: string }>()
  const elsewhere = address.replace('/se/element/', '/device/')
  expect((await server.app.inject(elsewhere)).json()).toMatchObject({ code: 'not_found' })
  shiftMs = 61_000
  expect((await server.app.inject(address)).json()).toMatchObject({ code: 'not_found' })
  shiftMs = 0
})

test('an export is in the audit trail', async () => {
  await prepare({ format: 'csv', state: 'secured' })
  const { rows } = await sql`
    select after from maple.event where action = 'element.export' order by id desc limit 1
  `.execute(server.platform.db)
  expect(rows).toEqual([{ after: { format: 'csv', state: 'secured' } }])
})

const cplcOf = (serial: number) =>
  `${platform}6123${serial.toString(16).toUpperCase().padStart(8, '0')}0001${'0'.repeat(48)}`
const downloadChosen = (payload: object, headers = admin) =>
  server.app.inject({
    method: 'POST',
    url: '/api/maple/se/element/export/chosen',
    payload,
    headers,
  })

test('chosen elements are in one file, and missing ones are left out', async () => {
  const elements = [cplcOf(7), cplcOf(3).toLowerCase(), cplcOf(9999)]
  const file = await downloadChosen({ elements, format: 'csv' })
  expect(file.headers['content-disposition']).toMatch(
    /^attachment; filename="secure-elements-.*\.csv"$/,
  )
  const [, ...rows] = linesOf(file.body)
  expect(rows.map((row) => row.slice(0, 84))).toEqual([cplcOf(3), cplcOf(7)])
  const { rows: events } = await sql`
    select after from maple.event where action = 'element.export' order by id desc limit 1
  `.execute(server.platform.db)
  expect(events).toEqual([{ after: { format: 'csv', count: 2 } }])
})

test('as many elements as fit in a request can be chosen', async () => {
  const elements = Array.from({ length: maxExportedElements }, (_, at) => cplcOf(at + 1))
  const file = await downloadChosen({ elements, format: 'jsonl' })
  expect(linesOf(file.body)).toHaveLength(maxExportedElements)
  const more = await downloadChosen({ elements: [...elements, cplcOf(2000)], format: 'csv' })
  expect([more.statusCode, more.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'invalid_request' }),
  ])
  const wrong = await downloadChosen({ elements: ['47'], format: 'csv' })
  expect(wrong.statusCode).toBe(400)
})

test('a member of a provider gets only elements of that provider', async () => {
  const { db } = server.platform
  const holder = randomUUID()
  await sql`insert into maple.service (id, name, name_key) values ('acme', 'Acme', 'acme')`.execute(
    db,
  )
  await sql`
    insert into maple.account (id, roles, service_id) values (${holder}, '{admin}', 'acme')`.execute(
    db,
  )
  await sql`update maple.element set service_id = 'acme' where cplc = ${cplcOf(5)}`.execute(db)
  const member = await server.bearer(['DEVELOPER'], holder)
  const file = await downloadChosen({ elements: [cplcOf(5), cplcOf(6)], format: 'jsonl' }, member)
  expect(linesOf(file.body)).toEqual([expect.stringContaining(cplcOf(5))])
})
