import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ColumnMapping, ImportPreview } from '@grove/contract/maple/fleet/device-import'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { createImportClient, type ImportClient } from './testing/import-client.ts'

let server: TestServer
let admin: { authorization: string }
let client: ImportClient
beforeAll(async () => {
  server = await startTestServer([maple], { jobs: { pollMs: 50, hasRecurring: false } })
  admin = await server.bearer(['ADMIN'])
  client = createImportClient(server, admin)
})
afterAll(() => server.close())

const path = '/api/maple/device/import'
const cplcOf = (serial: number) =>
  `4790D3214700104803006123${serial.toString(16).toUpperCase().padStart(8, '0')}0648${'0'.repeat(48)}`

async function device(id: string) {
  const response = await server.app.inject({
    url: '/api/maple/device',
    query: { id },
    headers: admin,
  })
  return response.json<{ items: Record<string, unknown>[] }>().items[0]
}

const counts = (created: number, changed: number, unchanged: number, wrong: number) => ({
  created,
  changed,
  unchanged,
  wrong,
})

test('a file becomes devices, and the same file changes nothing more', async () => {
  await sql`insert into maple.service (id, name, name_key) values ('acme', 'Acme', 'acme')`.execute(
    server.database.db,
  )
  const file = [
    'Device ID,Name,Type,Status,CPLC,Inner ID,Service,Tags,Floor,Mounted On,createdAt',
    `A-1,"Gate, ""North""",iot,online,${cplcOf(1)};${cplcOf(2)},W-1,acme,"north,Battery",3,2026-03-01,x`,
    `A-2,Турникет,IoT,,9f7f2a${cplcOf(3).toLowerCase()},,,,,,`,
    'A-3,,,,"47 90 D3 21 47 00 10 48 03 00 61 23 00 00 00 04 06 48 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",,,,,,',
    '',
  ].join('\n')
  const first = await client.imported(file)
  expect(first.counts).toEqual(counts(3, 0, 0, 0))
  expect(first.mapping.map(({ field, key, type }) => key ?? field + (type ?? ''))).toEqual([
    'id',
    'name',
    'type',
    'state',
    'cplc',
    'innerId',
    'serviceId',
    'tags',
    'floor',
    'mounted_on',
  ])
  expect(await device('A-1')).toMatchObject({
    name: 'Gate, "North"',
    type: 'iot',
    state: 'online',
    innerId: 'W-1',
    serviceId: 'acme',
    tags: ['battery', 'north'],
    attributes: {
      floor: { type: 'number', value: 3 },
      mounted_on: { type: 'date', value: '2026-03-01' },
    },
    elements: [{ cplc: cplcOf(1) }, { cplc: cplcOf(2) }],
  })
  expect(await device('A-2')).toMatchObject({ name: 'Турникет', type: 'iot', state: 'pending' })
  expect(await device('A-3')).toMatchObject({
    name: 'A-3',
    type: 'default',
    elements: [{ cplc: cplcOf(4) }],
  })
  const before = await device('A-1')
  const again = await client.imported(file)
  expect(again.counts).toEqual(counts(0, 0, 3, 0))
  expect(await device('A-1')).toEqual(before)
  expect([again.hasFile, again.createdBy]).toEqual([false, first.createdBy])
})

test('the devices that a file created or changed are found by its import @long', async () => {
  const first = await client.imported('id,name,type\nF-1,One,iot\nF-2,Two,boot\nF-3,Three,iot\n')
  const second = await client.imported('id,name\nF-2,Second\nF-3,Three\nF-4,Four\n')
  const found = async (query: Record<string, string>) => {
    const url = '/api/maple/device'
    const response = await server.app.inject({ url, query, headers: admin })
    const page = response.json<{ items: { id: string }[]; count?: { value: number } }>()
    return [page.items?.map(({ id }) => id).toSorted() ?? response.statusCode, page.count?.value]
  }
  expect(await found({ importId: first.id, count: 'true' })).toEqual([['F-1', 'F-3'], 2])
  expect(await found({ importId: second.id })).toEqual([['F-2', 'F-4'], undefined])
  expect(await found({ importId: first.id, type: 'iot', q: 'F-3' })).toEqual([['F-3'], undefined])
  expect(await found({ importId: first.id, sort: 'name' })).toEqual([400, undefined])
})

