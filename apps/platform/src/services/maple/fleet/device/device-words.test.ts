import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import { processActor } from '../../../../core/actor.ts'
import { wordsOf } from '../../../../core/database/words.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'
import { maple } from '../../index.ts'
import { importDevices, type ImportedDevice } from './device-import.service.ts'

const cplc = '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'
const names: Record<string, string> = {
  'SN-0000008': 'Krakow Old Town kiosk 0375',
  'SN-0000009': 'Old Harbour kiosk 0380',
  'sn-0031337': 'Москва «Центр» табло №12',
  'eu.dev55.lock': 'Charger/Lisbon-Alfama dev31337',
  '550e8400-e29b-41d4-a716-446655440000': 'Gate',
  // A run of letters or of digits is a word.
  'pier-west': 'Pier a3c442b9f17e6 west',
  'pier-yard': 'Pier a3c442b9f17e6 yard',
}
const devices = Object.entries(names).map(([id, name], at): ImportedDevice => ({
  id,
  name,
  type: at % 2 ? 'iot' : 'boot',
  state: at % 3 ? 'online' : 'retired',
  createdAt: `2026-01-0${at + 1}T10:00:00Z`,
  lastSeenAt: null,
  cplc: at === 0 ? [cplc] : [],
}))

let server: TestServer
let db: MapleDb
let headers: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  headers = await server.bearer(['ADMIN'])
  const context = await maple.open(server.platform)
  db = context.db
  await importDevices(context, processActor('test'), devices)
  await sql`insert into maple.service (id, name, name_key) values ('acme', 'Acme', 'acme')`.execute(
    db,
  )
})
afterAll(() => server.close())

async function found(q: string, query: Record<string, string> = {}): Promise<string[]> {
  const response = await server.app.inject({
    url: '/api/maple/device',
    query: { q, ...query },
    headers,
  })
  return response.json<{ items: Device[] }>().items.map(({ name }) => name)
}

describe.each(['name', 'createdAt'])('in the order of %s, a search', (sort) => {
  test.each([
    ['Old Town', ['Krakow Old Town kiosk 0375']],
    ['town old', ['Krakow Old Town kiosk 0375']],
    ['kio 03', ['Krakow Old Town kiosk 0375', 'Old Harbour kiosk 0380']],
    ['0375', ['Krakow Old Town kiosk 0375']],
    ['375', ['Krakow Old Town kiosk 0375']],
    ['31337', ['Charger/Lisbon-Alfama dev31337', 'Москва «Центр» табло №12']],
    ['dev313', ['Charger/Lisbon-Alfama dev31337']],
    ['ALFAMA', ['Charger/Lisbon-Alfama dev31337']],
    ['центр', ['Москва «Центр» табло №12']],
    ['12', ['Москва «Центр» табло №12']],
    ['0000008', ['Krakow Old Town kiosk 0375']],
    ['lock', ['Charger/Lisbon-Alfama dev31337']],
    ['446655440000', ['Gate']],
    ['own', []],
    ['old gate', []],
    ['kiosk 08', []],
    ['Pier a3c442b9f17e6', ['Pier a3c442b9f17e6 west', 'Pier a3c442b9f17e6 yard']],
    ['Pier a3c442b9f17e6 west', ['Pier a3c442b9f17e6 west']],
    ['a3c442b9f17e6 yard pier', ['Pier a3c442b9f17e6 yard']],
  ])('for %j finds %j', async (q, wanted) => {
    expect((await found(q, { sort })).toSorted()).toEqual(wanted)
  })

  test('is limited by the other filters', async () => {
    expect(await found('kiosk', { sort, type: 'iot' })).toEqual(['Old Harbour kiosk 0380'])
    expect(await found('old kiosk', { sort, state: 'retired' })).toEqual([
      'Krakow Old Town kiosk 0375',
    ])
  })
})

test.each([
  ['a CPLC', cplc],
  ['what a card replies with', `9F7F2A${cplc}9000`],
  ['a CPLC with its tag', `9F7F2A${cplc}`],
  [
    'one in lower case, with colons',
    cplc
      .toLowerCase()
      .replaceAll(/..(?=.)/g, '$&:')
      .slice(0, 99),
  ],
  ['its first 32 digits', cplc.slice(0, 32)],
  ['its first 40 digits, with spaces', cplc.slice(0, 40).replaceAll(/..../g, '$& ')],
  ['the beginning of a reply', `9F7F2A${cplc.slice(0, 20)}`],
  ['a serial', '0048 5399'],
])('a device is found by %s of its element', async (_, q) => {
  expect(await found(q)).toEqual(['Krakow Old Town kiosk 0375'])
})

test('words follow the name and the service provider', async () => {
  const id = 'SN-0000009'
  await sql`update maple.device set service_id = 'acme' where id = ${id}`.execute(db)
  expect(await found('kiosk', { serviceId: 'acme' })).toEqual(['Old Harbour kiosk 0380'])
  await sql`update maple.device set name = 'Pier 7', name_key = 'pier 7' where id = ${id}`.execute(
    db,
  )
  expect(await found('harbour')).toEqual([])
  expect(await found('7', { serviceId: 'acme' })).toEqual(['Pier 7'])
  await sql`update maple.device set name = ${names[id]}, name_key = ${nameKey(names[id] ?? '')},
    service_id = null where id = ${id}`.execute(db)
  expect(await found('harbour')).toEqual(['Old Harbour kiosk 0380'])
})

test('the database splits names like the server splits search text', async () => {
  const texts = [
    ...Object.values(names),
    'a1b22-c',
    '  x  ',
    '™ no.7½',
    '🏳️‍🌈 pride',
    'ΟΔΟΣ 5',
    'naïve—café',
    '(4)[5]{6}',
    '«Ёлка»',
    '١٢٣',
  ].map(nameKey)
  const { rows } = await sql<{ words: string[] }>`
    select maple.words_of(name, '') as words
    from unnest(${texts}::text[]) with ordinality as given (name, at) order by at
  `.execute(db)
  const sorted = (words: readonly string[]) => [...new Set(words)].toSorted()
  expect(rows.map(({ words }) => sorted(words))).toEqual(
    texts.map((text) =>
      sorted(wordsOf(text).flatMap((word) => [word, word.replace(/^0+(?=[1-9])/, '')])),
    ),
  )
})
