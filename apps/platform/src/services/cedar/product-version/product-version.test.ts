import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import {
  packageParts,
  startCatalogue,
  tally,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'
import { enableVersion } from './product-version.service.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

const url = '/api/developer/productVersion'
const translations = [{ localeCode: 'en-US', title: 'Clock' }]
const upload = '/api/storage/productVersion/miniApp'

describe('a version', () => {
  it('has a number higher than all earlier ones, compared as numbers', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const create = async (version: string) => {
      const { status, body } = await anna.send('POST', url, { productId, version, translations })
      return status === 201 ? body.version : body.code
    }
    expect(await create('1.9.0')).toBe('1.9.0')
    expect(await create('1.10.0')).toBe('1.10.0')
    expect(await create('1.9.9')).toBe('version_not_higher')
    expect(await create('1.10.0')).toBe('version_taken')
    expect(await create('999999999.999999999.999999999')).toBe('999999999.999999999.999999999')
    for (const version of ['1.0', '01.0.0', '1.0.0-beta', 'v1.0.0', '1.0.9999999999'])
      expect([version, await create(version)]).toEqual([version, 'invalid_request'])
  })

  it('is created once when the same number is sent many times at once', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        anna.send('POST', url, { productId, version: '1.0.0', translations }),
      ),
    )
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(made.filter(({ body }) => body.code === 'version_taken')).toHaveLength(9)
  })

  it('is invisible to every other developer, whatever they call', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const { productId } = await anna.product()
    const { productVersionId: id } = await anna.ready(productId)
    const calls = [
      await boris.send('GET', `${url}?productId=${productId}`),
      await boris.send('POST', url, { productId, version: '2.0.0', translations }),
      await boris.send('GET', `${url}/${id}`),
      await boris.send('PUT', `${url}/${id}`, { enabled: true }),
      await boris.send('DELETE', `${url}/${id}`),
      await boris.send('GET', `${upload}?productVersionId=${id}`),
      await boris.upload(upload, packageParts(id)),
    ]
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 404))
    expect((await anna.send('GET', `${url}/${id}`)).body.state).toBe('ready')
  })

  it('is listed newest first, page by page and back', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const numbers = ['1.0.0', '1.0.10', '1.2.0', '2.0.0', '10.0.0']
    for (const number of numbers) await anna.version(productId, number)
    const list = `${url}?productId=${productId}&limit=2`
    const versions = (page: { body: { items: ProductVersion[] } }) =>
      page.body.items.map(({ version }) => version)
    const first = await anna.send('GET', list)
    const second = await anna.send('GET', `${list}&cursor=${first.body.next}`)
    const third = await anna.send('GET', `${list}&cursor=${second.body.next}`)
    expect([first, second, third].map(versions)).toEqual([
      ['10.0.0', '2.0.0'],
      ['1.2.0', '1.0.10'],
      ['1.0.0'],
    ])
    expect([first.body.previous, third.body.next]).toEqual([null, null])
    const back = await anna.send('GET', `${list}&cursor=${third.body.previous}`)
    expect(versions(back)).toEqual(['1.2.0', '1.0.10'])
    const forged = Buffer.from(
      JSON.stringify([1, 'version version desc', 'x.y.z', randomUUID(), 'next']),
    ).toString('base64url')
    expect((await anna.send('GET', `${list}&cursor=${forged}`)).body.code).toBe('bad_cursor')
  })
})

