import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../../../core/testing/test-platform.ts'
import { startCatalogue, tally, tenant, type Tenant } from '../testing/catalogue.ts'
import type { MultipartPart } from '../testing/multipart.ts'

let server: TestServer
beforeAll(async () => {
  server = await startCatalogue()
  // Concurrent images should meet.
  Object.assign(server.platform.config.uploads, { most: 100, perAccount: 100 })
})
afterAll(() => server.close())

const iconUrl = '/api/storage/product/icon'
const imageUrl = '/api/storage/productVersion/image'

const picture = (width: number, height: number, shade = 0) =>
  sharp({
    create: { width, height, channels: 4, background: { r: shade, g: 120, b: 90, alpha: 1 } },
  })
const png = (width: number, height = width, shade = 0) =>
  picture(width, height, shade).png().toBuffer()

const file = (data: Buffer, fileName = 'a.png', type = 'image/png'): MultipartPart => ({
  name: 'file',
  fileName,
  type,
  data,
})

async function icon(anna: Tenant, data: Buffer, name?: string, type?: string) {
  const { productId } = await anna.product()
  return anna.upload(iconUrl, [{ name: 'productId', value: productId }, file(data, name, type)])
}

describe('an icon', () => {
  it('is re-encoded and served to anyone, immutable and inert', async () => {
    const anna = await tenant(server)
    const { status, body } = await icon(anna, await png(512))
    expect(status).toBe(200)
    expect(body.iconUrl).toMatch(/^\/api\/storage\/image\/[0-9a-f]{64}$/)
    const served = await server.app.inject(body.iconUrl)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(await sharp(served.rawPayload).metadata()).toMatchObject({ format: 'png', width: 512 })
  })

  it('is judged by its bytes, whatever its name and type', async () => {
    const anna = await tenant(server)
    const jpeg = await picture(600, 600).jpeg().toBuffer()
    const { body } = await icon(anna, jpeg, 'x.svg', 'image/svg+xml')
    expect((await server.app.inject(body.iconUrl)).headers['content-type']).toBe('image/jpeg')
  })

  it('loses its location and camera data, and is upright', async () => {
    const anna = await tenant(server)
    const taken = await picture(512, 512)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'Somebody', Artist: 'At home' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    expect((await sharp(taken).metadata()).exif).toBeDefined()
    const { body } = await icon(anna, taken)
    const served = await sharp((await server.app.inject(body.iconUrl)).rawPayload).metadata()
    expect([served.exif, served.orientation]).toEqual([undefined, undefined])
  })

  it('is refused with the reason', async () => {
    const anna = await tenant(server)
    const whole = await png(512)
    // An acTL chunk right after the header: 8 bytes of signature, 25 of IHDR.
    const animated = Buffer.concat([
      whole.subarray(0, 33),
      Buffer.from('0000000861635 44c0000000200000000f38d9370'.replaceAll(' ', ''), 'hex'),
      whole.subarray(33),
    ])
    const bomb = Buffer.from(whole)
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    const cases: [string, Buffer][] = [
      ['type', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
      ['type', await picture(512, 512).webp().toBuffer()],
      ['type', await picture(512, 512).gif().toBuffer()],
      ['type', Buffer.alloc(0)],
      ['animated', animated],
      ['size', await png(511)],
      ['size', await png(1025)],
      ['ratio', await png(600, 512)],
      ['damaged', whole.subarray(0, whole.length / 2)],
      ['damaged', Buffer.concat([whole.subarray(0, 8), Buffer.alloc(100)])],
    ]
    for (const [code, data] of cases) {
      const { status, body } = await icon(anna, data)
      expect([status, body.code, body.errors]).toMatchObject([
        422,
        'image_refused',
        [{ path: 'file', code }],
      ])
    }
    const { status, body } = await icon(anna, bomb)
    expect([status, body.code]).toEqual([422, 'image_refused'])
    expect((await icon(anna, Buffer.alloc(1024 * 1024 + 1))).status).toBe(413)
  })

  it('of a provider or product of others cannot be changed', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const { productId, providerId } = await anna.product()
    const mine = await anna.upload('/api/storage/provider/icon', [
      { name: 'providerId', value: providerId },
      file(await png(512)),
    ])
    expect(mine.body).toMatchObject({ id: providerId, iconUrl: expect.any(String) })
    const theirs = [
      await boris.upload('/api/storage/provider/icon', [
        { name: 'providerId', value: providerId },
        file(await png(512)),
      ]),
      await boris.upload(iconUrl, [{ name: 'productId', value: productId }, file(await png(512))]),
    ]
    expect(tally(theirs)).toEqual({ 404: 2 })
  })
})

