import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeviceImport, ImportRowError } from '@grove/contract/maple/fleet/device-import'
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

test('failed rows are returned unchanged with their errors, and imported once corrected @long', async () => {
  const first = await client.imported(
    'id;name;floor\r\nM-1;Один;1\r\n"bad id";"A ""b"";c";2\r\nM-3;=x;nine\r\nM-4;Four\r\nM-5;a"b;3\r\n',
    {
      mapping: [
        { column: 0, field: 'id' },
        { column: 1, field: 'name' },
        { column: 2, field: 'attribute', key: 'level', type: 'number' },
      ],
    },
  )
  expect(first.counts).toMatchObject({ created: 1, wrong: 4 })
  const file = await client.failedRows(first.id)
  const lines = file.trimEnd().split('\r\n')
  expect(lines[0]).toBe('\u{feff}id;name;floor;import_errors')
  expect(lines[1]).toMatch(/^bad id;"A ""b"";c";2;"?id: An id has/)
  expect(lines[2]).toMatch(/^M-3;'=x;nine;/)
  expect(lines[3]).toMatch(/^M-4;Four;;/)
  // Its quotes do not match, so the whole row is in its first cell.
  expect(lines[4]).toMatch(/^"M-5;a""b;3";;;/)
  const mended = file
    .replace('bad id', 'M-2')
    .replace('nine', '9')
    .replace('"M-5;a""b;3";;', 'M-5;a;3')
  const second = await client.uploaded(mended)
  // The earlier choices for this header are used again.
  expect(second).toMatchObject({ mapping: first.mapping, existing: 'update' })
  const done = await client.imported(mended, { mapping: second.mapping })
  expect(done.counts).toMatchObject({ created: 4, wrong: 0 })
  const response = await server.app.inject({
    url: '/api/maple/device',
    query: { id: 'M-3' },
    headers: admin,
  })
  expect(response.json<{ items: object[] }>().items[0]).toMatchObject({
    name: '=x',
    attributes: { level: { type: 'number', value: 9 } },
  })
})

test('a partly corrected file returns its remaining rows with new errors', async () => {
  const { id } = await client.checked('id,import_errors,name\nbad id,old text,A\n')
  expect((await client.failedRows(id)).split('\r\n').slice(0, 2)).toEqual([
    '\u{feff}id,name,import_errors',
    expect.stringMatching(/^bad id,A,"?id: /),
  ])
})

test('JSON Lines and UTF-16 are returned in their own format @long', async () => {
  const lines = await client.checked('{"id":"bad id","name":"A"}\n{"id":"J-1"}\nnot json\n')
  const [one = '', other] = (await client.failedRows(lines.id)).trimEnd().split('\n')
  expect(JSON.parse(one)).toEqual({
    id: 'bad id',
    name: 'A',
    import_errors: expect.stringContaining('An id has'),
  })
  expect(other).toBe('not json')
  const wide = await client.checked(Buffer.from('\u{feff}id,name\nbad id,Дверь\n', 'utf16le'))
  expect(await client.failedRows(wide.id)).toContain('\r\nbad id,Дверь,')
})

test('errors are grouped by message and place, with a count and an example', async () => {
  const { id } = await client.checked('id,name,type\nbad id,A,iot\nworse id,B,iot\nG-1,C,fridge\n')
  const response = await server.app.inject({ url: `${path}/error`, query: { id }, headers: admin })
  expect(response.json<{ groups: (ImportRowError & { count: number })[] }>().groups).toMatchObject([
    { code: 'bad_id', column: 'id', count: 2, row: 2, value: 'bad id' },
    { code: 'unknown_value', column: 'type', count: 1, row: 4, value: 'fridge' },
  ])
})

test('other people’s choices for a header, and unchecked ones, are not remembered', async () => {
  const other = createImportClient(server, await server.bearer(['ADMIN']))
  const mapping = [{ column: 1, field: 'id' as const }]
  await client.checked('name,code\nA,R-1\n', { mapping })
  expect((await client.uploaded('name,code\nA,R-2\n')).mapping).toEqual(mapping)
  expect((await other.uploaded('name,code\nA,R-3\n')).mapping).not.toEqual(mapping)
})

test('a file without failed rows is not kept, and has none to download @long', async () => {
  const { id } = await client.imported('id\nK-1\n')
  expect((await client.read(id)).hasFile).toBe(false)
  const response = await server.app.inject({
    url: `${path}/row/file`,
    query: { id },
    headers: admin,
  })
  expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([
    409,
    'import_not_ready',
  ])
})

test('a finished import can neither be discarded nor checked again', async () => {
  const { id, mapping } = await client.imported('id\nbad id\nL-1\n')
  for (const [call, body] of [
    ['cancel', { id }],
    ['check', { id, mapping, existing: 'keep' }],
  ] as const)
    expect((await client.post(call, body)).statusCode).toBe(409)
  expect(await client.read(id)).toMatchObject({
    state: 'completed',
  } satisfies Partial<DeviceImport>)
})
