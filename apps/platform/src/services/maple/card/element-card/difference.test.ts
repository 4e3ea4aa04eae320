import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { addDomain, domain } from '../session/testing/card-with-domain.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const call = (method: 'GET' | 'POST', url: string, payload?: object, headers = server.admin) =>
  server.app.inject({
    method,
    url: `/api/maple/se/${url}`,
    headers,
    ...(payload && { payload }),
  })
const read = async (cplc: string) =>
  expect((await call('POST', 'card/read', { cplc })).statusCode).toBe(200)
const list = async (query: string, headers = server.admin) =>
  (await call('GET', `element?${query}`, undefined, headers)).json<{
    items: SecureElement[]
    count?: { value: number }
  }>()
const differenceOf = async (cplc: string) => (await list(`cplc=${cplc}`)).items[0]?.difference

test('a card that somebody changed elsewhere is found until somebody has looked', async () => {
  const [cplc, same] = [await server.card({}, 'acme'), await server.card({}, 'acme')]
  for (const each of [cplc, same]) await read(each)
  // What nobody knew before differs from nothing.
  expect(await differenceOf(cplc)).toBeNull()
  await addDomain(server, cplc)
  for (const each of [cplc, same]) await read(each)
  const difference = {
    at: expect.any(String),
    sessionId: expect.any(String),
    state: null,
    added: [domain],
    changed: [],
    removed: [],
  }
  expect(await differenceOf(cplc)).toEqual(difference)
  expect(await differenceOf(same)).toBeNull()
  // The next reading finds nothing new, and does not hide what the last one found.
  await read(cplc)
  expect(await differenceOf(cplc)).toEqual(difference)

  const found = async (query = '', headers = server.admin) =>
    (await list(`reading=differs${query}`, headers)).items.map((each) => each.cplc)
  expect(await found()).toEqual([cplc])
  expect((await list('reading=differs&count=true')).count).toEqual({ value: 1, isCapped: false })
  expect(await found(`&q=${cplc.slice(0, 12)}&sort=updatedAt`)).toEqual([cplc])
  expect(await found(`&q=${same}`)).toEqual([])
  expect(await found('&state=terminated')).toEqual([])
  const other = await server.member('other')
  expect(await found('', other)).toEqual([])
  expect((await call('POST', 'card/difference', { cplc }, other)).statusCode).toBe(404)

  for (let count = 0; count < 2; count++)
    expect((await call('POST', 'card/difference', { cplc })).statusCode).toBe(204)
  expect([await found(), await differenceOf(cplc)]).toEqual([[], null])
  const { rows } = await sql`
    select from maple.event where subject = ${cplc} and action = 'element.review'`.execute(
    server.db,
  )
  expect(rows).toHaveLength(1)
})

test('what Grove or somebody in a session changed does not count', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  await read(cplc)
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  await server.command(id, 'MplInstall', {
    purpose: 'install',
    loadFileAid: 'A0000001515350',
    moduleAid: 'A000000151535041',
    instanceAid: domain,
    privileges: ['securityDomain'],
  })
  // Afterwards the card is read.
  await server.command(id, 'MplSetStatus', { target: 'lock', aid: domain })
  const { items } = (await call('GET', `domains?cplc=${cplc}`)).json<{ items: { aid: string }[] }>()
  expect(items.map(({ aid }) => aid)).toContain(domain)
  await server.ask('POST', `/${id}/end`)
  expect(await differenceOf(cplc)).toBeNull()
})
