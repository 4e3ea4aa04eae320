import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CatalogueProduct } from '@grove/contract/cedar/catalogue'
import {
  packageParts,
  startCatalogue,
  tenant,
  type Tenant,
  type CatalogueServer,
} from '../testing/catalogue.ts'

let server: CatalogueServer
let anonymous: { authorization: string }
beforeAll(async () => {
  server = await startCatalogue()
  anonymous = await server.bearer([])
})
afterAll(() => server.close())
// The catalogue is public, so each test begins with an empty one.
beforeEach(() => sql`update cedar.product_version set enabled = false`.execute(server.platform.db))

const url = '/api/catalogue/product'

async function get(path = '', headers: Record<string, string> = anonymous) {
  const response = await server.app.inject({ url: url + path, headers })
  return { status: response.statusCode, body: response.json(), text: response.body }
}
const titles = async (query = '') =>
  (await get(query)).body.items.map((item: CatalogueProduct) => item.translations[0]?.title)

const switchTo = (anna: Tenant, productVersionId: string, enabled: boolean) =>
  anna.send('PUT', `/api/developer/productVersion/${productVersionId}`, { enabled })

interface Texts {
  title: string
  shortDescription?: string
  description?: string
  whatsNew?: string
}

/** A product whose version goes live with these texts. */
async function release(anna: Tenant, english: Texts, russian?: Texts) {
  const { productId } = await anna.product('Working title')
  const { productVersionId } = await anna.ready(productId)
  const translations = [{ localeCode: 'en-US', ...english }]
  if (russian) translations.push({ localeCode: 'ru-RU', ...russian })
  const { status } = await anna.send('PUT', `/api/developer/productVersion/${productVersionId}`, {
    enabled: true,
    translations,
  })
  expect(status).toBe(200)
  return { productId, productVersionId }
}

describe('the public catalogue', () => {
  it('shows the live version to an anonymous visitor, a customer and a developer alike', async () => {
    const anna = await tenant(server)
    const { productId } = await release(
      anna,
      { title: 'Tides', shortDescription: 'High and low', description: 'Long', whatsNew: 'New' },
      { title: 'Приливы' },
    )
    const { status, body } = await get()
    expect(status).toBe(200)
    expect(body).toEqual({
      items: [
        {
          productId,
          translations: [
            { localeCode: 'en-US', title: 'Tides', shortDescription: 'High and low' },
            { localeCode: 'ru-RU', title: 'Приливы' },
          ],
          iconUrl: null,
          provider: null,
          version: '1.0.0',
          releasedAt: expect.stringMatching(/\.\d{6}Z$/),
        },
      ],
      next: null,
      previous: null,
    })
    for (const roles of [['CUSTOMER'], ['DEVELOPER']])
      expect((await get('', await server.bearer(roles))).body).toEqual(body)
  })

  it('shows everything that the public may know about an app, and nothing else', async () => {
    const anna = await tenant(server)
    const { productId } = await release(anna, {
      title: 'Tides',
      description: 'Long',
      whatsNew: 'New',
    })
    const { body, text } = await get(`/${productId}`)
    expect(body).toEqual({
      productId,
      translations: [{ localeCode: 'en-US', title: 'Tides', description: 'Long', whatsNew: 'New' }],
      iconUrl: null,
      provider: null,
      version: '1.0.0',
      releasedAt: expect.any(String),
      images: [],
      bytes: packageParts('').find((part) => 'data' in part)?.data?.length,
    })
    for (const secret of [anna.userId, 'Working title', 'sha256', 'revision', 'report'])
      expect(text + (await get()).text).not.toContain(secret)
  })

  it('names an organisation, but not a developer’s own provider by default', async () => {
    const anna = await tenant(server)
    const { productId } = await release(anna, { title: 'Tides' })
    expect((await get(`/${productId}`)).body.provider).toBeNull()
    await sql`update cedar.provider set is_default = false,
      translations = '[{"localeCode":"en-US","name":"Harbour Studio"}]'
      where owner_id = ${anna.userId}`.execute(server.platform.db)
    const provider = { translations: [{ localeCode: 'en-US', name: 'Harbour Studio' }] }
    expect((await get(`/${productId}`)).body.provider).toEqual(provider)
    expect((await get()).body.items).toMatchObject([{ provider }])
  })

  it('contains no drafts, no disabled versions and nothing of a disabled provider', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const draft = await anna.product('Draft')
    await anna.ready(draft.productId)
    const retired = await release(anna, { title: 'Retired' })
    await switchTo(anna, retired.productVersionId, false)
    const banned = await release(boris, { title: 'Banned' })
    await release(anna, { title: 'Shown' })
    await sql`update cedar.provider set enabled = false where owner_id = ${boris.userId}`.execute(
      server.platform.db,
    )
    expect(await titles()).toEqual(['Shown'])
    for (const id of [draft.productId, retired.productId, banned.productId, randomUUID()]) {
      const { status, body } = await get(`/${id}`)
      expect([status, body.code]).toEqual([404, 'not_found'])
    }
    expect(await titles('?q=banned')).toEqual([])
  })

  it('lists a version that goes live first, even after a rollback', async () => {
    const anna = await tenant(server)
    const first = await release(anna, { title: 'First' })
    await release(anna, { title: 'Second' })
    expect(await titles()).toEqual(['Second', 'First'])
    const newer = await anna.ready(first.productId, '1.1.0')
    await switchTo(anna, newer.productVersionId, true)
    expect((await get()).body.items).toMatchObject([
      { productId: first.productId, version: '1.1.0' },
      {},
    ])
    await release(anna, { title: 'Third' })
    await switchTo(anna, first.productVersionId, true)
    expect(await titles()).toEqual(['First', 'Third', 'Second'])
  })

  it('needs at least an anonymous token', async () => {
    const { status, body } = await get('', {})
    expect([status, body.code]).toEqual([401, 'unauthorized'])
  })
})