test('an existing device is kept or updated, as chosen @long', async () => {
  await client.imported('id,name,tags\nB-1,One,a\nB-2,Two,\n')
  const file = `id,name,cplc,floor\nB-1,First,${cplcOf(20)},2\nB-2,Two,,\nB-3,Three,,\n`
  const kept = await client.imported(file, { existing: 'keep' })
  expect(kept.counts).toEqual(counts(1, 0, 2, 0))
  expect(await device('B-1')).toMatchObject({ name: 'One', elements: [], revision: 1 })

  const updated = await client.imported(file, { existing: 'update' })
  expect(updated.counts).toEqual(counts(0, 1, 2, 0))
  expect(await device('B-1')).toMatchObject({
    name: 'First',
    revision: 2,
    tags: ['a'],
    attributes: { floor: { type: 'number', value: 2 } },
    elements: [{ cplc: cplcOf(20) }],
  })
  const { rows } = await sql`
    select action, before, after from maple.event where subject = 'B-1'`.execute(server.database.db)
  expect(rows).toEqual([
    {
      action: 'device.update',
      before: { name: 'One', attributes: {} },
      after: {
        name: 'First',
        attributes: { floor: { type: 'number', value: 2 } },
        elements: [cplcOf(20)],
      },
    },
  ])
})

test('a dry run writes no device', async () => {
  const { id, checked: dry } = await client.checked('id\nDRY-1\n')
  expect(dry).toEqual(counts(1, 0, 0, 0))
  expect(await device('DRY-1')).toBeUndefined()
  expect((await client.post('cancel', { id })).json()).toMatchObject({
    state: 'cancelled',
    hasFile: false,
  })
  expect((await client.post('start', { id })).json()).toMatchObject({
    status: 409,
    code: 'import_not_ready',
  })
})