describe('a new version takes its listing', () => {
  const listing = async (anna: Tenant, version: ProductVersion, title: string, colour: string) => {
    const texts = [{ localeCode: 'en-US', title, description: `${title} text`, whatsNew: 'New' }]
    const one = `${url}/${version.productVersionId}`
    await anna.send('PUT', one, { translations: texts })
    for (const { id } of version.images)
      await anna.send('DELETE', `/api/storage/productVersion/image?id=${id}`)
    const { status, body } = await anna.upload('/api/storage/productVersion/image', [
      { name: 'productVersionId', value: version.productVersionId },
      { name: 'file', fileName: 'a.png', data: await picture(colour) },
    ])
    expect(status).toBe(200)
    return body as ProductVersion
  }
  const picture = (background: string) =>
    sharp({ create: { width: 400, height: 700, channels: 3, background } })
      .png()
      .toBuffer()
  const hashes = ({ images }: ProductVersion) => images.map(({ sha256 }) => sha256)
  const create = async (anna: Tenant, productId: string, version: string) =>
    (await anna.send('POST', url, { productId, version })).body as ProductVersion
  const enable = (anna: Tenant, { productVersionId }: ProductVersion, enabled = true) =>
    anna.send('PUT', `${url}/${productVersionId}`, { enabled })

  it('from the live version, so that a patch does not empty the catalogue', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const live = await listing(anna, await anna.ready(productId, '1.0.0'), 'Live', 'red')
    await enable(anna, live)
    await listing(anna, await create(anna, productId, '1.1.0'), 'Draft', 'blue')
    const fresh = await create(anna, productId, '1.2.0')
    expect(fresh.translations).toEqual([
      { localeCode: 'en-US', title: 'Live', description: 'Live text' },
    ])
    expect(hashes(fresh)).toEqual(hashes(live))
    expect(fresh.images[0]?.id).not.toBe(live.images[0]?.id)
    // Each version has its own rows: removing from one does not affect the other.
    await anna.send('DELETE', `/api/storage/productVersion/image?id=${fresh.images[0]?.id}`)
    const now = (await anna.send('GET', `${url}/${live.productVersionId}`)).body
    expect(hashes(now)).toEqual(hashes(live))
  })

  it('never from a rolled-back version', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const old = await listing(anna, await anna.ready(productId, '1.0.0'), 'Old', 'red')
    await enable(anna, old)
    const bad = await listing(anna, await anna.ready(productId, '1.1.0'), 'Bad', 'blue')
    await enable(anna, bad)
    await enable(anna, old)
    const afterRollback = await create(anna, productId, '1.2.0')
    expect(afterRollback.translations[0]?.title).toBe('Old')
    expect(hashes(afterRollback)).toEqual(hashes(old))
    await enable(anna, old, false)
    expect((await create(anna, productId, '1.3.0')).translations[0]?.title).toBe('Old')
  })

  it('from the one that was live last if none is, otherwise from the newest, otherwise from the app', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product('App title')
    const first = await create(anna, productId, '1.0.0')
    expect(first).toMatchObject({
      translations: [{ localeCode: 'en-US', title: 'App title' }],
      images: [],
    })
    const draft = await listing(anna, first, 'Draft', 'red')
    const second = await create(anna, productId, '1.1.0')
    expect([second.translations[0]?.title, hashes(second)]).toEqual(['Draft', hashes(draft)])
    await anna.upload(upload, packageParts(second.productVersionId))
    const released = await listing(anna, second, 'Released', 'blue')
    await enable(anna, released)
    await enable(anna, released, false)
    await listing(anna, await create(anna, productId, '1.2.0'), 'Newer draft', 'green')
    expect((await create(anna, productId, '1.3.0')).translations[0]?.title).toBe('Released')
  })

  it('with its own texts if they are given', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const live = await listing(anna, await anna.ready(productId, '1.0.0'), 'Live', 'red')
    await enable(anna, live)
    const made = await anna.send('POST', url, { productId, version: '2.0.0', translations })
    expect(made.body.translations).toEqual(translations)
    expect(hashes(made.body)).toEqual(hashes(live))
  })
})

it('the release history names each version, who switched it, when and why, newest first', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const { productId } = await anna.product()
  const old = await anna.ready(productId, '1.0.0')
  const fresh = await anna.ready(productId, '1.1.0')
  const put = ({ productVersionId }: ProductVersion, body: object) =>
    anna.send('PUT', `${url}/${productVersionId}`, body)
  await put(old, { enabled: true })
  await put(fresh, { enabled: true, reason: '  ' })
  await put(old, { enabled: true, reason: ' Crashes on start ' })
  await put(old, { enabled: false, reason: 'Holidays' })
  await anna.send('DELETE', `${url}/${fresh.productVersionId}`)
  const history = `/api/developer/product/${productId}/release`
  const first = (await anna.send('GET', `${history}?limit=3`)).body
  const second = (await anna.send('GET', `${history}?limit=3&cursor=${first.next}`)).body
  const actor = anna.userId
  expect([...first.items, ...second.items]).toEqual(
    [
      { action: 'disable', version: '1.0.0', replaced: null, reason: 'Holidays' },
      { action: 'rollback', version: '1.0.0', replaced: '1.1.0', reason: 'Crashes on start' },
      { action: 'enable', version: '1.1.0', replaced: '1.0.0', reason: null },
      { action: 'enable', version: '1.0.0', replaced: null, reason: null },
    ].map((release) => ({ ...release, actor, id: expect.any(String), at: expect.any(String) })),
  )
  expect(second.next).toBeNull()
  expect((await boris.send('GET', history)).body.code).toBe('not_found')
  const tooLong = await put(old, { enabled: true, reason: 'x'.repeat(501) })
  expect(tooLong.body.errors[0].path).toBe('reason')
})