describe('a search of the catalogue', () => {
  it('finds part of a live title in any locale, ignoring case, and not the working title', async () => {
    const anna = await tenant(server)
    await release(anna, { title: 'Tide Table' }, { title: 'Таблица ПРИЛИВОВ' })
    await release(anna, { title: '100%_off \\ 👩‍👩‍👧' })
    expect(await titles('?q=DE+TAB')).toEqual(['Tide Table'])
    expect(await titles(`?q=${encodeURIComponent('прилив')}`)).toEqual(['Tide Table'])
    for (const q of ['%_OFF', '\\', '👩‍👩‍👧'])
      expect(await titles(`?q=${encodeURIComponent(q)}`)).toEqual(['100%_off \\ 👩‍👩‍👧'])
    for (const q of ['working', 'e%t', 'tide_table', 'tide\ntable'])
      expect(await titles(`?q=${encodeURIComponent(q)}`)).toEqual([])
    expect(await titles('?q=++')).toHaveLength(2)
  })

  it('follows a title that is changed while live', async () => {
    const anna = await tenant(server)
    const { productVersionId } = await release(anna, { title: 'Before' })
    await anna.send('PUT', `/api/developer/productVersion/${productVersionId}`, {
      translations: [{ localeCode: 'en-US', title: 'After' }],
    })
    expect(await titles('?q=before')).toEqual([])
    expect(await titles('?q=after')).toEqual(['After'])
  })
})

it('can be paged both ways over ties to the microsecond, without gaps or repetitions', async () => {
  const anna = await tenant(server)
  const { providerId } = await anna.product()
  const { productVersionId } = await anna.ready((await anna.product()).productId)
  await fill(providerId, productVersionId, 40)
  const ids = ({ body }: Awaited<ReturnType<typeof get>>): string[] =>
    body.items.map((item: CatalogueProduct) => item.productId)
  const whole = ids(await get('?limit=200'))
  expect(whole).toHaveLength(40)

  const seen: string[] = []
  let page = await get('?limit=7')
  expect(page.body.previous).toBeNull()
  for (;;) {
    seen.push(...ids(page))
    // A release meanwhile: it belongs above the first page.
    await fill(providerId, productVersionId, 1, 'now()')
    if (page.body.next === null) break
    page = await get(`?limit=7&cursor=${page.body.next}`)
  }
  expect(seen).toEqual(whole)

  const back = ids(page)
  while (page.body.previous !== null) {
    page = await get(`?limit=7&cursor=${page.body.previous}`)
    back.unshift(...ids(page))
  }
  expect(back.slice(-40)).toEqual(whole)
  expect(back).toHaveLength(46)
})

it.each(['x', 'WzEsInJlbGVhc2VkIl0', 'AAAA'])('a made-up cursor is refused: %s', async (cursor) => {
  const { status, body } = await get(`?cursor=${cursor}`)
  expect([status, body.code]).toEqual([400, 'bad_cursor'])
})

/** Live products with few distinct times, which share one version's package. */
async function fill(providerId: string, versionId: string, count: number, at?: string) {
  await sql`
    with made as (
      insert into cedar.product (id, provider_id, translations, sort_title, search_text)
      select gen_random_uuid(), ${providerId}, '[]', 'x', 'x' from generate_series(1, ${count}::int)
      returning id
    ), numbered as (select id, row_number() over () as n from made)
    insert into cedar.product_version
      (id, product_id, major, minor, patch, translations, search_text, enabled, enabled_at, package_sha256)
    select gen_random_uuid(), id, 1, 0, 0, '[{"localeCode":"en-US","title":"x"}]', 'x', true,
      ${at ? sql.raw(at) : sql`timestamptz '2026-01-01 00:00:00.000001Z' + n % 3 * interval '1 microsecond'`},
      (select package_sha256 from cedar.product_version where id = ${versionId})
    from numbered`.execute(server.platform.db)
}
