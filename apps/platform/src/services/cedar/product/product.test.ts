import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Product } from '@grove/contract/cedar/product'
import {
  startCatalogue,
  tally,
  tenant,
  type Tenant,
  type CatalogueServer,
} from '../testing/catalogue.ts'
import { addLink } from '../link/link.service.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

const url = '/api/developer/product'
const en = (title: string) => ({ translations: [{ localeCode: 'en-US', title }] })

describe('a product', () => {
  it('belongs to its creator’s generic provider, and can be read, changed and deleted', async () => {
    const anna = await tenant(server)
    const made = await anna.send('POST', url, {
      translations: [
        { localeCode: 'en-US', title: '  Tide\n clock ' },
        { localeCode: 'ru-RU', title: 'Часы' },
      ],
    })
    expect(made.status).toBe(201)
    const product: Product = made.body
    expect(product).toMatchObject({
      iconUrl: null,
      isDefault: false,
      linkId: null,
      liveVersion: null,
      newestVersion: null,
      versionCount: 0,
      revision: 1,
    })
    expect(product.translations[0]?.title).toBe('Tide clock')
    expect(product.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    const [provider] = (await anna.send('GET', '/api/provider')).body
    expect(product.providerId).toBe(provider.id)

    const changed = await anna.send('PUT', `${url}/${product.productId}`, en('Moon'))
    expect(changed.body).toMatchObject({ ...en('Moon'), revision: 2 })
    expect((await anna.send('DELETE', `${url}/${product.productId}`)).status).toBe(204)
    expect((await anna.send('GET', `${url}/${product.productId}`)).status).toBe(404)
  })

  it('is invisible to every other developer, whatever they call', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const { productId, providerId } = await anna.product()
    const calls = [
      await boris.send('GET', `${url}/${productId}`),
      await boris.send('PUT', `${url}/${productId}`, en('Mine')),
      await boris.send('DELETE', `${url}/${productId}`),
      await boris.send('POST', `${url}/default/${productId}`),
      await boris.send('PUT', `${url}/${productId}/link`),
      await boris.send('DELETE', `${url}/${productId}/link`),
      await boris.send('GET', `${url}?providerId=${providerId}`),
      await boris.send('POST', url, { providerId, ...en('Mine') }),
    ]
    expect(calls.map(({ status, body }) => [status, body.code])).toEqual(
      calls.map(() => [404, 'not_found']),
    )
    expect((await boris.send('GET', url)).body.items).toEqual([])
    expect((await anna.send('GET', `${url}/${productId}`)).body).toMatchObject(en('Clock'))
  })

  it('is accessible to an admin, whose own list stays their own', async () => {
    const anna = await tenant(server)
    const admin = await tenant(server, ['ADMIN'])
    const { productId, providerId } = await anna.product()
    expect((await admin.send('PUT', `${url}/${productId}`, en('Fixed'))).status).toBe(200)
    expect((await admin.send('GET', url)).body.items).toEqual([])
    const list = await admin.send('GET', `${url}?providerId=${providerId}`)
    expect(list.body.items).toMatchObject([{ productId }])
  })

  it('is not available to customers and strangers', async () => {
    const customer = await tenant(server, ['CUSTOMER'])
    expect((await customer.send('GET', url)).status).toBe(403)
    expect((await server.app.inject(url)).statusCode).toBe(401)
  })

  it('keeps the first of two edits that started from the same revision', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const edits = await Promise.all(
      ['One', 'Two'].map((title) =>
        anna.send('PUT', `${url}/${productId}`, en(title), { 'if-match': '"1"' }),
      ),
    )
    expect(tally(edits)).toEqual({ 200: 1, 409: 1 })
    const lost = edits.find(({ status }) => status === 409)
    expect(lost?.body.code).toBe('edit_conflict')
  })

  it('leaves a trail of who did what', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product('Before')
    await anna.send('PUT', `${url}/${productId}`, en('After'))
    await anna.send('DELETE', `${url}/${productId}`)
    const { rows } = await sql<{ action: string; actor: string; after: Product | null }>`
      select action, actor, after from cedar.event where subject = ${productId} order by id
    `.execute(server.platform.db)
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
      ['product.create', anna.userId],
      ['product.update', anna.userId],
      ['product.delete', anna.userId],
    ])
    expect(rows[1]?.after?.translations[0]?.title).toBe('After')
  })
})