describe('wrong rows', () => {
  test('of too deeply nested JSON are refused individually @long', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const lines = await client.checked(
      [
        '{"id":"D-1","name":"Flat"}',
        `{"id":"D-2","name":${nested(32)}}`,
        `{"id":"D-3","name":${nested(50_000)}}`,
      ].join('\n'),
    )
    expect(lines.checked).toEqual(counts(1, 0, 0, 2))
    const message = 'The JSON has more than 32 nested levels of arrays and objects. Flatten it.'
    expect(await client.errorsOf(lines.id)).toEqual(
      [2, 3].map((row) => expect.objectContaining({ row, code: 'json_too_deep', message })),
    )
    const table = await client.checked(
      `id,attributes\nD-4,{}\nD-5,"{""floor"":${nested(32)}}"\nD-6,"{""floor"":1}"\n`,
    )
    expect(table.checked).toEqual(counts(2, 0, 0, 1))
    expect(await client.errorsOf(table.id, 'ru')).toEqual([
      expect.objectContaining({
        row: 3,
        column: 'attributes',
        code: 'json_too_deep',
        message: 'В JSON больше 32 уровней массивов и объектов. Уменьшите вложенность.',
      }),
    ])
  })

  test('name the row, the column, the error and the correct form @long', async () => {
    await client.imported(`id,name,cplc,inner id,state\nW-0,Known,${cplcOf(50)},IN-0,retired\n`)
    const { id, checked: dry } = await client.checked(
      [
        'id,name,type,state,cplc,inner id,tags,service,attributes',
        'W-1,ok,iot,,,,,,',
        ',no id,iot,,,,,,',
        'has space,x,iot,,,,,,',
        `W-4,${'x'.repeat(101)},iot,,,,,,`,
        'W-5,a\u202eb,iot,,,,,,',
        'W-6,x,robot,flying,,,,,',
        'W-7,x,iot,,12AB,,,,',
        'W-8,x,iot,,12XY,,,,',
        `W-9,x,iot,,${cplcOf(50)},,,,`,
        'W-10,x,iot,,,IN-0,,,',
        'W-0,x,iot,online,,,,,',
        'W-1,again,iot,,,,,,',
        `W-13,x,iot,,${cplcOf(60)},,,,`,
        `W-14,x,iot,,${cplcOf(60).slice(0, 60)}${'F'.repeat(24)},,,,`,
        'W-15,x,iot,,,,,nobody,',
        'W-16,x,iot,,,,,,"{""Floor"":1}"',
        'W-17,x',
        'W-18,a"b,iot,,,,,,',
        'W-19,"a"b,iot,,,,,,',
        `W-20,x,iot,,,,${'t'.repeat(41)},,`,
      ].join('\r\n'),
    )
    expect(dry).toEqual(counts(2, 0, 0, 18))
    const errors = await client.errorsOf(id)
    expect(errors.map(({ row, column, code }) => [row, column, code])).toEqual([
      [3, 'id', 'missing'],
      [4, 'id', 'bad_id'],
      [5, 'name', 'name_too_long'],
      [6, 'name', 'name_unreadable'],
      [7, 'type', 'unknown_value'],
      [7, 'state', 'unknown_value'],
      [8, 'cplc', 'cplc_length'],
      [9, 'cplc', 'cplc_not_hex'],
      [10, 'cplc', 'element_elsewhere'],
      [11, 'inner id', 'inner_id_taken'],
      [12, 'state', 'transition_refused'],
      [13, 'id', 'repeated'],
      [15, 'cplc', 'repeated'],
      [16, 'service', 'unknown_service'],
      [17, 'attributes', 'bad_attribute'],
      [18, null, 'cell_count'],
      [19, 'name', 'stray_quote'],
      [20, 'name', 'text_after_quote'],
      [21, 'tags', 'bad_tag'],
    ])
    expect(errors[6]?.message).toBe('A CPLC has 84 hex digits; this one has 4.')
    expect((await client.errorsOf(id, 'ru'))[11]?.message).toBe(
      'То же значение есть в строке 2. Оставьте одну из двух.',
    )
    expect((await client.post('start', { id })).statusCode).toBe(200)
    expect((await client.ended(id, 'completed')).counts).toEqual(dry)
    expect(await client.errorsOf(id)).toEqual(errors)
    expect(await device('W-0')).toMatchObject({ name: 'Known', state: 'retired' })

    const csv = await client.errorFile(id)
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    const [head, first, ...rest] = csv.body.split('\r\n')
    expect(head).toBe('\u{feff}row,column,value,problem,code')
    expect(first).toBe('3,id,,The id is missing. Give every device an id.,missing')
    expect(rest).toHaveLength(19)
  })

  test('are kept up to a limit, but all are counted', async () => {
    const rows = Array.from({ length: 12_000 }, (_, at) => `=bad ${at}`)
    const { id, checked: dry } = await client.checked(`id\n${rows.join('\n')}\n`)
    expect(dry).toEqual(counts(0, 0, 0, 12_000))
    const csv = await client.errorFile(id)
    const lines = csv.body.trimEnd().split('\r\n')
    expect(lines.length - 1).toBeLessThanOrEqual(10_000)
    expect(lines.length - 1).toBeGreaterThan(2000)
    // A spreadsheet must not evaluate the erroneous value.
    expect(lines[1]).toMatch(/^2,id,'=bad 0,/)
  })
})

