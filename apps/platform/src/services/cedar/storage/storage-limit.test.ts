import { randomBytes, randomUUID } from 'node:crypto'
import { connect, type AddressInfo } from 'node:net'
import sharp from 'sharp'
import { sql } from 'kysely'
import type { ProviderStorage } from '@grove/contract/cedar/provider-admin'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  miniApp,
  packageParts,
  startCatalogue,
  tally,
  tenant,
  type CatalogueServer,
} from '../testing/catalogue.ts'
import { readSettings } from '../settings.ts'
import { findBytesByApp, findProviderBytes } from './storage.queries.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
  await server.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => server.close())

const url = '/api/storage/productVersion/miniApp'
const imageUrl = '/api/storage/productVersion/image'
const large = (bytes: number) => miniApp([{ name: 'app.bin', data: randomBytes(bytes), method: 0 }])

test('the storage of a provider is divided among the apps that own the files', async () => {
  const anna = await tenant(server)
  const { productId, providerId } = await anna.product()
  const { productId: second } = await anna.product('Tide')
  const [one, copy, other] = [
    await anna.version(productId, '1.0.0'),
    await anna.version(productId, '1.1.0'),
    await anna.version(second, '1.0.0'),
  ]
  const [own, shared] = [large(300_000), large(100_000)]
  for (const [{ productVersionId }, data] of [
    [one, own],
    [copy, shared],
    [other, shared],
  ] as const)
    expect((await anna.upload(url, packageParts(productVersionId, data))).status).toBe(200)
  const rows = await findBytesByApp(server.context.db, providerId)
  const inHundreds = rows.map(({ productId: id, bytes }) => [id, Math.round(bytes / 100_000)])
  expect(inHundreds).toEqual([
    [productId, 3],
    [null, 1],
  ])

  const admin = await server.bearer(['ADMIN'])
  const read = async (id: string) =>
    server.app.inject({ url: `/api/provider/${id}/storage`, headers: admin })
  const answer = (await read(providerId)).json<ProviderStorage>()
  expect(answer.used).toBe(await findProviderBytes(server.context.db, providerId))
  expect(answer).toMatchObject({
    limit: server.context.settings.providerBytes,
    apps: [{ productId, translations: [{}] }],
    others: { apps: 0, bytes: 0 },
    sharedBytes: rows[1]?.bytes,
  })
  expect((await read(randomUUID())).statusCode).toBe(404)
})

test('the files of a provider count once each, and an upload beyond the limit is refused', async () => {
  const anna = await tenant(server)
  const { productId, providerId } = await anna.product()
  const first = await anna.version(productId, '1.0.0')
  const second = await anna.version(productId, '1.1.0')
  const bytes = () => findProviderBytes(server.context.db, providerId)
  const data = large(600_000)
  for (const { productVersionId } of [first, second])
    expect((await anna.upload(url, packageParts(productVersionId, data))).status).toBe(200)
  const used = await bytes()
  expect(used).toBeGreaterThan(600_000)
  expect(used).toBeLessThan(602_000)

  const { settings } = server.context
  const before = settings.providerBytes
  settings.providerBytes = 1_000_000
  const other = packageParts(second.productVersionId, large(600_000))
  const refused = await anna.upload(url, other)
  expect(refused).toMatchObject({ status: 409, body: { code: 'limit_reached' } })
  expect(refused.body.detail).toMatch(/would take 1\.2 MB; the limit is 1 MB\. Delete/)
  expect(await bytes()).toBe(used)
  // Nothing of it is left on disk: the one package and no staged file.
  const objects = join(server.platform.config.dataFolder, 'objects')
  await expect.poll(() => readdir(join(objects, 'staged'))).toEqual([])
  const { rows } = await sql`select from cedar.object where bytes > 500000`.execute(
    server.context.db,
  )
  expect(rows).toHaveLength(1)

  // What an upload replaces makes room for it.
  await anna.send('DELETE', `/api/developer/productVersion/${first.productVersionId}`)
  expect((await anna.upload(url, other)).status).toBe(200)
  settings.providerBytes = 100
  const early = await anna.upload(imageUrl, [
    { name: 'productVersionId', value: second.productVersionId },
    { name: 'file', fileName: 'a.png', data: Buffer.from('no image') },
  ])
  // Before the file is examined.
  expect(early.body.code).toBe('limit_reached')
  settings.providerBytes = before
})