describe('text of all kinds', () => {
  it('is returned unchanged', async () => {
    const anna = await tenant(server)
    const titles = [
      `'; drop table cedar.event; --`,
      '<img src=x onerror=alert(1)>',
      '👩‍👩‍👧‍👦 🏳️‍🌈',
      'שלום مرحبا',
      '100%_\\ "quoted"',
    ]
    for (const title of titles) {
      const { productId } = await anna.product(title)
      expect((await anna.send('GET', `${url}/${productId}`)).body).toMatchObject(en(title))
      const found = await anna.send('GET', `${url}?q=${encodeURIComponent(title.toUpperCase())}`)
      expect(found.body.items).toMatchObject([{ productId }])
    }
  })

  it.each([
    ['a null character', [{ localeCode: 'en-US', title: 'a\0b' }], 'translations.0.title'],
    [
      '10,000 characters',
      [{ localeCode: 'en-US', title: 'x'.repeat(10_000) }],
      'translations.0.title',
    ],
    ['nothing but spaces', [{ localeCode: 'en-US', title: ' \n ' }], 'translations.0.title'],
    ['a locale we do not have', [{ localeCode: 'xx', title: 'x' }], 'translations.0.localeCode'],
    [
      'a locale twice',
      [en('a'), en('b')].flatMap((t) => t.translations),
      'translations.1.localeCode',
    ],
    ['no translation', [], 'translations'],
  ])('is refused with the field named: %s', async (_what, translations, path) => {
    const anna = await tenant(server)
    const { status, body } = await anna.send('POST', url, { translations })
    expect([status, body.errors?.[0]?.path.replace(/^body\./, '')]).toEqual([400, path])
  })
})

