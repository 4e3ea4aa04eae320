import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Activity } from '@grove/contract/cedar/activity'
import { csvLine } from '../parts/csv.ts'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

const path = '/api/developer/activity'
const read = async (who: Tenant, query = '') =>
  (await who.send('GET', `${path}${query}`)).body as { items: Activity[]; next: string | null }
const actionsOf = ({ items }: { items: Activity[] }) => items.map(({ action }) => action)

/** A developer with a product that was released, rolled back with a reason, and changed. */
async function withHistory() {
  const anna = await tenant(server)
  const product = await anna.product('Clock')
  const { productId } = product
  const [first, second] = [await anna.ready(productId), await anna.ready(productId, '1.1.0')]
  const put = (id: string, body: object) =>
    anna.send('PUT', `/api/developer/productVersion/${id}`, body)
  await put(first.productVersionId, { enabled: true })
  await put(second.productVersionId, { enabled: true })
  await put(first.productVersionId, { enabled: true, reason: '=cmd, it "broke"' })
  return { anna, product, first, second }
}

test('developers see what happened to their own apps, with names, versions and reasons', async () => {
  const { anna, product, first } = await withHistory()
  const [latest, ...others] = (await read(anna)).items
  expect(latest).toMatchObject({
    action: 'version.enable',
    actor: anna.userId,
    subject: first.productVersionId,
    productId: product.productId,
    providerId: product.providerId,
    productNames: [{ localeCode: 'en-US', name: 'Clock' }],
    version: '1.0.0',
    before: { state: 'previous', live: { version: '1.1.0' } },
    after: { reason: '=cmd, it "broke"' },
  })
  expect(others.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['provider.create', 'product.create', 'version.package']),
  )
  // People's IP addresses and browsers are only in the admins' audit trail.
  for (const name of ['ip', 'userAgent', 'requestId']) expect(latest).not.toHaveProperty(name)
})

test('the events of a product are its own and its versions’, and stay after those are deleted', async () => {
  const { anna, product, second } = await withHistory()
  await anna.product('Another')
  await anna.send('DELETE', `/api/developer/productVersion/${second.productVersionId}`)
  const events = await read(anna, `?productId=${product.productId}`)
  expect(actionsOf(events)[0]).toBe('version.delete')
  expect(actionsOf(events).at(-1)).toBe('product.create')
  expect(new Set(events.items.map(({ productId }) => productId)).size).toBe(1)
})

test('results are filtered by action, person, object and day, page by page', async () => {
  const { anna, product, first } = await withHistory()
  const of = `?providerId=${product.providerId}`
  expect(actionsOf(await read(anna, `${of}&action=version.enable`))).toHaveLength(3)
  expect(actionsOf(await read(anna, `${of}&actor=${admin.userId}`))).toEqual([])
  expect((await read(anna, `${of}&subject=${first.productVersionId}`)).items).toHaveLength(4)
  expect((await read(anna, `${of}&q=${first.productVersionId}`)).items).toHaveLength(4)
  expect(actionsOf(await read(anna, `${of}&to=2020-01-01T00:00:00Z`))).toEqual([])
  const all = await read(anna, `${of}&from=2020-01-01T00:00:00Z`)
  const seen: number[] = []
  let next: string | null = ''
  while (next !== null) {
    const page = await read(anna, `${of}&limit=3${next && `&cursor=${next}`}`)
    seen.push(...page.items.map(({ id }) => id))
    next = page.next
  }
  expect(seen).toEqual(all.items.map(({ id }) => id))
})

test('actions of a publish key show the key’s name and its creator, even after it was revoked', async () => {
  const { anna, product } = await withHistory()
  const { providerId, productId } = product
  const { body: made } = await anna.send('POST', '/api/developer/publishKey', {
    providerId,
    name: 'Build server',
  })
  const authorization = `Bearer ${made.key}`
  const body = { productId, version: '2.0.0' }
  const created = await anna.send('POST', '/api/developer/productVersion', body, { authorization })
  expect(created.status).toBe(201)
  const ofKey = async () =>
    (await read(anna, `?productId=${productId}`)).items.map(({ actor, key }) => [actor, key])[0]
  const expected = [`key:${made.id}`, { name: 'Build server', createdBy: anna.userId }]
  expect(await ofKey()).toEqual(expected)
  await anna.send('DELETE', `/api/developer/publishKey/${made.id}`)
  expect(await ofKey()).toEqual(expected)
  const { items } = await read(anna, `?actor=${anna.userId}`)
  expect(new Set(items.map(({ key }) => key))).toEqual(new Set([null]))
  const csv = await anna.send('GET', `${path}/csv?productId=${productId}`)
  expect(String(csv.body)).toContain(`,key:${made.id},,Build server,version.create,`)
})