test('concurrent uploads cannot exceed the limit together', async () => {
  const anna = await tenant(server)
  const { productId, providerId } = await anna.product()
  const versions = [await anna.version(productId, '1.0.0'), await anna.version(productId, '1.1.0')]
  const { settings } = server.context
  const before = settings.providerBytes
  settings.providerBytes = 1_000_000
  const answers = await Promise.all(
    versions.map(({ productVersionId }) =>
      anna.upload(url, packageParts(productVersionId, large(600_000))),
    ),
  )
  expect(tally(answers)).toEqual({ 200: 1, 409: 1 })
  expect(await findProviderBytes(server.context.db, providerId)).toBeLessThan(1_000_000)
  settings.providerBytes = before
})

test('the limit is a setting', () => {
  const config = { isProduction: false }
  expect(readSettings({}, config).providerBytes).toBe(2048 * 1024 * 1024)
  expect(readSettings({ GROVE_PROVIDER_MB: '5' }, config).providerBytes).toBe(5 * 1024 * 1024)
  expect(() => readSettings({ GROVE_PROVIDER_MB: '0' }, config)).toThrow('GROVE_PROVIDER_MB is "0"')
})

/** Begins an upload and pauses it after its first bytes. */
async function hold(authorization: string, productVersionId: string) {
  const { port } = server.app.server.address() as AddressInfo
  const body =
    `--b\r\ncontent-disposition: form-data; name="productVersionId"\r\n\r\n${productVersionId}\r\n` +
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n' +
    'x'.repeat(100_000)
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${imageUrl} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n` +
      `content-type: multipart/form-data; boundary=b\r\ncontent-length: 5000000\r\n\r\n${body}`,
  )
  return socket
}

test('concurrent uploads are limited per account and per process, and waiting ones stay on disk', async () => {
  const people = [await tenant(server), await tenant(server), await tenant(server)]
  const staged = async () =>
    (await readdir(join(server.platform.config.dataFolder, 'objects', 'staged'))).length
  const sockets = []
  const versions: string[] = []
  for (const person of people) {
    const { productId } = await person.product()
    versions.push((await person.version(productId)).productVersionId)
  }
  const ask = (index: number) =>
    people[index]?.upload(imageUrl, [{ name: 'productVersionId', value: versions[index] ?? '' }])
  for (const index of [0, 0])
    sockets.push(await hold(people[index]?.authorization ?? '', versions[index] ?? ''))
  await vi.waitFor(async () => expect(await staged()).toBe(2))
  expect((await ask(0))?.body).toMatchObject({ status: 429, code: 'too_many_uploads' })
  for (const index of [1, 1])
    sockets.push(await hold(people[index]?.authorization ?? '', versions[index] ?? ''))
  await vi.waitFor(async () => expect(await staged()).toBe(4))
  expect((await ask(2))?.body).toMatchObject({ status: 429, code: 'too_many_uploads' })
  // An aborted one makes room.
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect((await ask(2))?.body.code).toBe('file_missing'))
  await vi.waitFor(async () => expect(await staged()).toBe(0))
})

test('an image with many pixels waits its turn before it is decoded', async () => {
  const anna = await tenant(server)
  const { productId } = await anna.product()
  const { productVersionId } = await anna.version(productId)
  const shot = (red: number) =>
    sharp({ create: { width: 800, height: 1400, channels: 3, background: { r: red, g: 9, b: 9 } } })
      .png()
      .toBuffer()
  const answers = await Promise.all(
    [1, 2].map(async (red) =>
      anna.upload(imageUrl, [
        { name: 'productVersionId', value: productVersionId },
        { name: 'file', fileName: 'a.png', data: await shot(red) },
      ]),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})