describe('a file', () => {
  const table = 'id,name\nE-1,Ёлка\n'
  const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

  test.each([
    ['with a byte order mark', 'utf-8', Buffer.from(`\u{feff}${table}`)],
    ['with CRLF', 'utf-8', Buffer.from(table.replaceAll('\n', '\r\n'))],
    ['with CR alone', 'utf-8', Buffer.from(table.replaceAll('\n', '\r'))],
    ['without a last line end', 'utf-8', Buffer.from(table.trimEnd())],
    ['with semicolons', 'utf-8', Buffer.from(table.replaceAll(',', ';'))],
    ['with tabs and blank rows', 'utf-8', Buffer.from(`\n${table.replaceAll(',', '\t')}\n\n`)],
    ['in UTF-16 LE', 'utf-16le', Buffer.from(`\u{feff}${table}`, 'utf16le')],
    ['in UTF-16 BE', 'utf-16be', utf16be(`\u{feff}${table}`)],
    [
      'in UTF-16 without a mark',
      'utf-16le',
      Buffer.from(`${table}${'E-2,x\n'.repeat(20)}`, 'utf16le'),
    ],
    ['of JSON Lines', 'utf-8', Buffer.from('{"id":"E-1","name":"Ёлка"}\n{"name":"x","id":"E-9"}')],
  ])('%s is read', async (_, encoding, content) => {
    const { id, encoding: found, checked: dry } = await client.checked(content)
    expect(found).toBe(encoding)
    expect(dry?.created).toBeGreaterThan(0)
    const answer = await client.post('preview', { id, mapping: (await client.read(id)).mapping })
    const { items } = answer.json<{ items: { device: ImportPreview | null }[] }>()
    expect(items[0]?.device).toMatchObject({ id: 'E-1', name: 'Ёлка' })
  })

  test.each([
    ['that is empty', '', 'empty', {}],
    ['of blank lines', '\r\n \n', 'empty', {}],
    ['that is binary', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0, 1, 2, 0, 9]), 'binary', {}],
    [
      'in Windows-1251',
      Buffer.from([...Buffer.from('id,name\nA,'), 0xc3, 0xee, 0xf0, 0xee, 0xe4, 0x0a]),
      'not_utf8',
      { byte: 'C3', at: 10, looksLike: 'Windows-1251' },
    ],
    [
      'in Latin-1',
      Buffer.from('id,name\nA,caf\u00e9\n', 'latin1'),
      'not_utf8',
      { byte: 'E9', at: 13, looksLike: 'Latin-1' },
    ],
    ['that is a JSON array', '[{"id":"a"}]', 'json_array', {}],
    [
      'with too many columns',
      `${'a,'.repeat(100)}b\n`,
      'too_many_columns',
      { found: 101, limit: 100 },
    ],
    ['with a header of half a quote', 'id,"name\nA,b\n', 'no_columns', {}],
  ])('%s is refused with the reason', async (_, content, code, params) => {
    const response = await client.upload(content)
    expect([response.statusCode, response.body]).toEqual([422, response.body])
    expect(response.json()).toMatchObject({ code: 'import_unreadable', errors: [{ code, params }] })
  })

  test('with duplicate columns or without an id is refused when it is mapped', async () => {
    const { id, mapping } = await client.uploaded('name,name,cplc,cplc\na,b,,\n')
    expect(mapping).toEqual([
      { column: 0, field: 'name' },
      { column: 1, field: 'attribute', key: 'name', type: 'text' },
      { column: 2, field: 'cplc' },
      { column: 3, field: 'cplc' },
    ])
    const refused = async (given: ColumnMapping[]) =>
      (await client.post('check', { id, existing: 'keep', mapping: given })).json().errors[0].path
    expect(await refused(mapping)).toBe('mapping')
    const twice = [0, 1].map((column) => ({ column, field: 'id' as const }))
    expect(await refused(twice)).toBe('mapping.1.field')
    expect(await refused([{ column: 4, field: 'id' }])).toBe('mapping.0.column')
    expect(await refused([{ column: 0, field: 'attribute' }])).toBe('mapping.0.key')
  })

  test('with a byte of another encoding further on names the row and the position', async () => {
    // Beyond what the upload inspects.
    const rows = Array.from({ length: 2500 }, (_, at) => `R-${at},x,${'y'.repeat(500)}\n`)
    const start = `id,name,note\n${rows.join('')}`
    const content = Buffer.concat([
      Buffer.from(`${start}Q-1,`),
      Buffer.from([0xe9]),
      Buffer.from(',\nQ-2,y,\n'),
    ])
    const mapping = [{ column: 0, field: 'id' as const }]
    const { id, checked: dry } = await client.checked(content, { mapping })
    expect(dry).toEqual(counts(2501, 0, 0, 1))
    const found = await sql<{ row: number; params: object }>`
      select row, params from maple.device_import_error where import_id = ${id} and code = 'not_utf8'
    `.execute(server.database.db)
    expect(found.rows).toEqual([{ row: 2502, params: { byte: 'E9', at: start.length + 4 } }])
  }, 60_000)

  test('keeps formulas exactly, without the escape of an export', async () => {
    const names = ['=1+1', "'=x", '+7', '-5', '@a', "'quoted'"]
    const cells = ["'=1+1", "''=x", "'+7", "'-5", "'@a", "'quoted'"]
    const rows = cells.map((cell, at) => `FX-${at},${cell}`)
    await client.imported(`id,name\n${rows.join('\n')}\n`)
    const found = await Promise.all(names.map((_, at) => device(`FX-${at}`)))
    expect(found.map((each) => each?.['name'])).toEqual(names)
  })
})