test('the events of others cannot be reached, not even by their ids', async () => {
  const { product, first } = await withHistory()
  const stranger = await tenant(server)
  for (const kind of ['', '/csv'])
    for (const query of [`?productId=${product.productId}`, `?providerId=${product.providerId}`])
      expect((await stranger.send('GET', `${path}${kind}${query}`)).status).toBe(404)
  expect((await read(stranger, `?subject=${first.productVersionId}`)).items).toEqual([])
  const unknown = await stranger.send('GET', `${path}?productId=${randomUUID()}`)
  expect(unknown.status).toBe(404)
  const customer = await tenant(server, ['CUSTOMER'])
  expect((await customer.send('GET', path)).status).toBe(403)
})

test('an admin sees the events of every provider', async () => {
  const { product } = await withHistory()
  const { items } = await read(admin, '?limit=200')
  expect(items.map(({ providerId }) => providerId)).toContain(product.providerId)
  expect((await read(admin, `?productId=${product.productId}`)).items.length).toBeGreaterThan(5)
})

test('a CSV file contains the same events, safe to open in a spreadsheet', async () => {
  const { anna, product } = await withHistory()
  const { body, headers } = await anna.send('GET', `${path}/csv?providerId=${product.providerId}`)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  const lines = String(body).trimEnd().split('\r\n')
  expect(lines[0]).toBe(
    'at,actor,email,key,action,provider,app,version,subject,reason,before,after',
  )
  expect(lines[1]).toContain(`,version.enable,My apps,Clock,1.0.0,`)
  expect(lines[1]).toContain(`,"'=cmd, it ""broke""",`)
  expect(lines).toHaveLength((await read(anna)).items.length + 1)
  expect(csvLine(['＝1', '＋1', '－1', '＠x', ' =1'])).toBe("'＝1,'＋1,'－1,'＠x,' =1\r\n")
  expect(csvLine(['+1', '@x', '-', 'a\nb', 'c'])).toBe("'+1,'@x,'-,\"a\nb\",c\r\n")
})

test('a CSV file names people only to administrators, and the reader to themselves', async () => {
  const { anna, product } = await withHistory()
  const { db } = server.context
  const bob = await tenant(server)
  for (const [who, email] of [
    [anna, 'anna@grove.test'],
    [bob, '=bob@grove.test'],
  ] as const)
    await sql`insert into platform.person (id, email) values (${who.userId}, ${email})
      on conflict (id) do update set email = excluded.email`.execute(db)
  await sql`insert into cedar.event (actor, action, subject, provider_id, product_id)
    values (${bob.userId}, 'product.update', ${product.productId}, ${product.providerId}, ${product.productId})
  `.execute(db)
  const emailsFor = async (who: Tenant) => {
    const { body } = await who.send('GET', `${path}/csv?productId=${product.productId}`)
    const lines = String(body).trimEnd().split('\r\n').slice(1)
    return new Set(lines.map((line) => line.split(',')[2]))
  }
  expect(await emailsFor(anna)).toEqual(new Set(['anna@grove.test', '']))
  expect(await emailsFor(admin)).toEqual(new Set(['anna@grove.test', "'=bob@grove.test"]))
})

test('a page is found by an index, however much others have done', async () => {
  const { anna, product } = await withHistory()
  const { db } = server.context
  await sql`insert into cedar.event (action, subject, provider_id)
    select 'product.update', gen_random_uuid()::text, gen_random_uuid()
    from generate_series(1, 20000)`.execute(db)
  await sql`analyze cedar.event`.execute(db)
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select * from cedar.event e where e.provider_id = ${product.providerId}
      order by at desc, id desc limit 51`.execute(db)
  expect(JSON.stringify(rows)).toContain('event_by_provider')
  expect((await read(anna)).items.length).toBeGreaterThan(5)
})
