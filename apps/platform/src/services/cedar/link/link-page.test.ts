import decode from 'qr/decode.js'
import sharp from 'sharp'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'
import { localeOf } from './page/page-locale.ts'
import { drawPreview } from './page/preview-image.ts'

let server: CatalogueServer
let now = Date.now()
beforeAll(async () => {
  server = await startCatalogue({ now: () => now })
})
afterAll(() => server.close())

const host = 'localhost:3000'
const origin = `http://${host}`

async function open(
  path: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
) {
  now += 2000
  const response = await server.app.inject({ method, url: path, headers: { host, ...headers } })
  return {
    status: response.statusCode,
    headers: response.headers,
    page: response.body,
    raw: response.rawPayload,
  }
}

interface Texts {
  title: string
  shortDescription?: string
  description?: string
  whatsNew?: string
}

async function linked(anna: Tenant, english: Texts, russian?: Texts) {
  const { productId, providerId } = await anna.product()
  const { productVersionId } = await anna.ready(productId)
  const translations = [{ localeCode: 'en-US', ...english }]
  if (russian) translations.push({ localeCode: 'ru-RU', ...russian })
  const { status, body } = await anna.send(
    'PUT',
    `/api/developer/productVersion/${productVersionId}`,
    {
      enabled: true,
      translations,
    },
  )
  if (status !== 200) throw new Error(JSON.stringify(body))
  const product = await anna.send('PUT', `/api/developer/product/${productId}/link`)
  return { linkId: product.body.linkId as string, productId, providerId, productVersionId }
}

/** The visible text of the page, and its attribute values. */
const contentOf = (page: string, name: string) =>
  new RegExp(`<meta property="${name}" content="([^"]*)"`).exec(page)?.[1]