describe('the screenshots of a version', () => {
  const start = async (anna: Tenant) =>
    (await anna.version((await anna.product()).productId)).productVersionId
  const add = (anna: Tenant, id: string, data: Buffer, localeCode?: string) =>
    anna.upload(imageUrl, [
      { name: 'productVersionId', value: id },
      ...(localeCode ? [{ name: 'localeCode', value: localeCode }] : []),
      file(data),
    ])

  it('are kept in the given order for each locale', async () => {
    const anna = await tenant(server)
    const id = await start(anna)
    await add(anna, id, await png(320, 640, 1))
    await add(anna, id, await png(320, 640, 2))
    const { body } = await add(anna, id, await png(640, 320, 1), 'ru-RU')
    const shape = ({ images }: typeof body) =>
      images.map(({ localeCode, width }: { localeCode: string; width: number }) => [
        localeCode,
        width,
      ])
    expect(shape(body)).toEqual([
      ['en-US', 320],
      ['en-US', 320],
      ['ru-RU', 640],
    ])
    const [first, second, russian] = body.images
    const ids = [second.id, first.id]
    const order = { productVersionId: id, localeCode: 'en-US', ids }
    const ordered = await anna.send('PUT', imageUrl, order)
    expect(ordered.body.images.map((image: { id: string }) => image.id)).toEqual([
      ...ids,
      russian.id,
    ])
    for (const wrong of [[first.id], [first.id, russian.id], [first.id, randomUUID()]]) {
      const refusal = await anna.send('PUT', imageUrl, { ...order, ids: wrong })
      expect(refusal.body.errors).toMatchObject([{ path: 'ids' }])
    }
    const removed = await anna.send('DELETE', `${imageUrl}?id=${second.id}`)
    expect(removed.body.images).toHaveLength(2)
    expect((await anna.send('DELETE', `${imageUrl}?id=${second.id}`)).status).toBe(404)
  })

  it('are accepted from 320 to 3840 pixels and up to 2.3 to 1, once each, eight per locale', async () => {
    const anna = await tenant(server)
    const id = await start(anna)
    const phone = await png(1290, 2796)
    expect((await add(anna, id, phone)).status).toBe(200)
    const code = async (data: Buffer) => (await add(anna, id, data)).body.errors[0].code
    expect(await code(phone)).toBe('duplicate')
    expect(await code(await png(319, 400))).toBe('size')
    expect(await code(await png(3841, 3000))).toBe('size')
    expect(await code(await png(320, 800))).toBe('ratio')
    const shades = await Promise.all(Array.from({ length: 10 }, (_, n) => png(320, 320, n + 1)))
    const many = await Promise.all(shades.map((data) => add(anna, id, data)))
    expect(tally(many)).toEqual({ 200: 7, 409: 3 })
    expect(many.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
  })

  it('of others cannot be added, ordered or removed', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const id = await start(anna)
    const [image] = (await add(anna, id, await png(320))).body.images
    const order = { productVersionId: id, localeCode: 'en-US', ids: [image.id] }
    const theirs = [
      await add(boris, id, await png(400)),
      await boris.send('PUT', imageUrl, order),
      await boris.send('DELETE', `${imageUrl}?id=${image.id}`),
    ]
    expect(tally(theirs)).toEqual({ 404: 3 })
  })
})

it('a package is not served as an image, and an unknown one is not found', async () => {
  const anna = await tenant(server)
  const { package: zip } = await anna.ready((await anna.product()).productId)
  expect((await server.app.inject(`/api/storage/image/${zip?.sha256}`)).statusCode).toBe(404)
  expect((await server.app.inject(`/api/storage/image/${'0'.repeat(64)}`)).statusCode).toBe(404)
  expect((await server.app.inject('/api/storage/image/..%2f..%2fetc')).statusCode).toBe(400)
})
