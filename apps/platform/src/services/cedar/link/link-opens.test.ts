import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildApp } from '../../../core/http/app.ts'
import { testKeys } from '../../../core/testing/test-platform.ts'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'
import { cedar } from '../index.ts'
import { deleteOldOpens } from './link.queries.ts'
import { openCounter } from './open-counter.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

async function linked(anna: Tenant) {
  const { productId } = await anna.product()
  const { productVersionId } = await anna.ready(productId)
  await anna.send('PUT', `/api/developer/productVersion/${productVersionId}`, { enabled: true })
  const { body } = await anna.send('PUT', `/api/developer/product/${productId}/link`)
  return { productId, linkId: body.linkId as string }
}

/** Opens counted on an earlier day. */
const insertOpens = (linkId: string, productId: string, daysAgo: number, opens: number) =>
  sql`insert into cedar.link_open (link_id, day, product_id, opens)
    values (${linkId}, (now() at time zone 'utc')::date - ${daysAgo}::integer, ${productId}, ${opens})`.execute(
    server.platform.db,
  )

it('opens are written when the process stops, without robots, previews and missing links', async () => {
  const anna = await tenant(server)
  const { productId, linkId } = await linked(anna)
  // A separate process, which is stopped.
  const other = await buildApp({ ...server.platform }, [cedar, testKeys])
  const open = (id: string, headers: Record<string, string> = {}) =>
    other.inject({ url: `/api/${id}`, headers })
  await open(linkId)
  await open(linkId, { 'user-agent': 'HarbourHost/3.1 (iOS)' })
  for (const userAgent of [
    'Slackbot-LinkExpanding 1.0',
    'TelegramBot',
    'WhatsApp/2.23',
    'facebookexternalhit/1.1',
  ])
    await open(linkId, { 'user-agent': userAgent })
  await open(linkId, { 'sec-purpose': 'prefetch;prerender' })
  await open('Zz9Zz9Z')
  const read = async () =>
    (await anna.send('GET', `/api/developer/product/${productId}/opens`)).body.opens.at(-1)
  expect(await read()).toBe(0)
  await other.close()
  expect(await read()).toBe(2)
  expect((await anna.send('GET', `/api/developer/product/${productId}`)).body.opens7d).toBe(2)
})

it('the opens of each day and of the last 7 are the app’s own', async () => {
  const anna = await tenant(server)
  const { productId, linkId } = await linked(anna)
  const other = await linked(anna)
  await insertOpens(other.linkId, other.productId, 1, 500)
  for (const [daysAgo, opens] of [
    [0, 3],
    [6, 4],
    [7, 100],
    [29, 5],
    [30, 1000],
    [89, 7],
    [90, 9000],
  ] as const)
    await insertOpens(linkId, productId, daysAgo, opens)
  const { body } = await anna.send('GET', `/api/developer/product/${productId}/opens`)
  expect([body.days.length, body.opens.length]).toEqual([30, 30])
  expect(body.days.at(-1)).toBe(new Date().toISOString().slice(0, 10))
  expect([body.opens[0], body.opens[23], body.opens[29]]).toEqual([5, 4, 3])
  expect(body.opens.reduce((sum: number, each: number) => sum + each, 0)).toBe(112)
  const long = await anna.send('GET', `/api/developer/product/${productId}/opens?days=90`)
  expect([long.body.days.length, long.body.opens[0]]).toEqual([90, 7])
  for (const days of ['0', '91', 'x'])
    expect(
      (await anna.send('GET', `/api/developer/product/${productId}/opens?days=${days}`)).status,
    ).toBe(400)

  const { items } = (await anna.send('GET', '/api/developer/product?sort=createdAt')).body
  expect(items.map((item: { opens7d: number }) => item.opens7d)).toEqual([500, 7])
  const links = (await anna.send('GET', `/api/developer/product/${productId}/link`)).body.items
  expect(links).toMatchObject([{ linkId, opens7d: 7 }])
})

it('processes add up their counts, by the database’s day', async () => {
  const { productId, linkId } = await linked(await tenant(server))
  const midnight = Date.UTC(2026, 0, 2)
  let now = midnight - 1
  const counters = [1, 2].map(() => openCounter({ db: server.context.db, now: () => now }))
  for (const counter of counters) for (let n = 0; n < 50; n += 1) counter.count(linkId, productId)
  now = midnight
  counters[0]?.count(linkId, productId)
  await Promise.all(counters.map((counter) => counter.flush()))
  await Promise.all(counters.map((counter) => counter.flush()))
  for (const counter of counters) counter.stop()
  const { rows } = await sql<{ day: string; opens: number }>`
    select to_char(day, 'YYYY-MM-DD') as day, opens::float8 as opens from cedar.link_open
    where link_id = ${linkId} order by day`.execute(server.platform.db)
  expect(rows).toEqual([
    { day: '2026-01-01', opens: 100 },
    { day: '2026-01-02', opens: 1 },
  ])
})

it('counts that could not be written are kept for the next time', async () => {
  const { productId, linkId } = await linked(await tenant(server))
  const counter = openCounter({ db: server.context.db, now: Date.now })
  counter.count(linkId, productId)
  await sql`alter table cedar.link_open rename to away`.execute(server.platform.db)
  await expect(counter.flush()).rejects.toThrow('link_open')
  await sql`alter table cedar.away rename to link_open`.execute(server.platform.db)
  counter.count(linkId, productId)
  await counter.flush()
  counter.stop()
  const { rows } = await sql<{ opens: number }>`
    select opens::float8 as opens from cedar.link_open where link_id = ${linkId}`.execute(
    server.platform.db,
  )
  expect(rows).toEqual([{ opens: 2 }])
})

it('opens older than their retention are deleted', async () => {
  const { productId, linkId } = await linked(await tenant(server))
  await insertOpens(linkId, productId, 800, 1)
  await insertOpens(linkId, productId, 801, 1)
  expect(await deleteOldOpens(server.context.db, 800)).toBeGreaterThanOrEqual(1)
  const { rows } = await sql`select from cedar.link_open where link_id = ${linkId}`.execute(
    server.platform.db,
  )
  expect(rows).toHaveLength(1)
})

it('one network can open a limited number of links a minute, and does not hold up others', async () => {
  const limited = { ...server.platform, env: { GROVE_LINK_OPENS_PER_MINUTE: '20' } }
  const app = await buildApp(limited, [cedar, testKeys])
  const open = (remoteAddress: string) => app.inject({ url: '/api/Zz9Zz9Z', remoteAddress })
  for (let n = 0; n < 20; n += 1) expect((await open(`192.0.2.${n}`)).statusCode).toBe(404)
  const refused = await open('192.0.2.99')
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_attempts'])
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3)
  expect((await open('198.51.100.1')).statusCode).toBe(404)
  // An IPv6 subscriber has many /64 networks.
  const answers = []
  for (let n = 0; n < 21; n += 1) answers.push((await open(`2001:db8:1:${n}::1`)).statusCode)
  expect(answers.at(-1)).toBe(429)
  await app.close()
})