describe('the public page of a link', () => {
  it('shows the live version to anyone, without scripts and in few bytes', async () => {
    const anna = await tenant(server)
    const { linkId } = await linked(anna, {
      title: 'Tide Table',
      shortDescription: 'High and low water',
      description: 'First line.\n\nSecond line.',
      whatsNew: 'Metres or feet',
    })
    const { status, page, headers } = await open(`/${linkId}`)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    for (const text of [
      '<html lang="en-US"',
      '<title>Tide Table – Grove</title>',
      '<bdi>Tide Table</bdi>',
      'High and low water',
      'First line.\n\nSecond line.',
      'Metres or feet',
      '1.0.0',
      'Independent developer',
    ])
      expect(page).toContain(text)
    expect(page).not.toMatch(/<script|<form|<iframe|\son\w+=|style=|javascript:/i)
    expect(Buffer.byteLength(page)).toBeLessThan(30_000)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|script-src|\*/)
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? ''
    const hash = await crypto.subtle.digest('SHA-256', Buffer.from(style))
    expect(policy).toContain(`'sha256-${Buffer.from(hash).toString('base64')}'`)
    expect(page).not.toContain(anna.userId)
  })

  it('uses the requested language, otherwise the reader’s preferred one', async () => {
    const { linkId } = await linked(
      await tenant(server),
      { title: 'Tide Table' },
      { title: 'Таблица приливов' },
    )
    const russian = { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' }
    const { page, headers } = await open(`/${linkId}`, russian)
    expect(page).toContain('<bdi>Таблица приливов</bdi>')
    expect([headers['content-language'], headers['vary']]).toEqual([
      'ru-RU',
      'accept-language, accept-encoding',
    ])
    expect((await open(`/${linkId}?lang=en`, russian)).page).toContain('<bdi>Tide Table</bdi>')
    expect((await open(`/${linkId}?lang=ru`)).page).toContain('Независимый разработчик')
  })

  it.each([
    [undefined, undefined, 'en-US'],
    ['ru', 'en', 'ru-RU'],
    ['RU-ru', 'en', 'ru-RU'],
    ['xx', 'ru', 'ru-RU'],
    [['ru', 'en'], 'de', 'en-US'],
    [undefined, 'de, fr;q=0.9', 'en-US'],
    [undefined, 'en;q=0.1, ru;q=0.2', 'ru-RU'],
    [undefined, 'ru;q=0, en', 'en-US'],
    [undefined, ';;;,,=q', 'en-US'],
  ])('lang %j and accept-language %j are %s', (lang, accepted, locale) => {
    expect(localeOf(lang, accepted)).toBe(locale)
  })

  it.each([
    '</title><script>a()</script>',
    '"><img src=x onerror=1>',
    `' onload='alert(1)`,
    '&lt;b&gt; &amp; &#x3c;',
    '${alert(1)}`',
  ])('shows a hostile title as text: %s', async (title) => {
    const { linkId } = await linked(await tenant(server), { title, description: title })
    const { page } = await open(`/${linkId}`)
    const shown = title
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
    expect(page).toContain(`<bdi>${shown}</bdi>`)
    expect(contentOf(page, 'og:title')).toBe(shown)
    expect(page).not.toMatch(/<script|<img src=x/)
    expect(page.match(/<title>/g)).toHaveLength(1)
  })

  it('removes marks that would reverse the rest of the page', async () => {
    const { linkId, productVersionId } = await linked(await tenant(server), { title: 'exe' })
    // Stored before such titles were refused.
    await sql`update cedar.product_version set revision = revision + 1, translations = ${JSON.stringify(
      [{ localeCode: 'en-US', title: 'a\u202egnp.exe\u2066' }],
    )}::jsonb where id = ${productVersionId}`.execute(server.platform.db)
    const { page } = await open(`/${linkId}`)
    expect(page).toContain('<bdi>agnp.exe</bdi>')
    expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  })

  it('gives chat apps a title, a text and an image of the stated size', async () => {
    const { linkId } = await linked(await tenant(server), {
      title: 'Tide Table',
      shortDescription: 'High and low water',
    })
    const { page } = await open(`/${linkId}`)
    expect(contentOf(page, 'og:title')).toBe('Tide Table')
    expect(contentOf(page, 'og:description')).toBe('High and low water')
    expect(contentOf(page, 'og:url')).toBe(`${origin}/${linkId}`)
    expect(page).toContain('<meta name="twitter:card" content="summary_large_image"')
    const image = (contentOf(page, 'og:image') ?? '').replaceAll('&amp;', '&')
    expect(image).toMatch(new RegExp(`^${origin}/${linkId}/preview\\.png\\?lang=en-US&v=`))
    const picture = await open(image.slice(origin.length))
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png'])
    expect(await sharp(picture.raw).metadata()).toMatchObject({
      format: 'png',
      width: Number(contentOf(page, 'og:image:width')),
      height: Number(contentOf(page, 'og:image:height')),
    })
    const again = await open(image.slice(origin.length), {
      'if-none-match': String(picture.headers['etag']),
    })
    expect(again.status).toBe(304)
  })

  it('has a QR code with its address', async () => {
    const { linkId } = await linked(await tenant(server), { title: 'Tide Table' })
    const { page } = await open(`/${linkId}`)
    const [, box = '', path = ''] =
      /<svg viewBox="0 0 (\d+) [^>]*>\s*<path d="([^"]*)"/.exec(page) ?? []
    const side = Number(box) * 8
    const { data, info } = await sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${box} ${box}" width="${side}" height="${side}"><rect width="100%" height="100%" fill="#fff"/><path d="${path}"/></svg>`,
      ),
    )
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(decode({ width: info.width, height: info.height, data })).toBe(`${origin}/${linkId}`)
  })

  it('is sent compressed, and not again if unchanged', async () => {
    const { linkId } = await linked(await tenant(server), { title: 'Tide Table' })
    const plain = await open(`/${linkId}`)
    const brotli = await open(`/${linkId}`, { 'accept-encoding': 'gzip, br' })
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotli.raw.length).toBeLessThan(plain.raw.length / 2)
    const etag = String(plain.headers['etag'])
    expect((await open(`/${linkId}`, { 'if-none-match': etag })).status).toBe(304)
    expect((await open(`/${linkId}?lang=ru`, { 'if-none-match': etag })).status).toBe(200)
  })

  it('answers HEAD like GET but counts only GET', async () => {
    const anna = await tenant(server)
    const { linkId, productId } = await linked(anna, { title: 'Tide Table' })
    const head = await open(`/${linkId}`, {}, 'HEAD')
    expect([head.status, head.page]).toEqual([200, ''])
    expect(Number(head.headers['content-length'])).toBe((await open(`/${linkId}`)).raw.length)
    await open(`/${linkId}/preview.png`)
    await expect
      .poll(
        async () => (await anna.send('GET', `/api/developer/product/${productId}`)).body.opens7d,
        { timeout: 15_000, interval: 500 },
      )
      .toBe(1)
  })

  it('leads to the host app named in the settings', async () => {
    const { appLink } = server.context.settings
    const { linkId } = await linked(await tenant(server), { title: 'Tide Table' })
    expect((await open(`/${linkId}`)).page).not.toContain('class="button"')
    Object.assign(server.context.settings, {
      appLink: 'harbour://open/{linkId}?at={target}&of={url}',
    })
    const other = await linked(await tenant(server), { title: 'Moon' })
    const { page } = await open(`/${other.linkId}`)
    Object.assign(server.context.settings, { appLink })
    expect(page).toContain(
      `href="harbour://open/${other.linkId}?at=%2F&amp;of=${encodeURIComponent(`${origin}/${other.linkId}`)}"`,
    )
  })

  it('says what to do if the host app is not installed', async () => {
    const anna = await tenant(server)
    const { settings } = server.context
    const before = { ...settings }
    const read = async (title: string, set: Partial<typeof settings>) => {
      const { linkId } = await linked(anna, { title })
      Object.assign(settings, set)
      const { page } = await open(`/${linkId}`)
      Object.assign(settings, before)
      return page
    }
    const appLink = 'harbour://open/{linkId}'
    const appInstall = 'https://harbour.example.com/get?from=grove&app=1'
    const ask = 'Ask the publisher which app to install, then open this page again.'
    const install = '<a href="https://harbour.example.com/get?from=grove&amp;app=1"'
    const bare = await read('Moon', {})
    expect(bare).toContain('Don’t have the app yet?')
    expect(bare).toContain(ask)
    expect(await read('Sun', { appLink })).toMatch(/Nothing opens\?.* Ask the publisher/)
    const known = await read('Tide', { appLink, appInstall })
    expect(known).toContain(install)
    expect(known).not.toContain(ask)
  })
})