describe('the list of products', () => {
  it('finds part of a title in any locale, ignoring case', async () => {
    const anna = await tenant(server)
    await anna.product('Tides')
    const made = await anna.send('POST', url, {
      translations: [
        { localeCode: 'en-US', title: 'Clock' },
        { localeCode: 'ru-RU', title: 'Большие ЧАСЫ' },
      ],
    })
    const titles = async (q: string) => {
      const { body } = await anna.send('GET', `${url}?q=${encodeURIComponent(q)}`)
      return body.items.map((item: Product) => item.translations[0]?.title)
    }
    expect(await titles('ие часы')).toEqual(['Clock'])
    expect(await titles('TID')).toEqual(['Tides'])
    expect(await titles('%')).toEqual([])
    expect(made.body.translations[1].title).toBe('Большие ЧАСЫ')
  })

  it('shows the live and the newest version, and filters by them @long', async () => {
    const anna = await tenant(server)
    const [live, draft] = [await anna.product('Live'), await anna.product('Draft')]
    const first = await anna.ready(live.productId, '1.9.0')
    await anna.send('PUT', `/api/developer/productVersion/${first.productVersionId}`, {
      enabled: true,
    })
    await anna.version(live.productId, '1.10.0')
    const list = (await anna.send('GET', `${url}?status=live`)).body.items
    expect(list).toMatchObject([
      {
        productId: live.productId,
        liveVersion: { version: '1.9.0', state: 'live' },
        newestVersion: { version: '1.10.0', state: 'no_package', locales: [] },
        versionCount: 2,
      },
    ])
    const drafts = (await anna.send('GET', `${url}?status=draft`)).body.items
    expect(drafts.map(({ productId }: Product) => productId)).toEqual([draft.productId])
  })

  it.each(['title', 'updatedAt', 'createdAt'])(
    'pages forward and back by %s over ties, without gaps or repetitions during insertions',
    async (sort) => {
      const anna = await tenant(server)
      const { providerId } = await anna.product('Seed')
      // 60 rows with 5 different titles and 3 different times, with microseconds.
      await sql`
        insert into cedar.product
          (id, provider_id, translations, sort_title, search_text, created_at, updated_at)
        select gen_random_uuid(), ${providerId}, '[{"localeCode":"en-US","title":"x"}]',
          'title ' || n % 5, 'x', t, t
        from (select n, timestamptz '2026-01-01 00:00:00.000001Z'
          + n % 3 * interval '1 microsecond' as t from generate_series(1, 60) n) s
      `.execute(server.platform.db)
      for (const order of ['asc', 'desc']) {
        const query = `${url}?sort=${sort}&order=${order}`
        const whole = await anna.send('GET', `${query}&limit=200`)
        const expected: string[] = whole.body.items.map((item: Product) => item.productId)
        expect(whole.body).toMatchObject({ next: null, previous: null })
        const seen: string[] = []
        let page = whole
        for (let cursor: string | null = ''; cursor !== null; cursor = page.body.next) {
          page = await anna.send('GET', `${query}&limit=7${cursor && `&cursor=${cursor}`}`)
          seen.push(...page.body.items.map((item: Product) => item.productId))
          await anna.product(`title ${seen.length % 5}`)
        }
        const known = new Set(expected)
        expect(seen.filter((id) => known.has(id))).toEqual(expected)
        expect(new Set(seen).size).toBe(seen.length)

        const last = new Set(page.body.items.map((item: Product) => item.productId))
        const back: string[] = []
        for (let cursor = page.body.previous; cursor !== null; cursor = page.body.previous) {
          page = await anna.send('GET', `${query}&limit=7&cursor=${cursor}`)
          back.unshift(...page.body.items.map((item: Product) => item.productId))
        }
        const before = seen.filter((id) => !last.has(id) && known.has(id))
        expect(back.filter((id) => known.has(id))).toEqual(before)
        expect(page.body.previous).toBeNull()
      }
    },
  )

  it('refuses a cursor of another order, and a made-up one', async () => {
    const anna = await tenant(server)
    await anna.product('A')
    await anna.product('B')
    const { next } = (await anna.send('GET', `${url}?limit=1`)).body
    for (const query of [`sort=title&cursor=${next}`, `order=asc&cursor=${next}`, 'cursor=x']) {
      const { status, body } = await anna.send('GET', `${url}?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 'bad_cursor'])
    }
  })

  it('stops at the limit of products, even with many concurrent calls', async () => {
    const anna = await tenant(server)
    const { providerId } = await anna.product()
    await sql`update cedar.provider set product_count = 997 where id = ${providerId}`.execute(
      server.platform.db,
    )
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) => anna.send('POST', url, en(`P${n}`))),
    )
    expect(tally(made)).toEqual({ 201: 3, 409: 5 })
    expect(made.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
  })
})

describe('the link of a product', () => {
  it('has seven letters and digits, stays the same when requested again, and can be removed', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const first = (await anna.send('PUT', `${url}/${productId}/link`)).body
    expect(first.linkId).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/)
    expect((await anna.send('PUT', `${url}/${productId}/link`)).body.linkId).toBe(first.linkId)
    expect((await anna.send('DELETE', `${url}/${productId}/link`)).body.linkId).toBeNull()
  })

  it('gets another id if a product already has it', async () => {
    const anna = await tenant(server)
    const [one, two] = [await anna.product(), await anna.product()]
    const { linkId } = await addLink(server.context, anna.actor, { id: one.productId })
    const draws = [linkId ?? '', linkId ?? '', 'Fresh77']
    const linked = await addLink(server.context, anna.actor, {
      id: two.productId,
      generate: () => draws.shift() ?? '',
    })
    expect(linked.linkId).toBe('Fresh77')
  })

  it('of the default product is its provider’s, and a provider has one default', async () => {
    const anna = await tenant(server)
    const products = await Promise.all(['A', 'B', 'C'].map((title) => anna.product(title)))
    const made = await Promise.all(
      products.map(({ productId }) => anna.send('POST', `${url}/default/${productId}`)),
    )
    expect(made.map(({ status }) => status)).toEqual([200, 200, 200])
    const { items } = (await anna.send('GET', url)).body
    const defaults: Product[] = items.filter(({ isDefault }: Product) => isDefault)
    expect(defaults).toHaveLength(1)
    const linked = await anna.send('PUT', `${url}/${defaults[0]?.productId}/link`)
    const [provider] = (await anna.send('GET', '/api/provider')).body
    expect(provider.miniAppLinkId).toBe(linked.body.linkId)
  })
})

it('a live product cannot be deleted', async () => {
  const anna: Tenant = await tenant(server)
  const { productId } = await anna.product()
  const { productVersionId } = await anna.ready(productId)
  const versionUrl = `/api/developer/productVersion/${productVersionId}`
  await anna.send('PUT', versionUrl, { enabled: true })
  expect((await anna.send('DELETE', `${url}/${productId}`)).body.code).toBe('product_is_live')
  await anna.send('PUT', versionUrl, { enabled: false })
  expect((await anna.send('DELETE', `${url}/${productId}`)).status).toBe(204)
  expect((await anna.send('GET', versionUrl)).status).toBe(404)
})

it('an unknown id is not found, and an invalid one is refused', async () => {
  const anna = await tenant(server)
  expect((await anna.send('GET', `${url}/${randomUUID()}`)).status).toBe(404)
  expect((await anna.send('GET', `${url}/1%27--`)).body.errors).toMatchObject([{ path: 'id' }])
})