describe('going live', () => {
  it('needs a package that passed and a title in the default locale', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const { productVersionId } = await anna.version(productId)
    const one = `${url}/${productVersionId}`
    const enable = () => anna.send('PUT', one, { enabled: true })
    expect((await enable()).body.code).toBe('package_missing')
    await anna.upload(upload, packageParts(productVersionId, Buffer.from('no zip')))
    expect((await enable()).body.code).toBe('package_missing')
    await anna.upload(upload, packageParts(productVersionId))
    const russian = { translations: [{ localeCode: 'ru-RU', title: 'Часы' }] }
    await anna.send('PUT', one, russian)
    expect((await enable()).body.code).toBe('translation_missing')
    await anna.send('PUT', one, { translations })
    const live = await enable()
    expect(live.body).toMatchObject({ enabled: true, state: 'live', isFinal: true })
    expect(live.body.enabledAt).not.toBeNull()
    expect((await anna.send('PUT', one, russian)).body.code).toBe('translation_missing')
  })

  it('swaps the live version, and enabling the previous one rolls back', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const old = await anna.ready(productId, '1.0.0')
    const fresh = await anna.ready(productId, '1.1.0')
    const enable = (id: string) => anna.send('PUT', `${url}/${id}`, { enabled: true })
    const states = async () => {
      const { items } = (await anna.send('GET', `${url}?productId=${productId}`)).body
      return items.map(({ version, state }: ProductVersion) => `${version} ${state}`)
    }
    await enable(old.productVersionId)
    await enable(fresh.productVersionId)
    expect(await states()).toEqual(['1.1.0 live', '1.0.0 previous'])
    await enable(old.productVersionId)
    expect(await states()).toEqual(['1.1.0 previous', '1.0.0 live'])
    await anna.send('PUT', `${url}/${old.productVersionId}`, { enabled: false })
    expect(await states()).toEqual(['1.1.0 previous', '1.0.0 previous'])
  })

  it('leaves one version live after twenty requests at once, and no failure', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const versions: ProductVersion[] = []
    for (let minor = 0; minor < 5; minor += 1)
      versions.push(await anna.ready(productId, `1.${minor}.0`))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        anna.send('PUT', `${url}/${versions[n % 5]?.productVersionId}`, { enabled: true }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { rows } = await sql<{ live: number }>`
      select count(*) as live from cedar.product_version
      where product_id = ${productId} and enabled`.execute(server.platform.db)
    expect(rows).toEqual([{ live: 1 }])
    const { rows: trail } = await sql<{ subject: string; live: string | null }>`
      select subject, before -> 'live' ->> 'id' as live from cedar.event
      where action = 'version.enable' and subject = any(${versions.map((v) => v.productVersionId)})
      order by id`.execute(server.platform.db)
    // Each swap replaced exactly the version that the previous swap made live.
    expect(trail.map(({ live }) => live)).toEqual([
      null,
      ...trail.slice(0, -1).map(({ subject }) => subject),
    ])
  })

  it('happens once for many callers with the same revision', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const { productVersionId, revision } = await anna.ready(productId)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        anna.send(
          'PUT',
          `${url}/${productVersionId}`,
          { enabled: true },
          { 'if-match': `"${revision}"` },
        ),
      ),
    )
    expect(tally(answers)).toEqual({ 200: 1, 409: 4 })
  })

  it('is possible through the service without HTTP', async () => {
    const anna = await tenant(server)
    const { productVersionId } = await anna.ready((await anna.product()).productId)
    const live = await enableVersion(server.context, anna.actor, { id: productVersionId })
    expect(live.state).toBe('live')
  })
})

it('a live version cannot be deleted, a previous one can', async () => {
  const anna = await tenant(server)
  const { productId } = await anna.product()
  const { productVersionId } = await anna.ready(productId)
  const one = `${url}/${productVersionId}`
  await anna.send('PUT', one, { enabled: true })
  expect((await anna.send('DELETE', one)).body.code).toBe('version_is_live')
  await anna.send('PUT', one, { enabled: false })
  expect((await anna.send('DELETE', one)).status).toBe(204)
  const product = await anna.send('GET', `/api/developer/product/${productId}`)
  expect(product.body).toMatchObject({ versionCount: 0, newestVersion: null })
})

it('a change started from an old revision is refused and changes nothing', async () => {
  const anna = await tenant(server)
  const version = await anna.version((await anna.product()).productId)
  const one = `${url}/${version.productVersionId}`
  await anna.send('PUT', one, { translations }, { 'if-match': '"1"' })
  const late = await anna.send(
    'PUT',
    one,
    { translations: [{ localeCode: 'en-US', title: 'Late' }] },
    { 'if-match': '"1"' },
  )
  expect([late.status, late.body.code]).toEqual([409, 'edit_conflict'])
  expect((await anna.send('GET', one)).body).toMatchObject({ translations, revision: 2 })
})

it('long and hostile text is refused or stored unchanged', async () => {
  const anna = await tenant(server)
  const version = await anna.version((await anna.product()).productId)
  const put = (fields: object) =>
    anna.send('PUT', `${url}/${version.productVersionId}`, {
      translations: [{ localeCode: 'en-US', title: 'Clock', ...fields }],
    })
  const description = `<script>alert(1)</script> '; drop table x; -- 👩‍👩‍👧‍👦 שלום\n${'x'.repeat(3000)}`
  expect((await put({ description })).body.translations[0].description).toBe(description)
  for (const field of ['title', 'shortDescription', 'description', 'whatsNew']) {
    const tooLong = await put({ [field]: 'x'.repeat(10_000) })
    expect([tooLong.status, tooLong.body.errors[0].path]).toEqual([400, `translations.0.${field}`])
    const unstorable = await put({ [field]: 'a\0b' })
    expect(unstorable.body.errors[0].path).toBe(`translations.0.${field}`)
  }
})