describe('the page of a link that opens nothing', () => {
  it.each([
    ['/Zz9Zz9Z', 404, 'There is no such link'],
    ['/Zz9Zz9Z?lang=ru', 404, 'Такой ссылки нет'],
    ['/sToRaGe', 404, 'There is no such link'],
    ['/Zz9Zz9Z/preview.png', 404, 'There is no such link'],
  ])('says so: %s', async (path, expected, text) => {
    const { status, page, headers } = await open(path)
    expect(status).toBe(expected)
    expect(page).toContain(text)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
    expect(page).not.toContain('<script')
  })

  it('says that it was removed, or that the app is unavailable, and names nobody', async () => {
    const anna = await tenant(server)
    const { linkId, productId, providerId, productVersionId } = await linked(anna, {
      title: 'Secret',
    })
    const gone = async (text: string) => {
      const { status, page } = await open(`/${linkId}`)
      expect([status, page.includes(text), page.includes('Secret')]).toEqual([410, true, false])
      expect((await open(`/${linkId}/preview.png`)).status).toBe(410)
    }
    const enable = (isEnabled: boolean) =>
      sql`update cedar.provider set enabled = ${isEnabled} where id = ${providerId}`.execute(
        server.platform.db,
      )
    await enable(false)
    await gone('This app is not available')
    await enable(true)
    await anna.send('PUT', `/api/developer/productVersion/${productVersionId}`, { enabled: false })
    await gone('This app is not available')
    await anna.send('DELETE', `/api/developer/product/${productId}/link`)
    await gone('This link no longer works')
  })

  it.each(['/Ab3dEf', '/Ab3dEfgh', '/Ab3-Efg', `/${encodeURIComponent('Ав3дЕфг')}`])(
    'is not served for an address of another form: %s',
    async (path) => {
      const { status, headers } = await open(path)
      expect([status, headers['content-type']]).toEqual([
        404,
        'application/problem+json; charset=utf-8',
      ])
    },
  )
})

describe('the picture of a link', () => {
  const facts = { subtitle: 'High and low water', provider: 'Harbour Studio', icon: null }
  const inkOf = async (picture: Buffer) => {
    const { channels } = await sharp(picture)
      .extract({ left: 480, top: 0, width: 720, height: 630 })
      .stats()
    return channels[0]?.stdev ?? 0
  }

  it.each(['Tide Table', 'Таблица приливов', '<b>&amp;</b>', 'W'.repeat(30), 'a'])(
    'shows the title, whatever fonts the machine has: %s',
    async (title) => {
      const picture = await drawPreview({ ...facts, title })
      expect(await inkOf(picture)).toBeGreaterThan(10)
      expect(picture.length).toBeLessThan(100_000)
    },
  )

  it('leaves out a title whose letters its font lacks', async () => {
    expect(await inkOf(await drawPreview({ ...facts, title: '潮汐表' }))).toBeLessThan(1)
  })
})