test('two concurrent imports of one fleet write each device once @long', async () => {
  const file = `id,name,cplc\n${Array.from({ length: 3000 }, (_, at) => `TWO-${at},x,${cplcOf(9000 + at)}`).join('\n')}\n`
  const [one, other] = await Promise.all([client.checked(file), client.checked(file)])
  expect([one.checked, other.checked]).toEqual([counts(3000, 0, 0, 0), counts(3000, 0, 0, 0)])
  await Promise.all([client.post('start', { id: one.id }), client.post('start', { id: other.id })])
  const [first, second] = await Promise.all([
    client.ended(one.id, 'completed'),
    client.ended(other.id, 'completed'),
  ])
  expect(first.counts.created + second.counts.created).toBe(3000)
  expect(first.counts.unchanged + second.counts.unchanged).toBe(3000)
})

test('an import is for admins, and reveals no ids of others', async () => {
  const { id } = await client.uploaded('id\nX\n')
  for (const roles of [['DEVELOPER'], ['CUSTOMER']]) {
    const headers = await server.bearer(roles)
    const answer = await server.app.inject({ url: path, query: { id }, headers })
    expect([answer.statusCode, answer.body.includes(id)]).toEqual([403, false])
  }
  const other = randomUUID()
  expect((await client.post('start', { id: other })).statusCode).toBe(404)
  expect((await client.post('cancel', { id: other })).statusCode).toBe(404)
})

test('the end of an import keeps bytes that an image uses too', async () => {
  const { db, objects } = server.platform
  const hashOf = (file: string) => createHash('sha256').update(file).digest('hex')
  const [shared, own] = ['Device ID\nshared-1\n', 'Device ID\nshared-2\n']
  await sql`
    insert into maple.binary_image (name, name_key, version, mcuboot, file_name, bytes, sha256)
    values ('Shared', 'shared', '1.0.0', '{}', 'shared.bin', 19, ${hashOf(shared)})`.execute(db)
  for (const file of [shared, own]) await client.imported(file)
  const kept = await objects.read(hashOf(shared))
  kept?.stream.destroy()
  expect([kept === undefined, await objects.read(hashOf(own))]).toEqual([false, undefined])
  await sql`delete from maple.binary_image`.execute(db)
})
