import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ZipEntry } from '../package/testing/zip-builder.ts'
import {
  miniApp,
  packageParts,
  startCatalogue,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

const url = '/api/developer/productVersion'

async function packed(anna: Tenant, productId: string, version: string, entries: ZipEntry[]) {
  const { productVersionId } = await anna.version(productId, version)
  const { body } = await anna.upload(
    '/api/storage/productVersion/miniApp',
    packageParts(productVersionId, miniApp(entries)),
  )
  expect(body.package).not.toBeNull()
  return body as { productVersionId: string; package: { sha256: string } }
}

const difference = (anna: Tenant, id: string, other: string) =>
  anna.send('GET', `${url}/${id}/difference?with=${other}`)
const fileOf = (anna: Tenant, id: string, path: string) =>
  anna.send('GET', `${url}/${id}/file?path=${encodeURIComponent(path)}`)
const indexed = (sha256: string) =>
  server.context.db
    .selectFrom('cedar.package_index')
    .select('sha256')
    .where('sha256', '=', sha256)
    .execute()

describe('two versions are compared', () => {
  it('by files, permissions and manifest', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const manifest = (permission: string, code: number) => ({
      name: 'manifest.json',
      data: JSON.stringify({ version: { code }, reqPermissions: [{ name: permission }] }),
    })
    const old = await packed(anna, productId, '1.0.0', [
      { name: 'app.js', data: 'let one' },
      { name: 'gone.css', data: 'a{}' },
      { name: 'img/logo.svg', data: '<svg/>' },
      manifest('camera', 1),
    ])
    const fresh = await packed(anna, productId, '1.1.0', [
      { name: 'app.js', data: 'let two = 2' },
      { name: 'art/logo.svg', data: '<svg/>' },
      { name: 'new.js', data: 'x' },
      manifest('push', 2),
    ])
    const { status, body } = await difference(anna, fresh.productVersionId, old.productVersionId)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      packages: { before: true, after: true },
      files: [
        { kind: 'changed', path: 'app.js', before: { bytes: 7 }, after: { bytes: 11 } },
        { kind: 'moved', path: 'art/logo.svg', from: 'img/logo.svg' },
        { kind: 'removed', path: 'gone.css', after: null },
        { kind: 'changed', path: 'manifest.json' },
        { kind: 'added', path: 'new.js', before: null },
      ],
      unchanged: 1,
      permissions: {
        added: [{ name: 'push', isRequired: true }],
        removed: [{ name: 'camera', isRequired: true }],
      },
    })
    expect(body.manifest).toContainEqual({ path: 'version.code', before: '1', after: '2' })
  })

  it('without a package, as one that has nothing to compare yet', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const old = await packed(anna, productId, '1.0.0', [])
    const draft = await anna.version(productId, '1.1.0')
    const { body } = await difference(anna, draft.productVersionId, old.productVersionId)
    expect(body).toMatchObject({ packages: { before: true, after: false }, files: [] })
    const files = await anna.send('GET', `${url}/${draft.productVersionId}/files`)
    expect(files.body.code).toBe('package_missing')
  })

  it('from the index written after the upload, or from the archive if there is none', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const one = await packed(anna, productId, '1.0.0', [{ name: 'a.js', data: randomUUID() }])
    const two = await packed(anna, productId, '1.1.0', [{ name: 'a.js', data: randomUUID() }])
    await vi.waitFor(async () => expect(await indexed(one.package.sha256)).toHaveLength(1), 10_000)
    await vi.waitFor(async () => expect(await indexed(two.package.sha256)).toHaveLength(1), 10_000)
    const compare = async () =>
      (await difference(anna, two.productVersionId, one.productVersionId)).body
    const first = await compare()
    // Packages from before there was an index.
    await server.context.db
      .deleteFrom('cedar.package_index')
      .where('sha256', 'in', [one.package.sha256, two.package.sha256])
      .execute()
    expect(await compare()).toEqual(first)
    expect(await indexed(one.package.sha256)).toHaveLength(1)
    // Now neither archive is opened.
    const { sha256 } = one.package
    const objects = join(server.platform.config.dataFolder, 'objects')
    await rm(join(objects, sha256.slice(0, 2), sha256))
    expect(await compare()).toEqual(first)
    const lost = await fileOf(anna, one.productVersionId, 'a.js')
    expect([lost.status, lost.body.code]).toEqual([500, 'file_damaged'])
  })

  it('only within one product, and never for another developer', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const mine = await anna.product()
    const one = await packed(anna, mine.productId, '1.0.0', [])
    const two = await packed(anna, mine.productId, '1.1.0', [])
    const other = await packed(anna, (await anna.product()).productId, '1.0.0', [])
    const theirs = await packed(boris, (await boris.product()).productId, '1.0.0', [])
    const [a, b] = [one.productVersionId, two.productVersionId]
    const refused = [
      await difference(anna, a, other.productVersionId),
      await difference(anna, a, theirs.productVersionId),
      await difference(anna, theirs.productVersionId, a),
      await difference(boris, a, b),
      await difference(boris, theirs.productVersionId, a),
      await anna.send('GET', `${url}/${theirs.productVersionId}/files`),
      await fileOf(boris, a, 'index.html'),
      await difference(anna, a, randomUUID()),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404))
    expect((await difference(anna, a, b)).status).toBe(200)
  })
})

describe('a file of a package', () => {
  it('is served as text that no browser runs, whatever its name says', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const page = '<script>alert("Привет")</script>'
    const { productVersionId: id } = await packed(anna, productId, '1.0.0', [
      { name: 'sub/page.html', data: page },
      { name: 'stored.txt', data: 'as it is', method: 0 },
      { name: 'empty.js' },
      { name: 'image.png', data: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]) },
    ])
    const text = await fileOf(anna, id, 'sub/page.html')
    expect(text.raw.toString()).toBe(page)
    expect(text.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'attachment',
    })
    expect((await fileOf(anna, id, 'stored.txt')).raw.toString()).toBe('as it is')
    expect((await fileOf(anna, id, 'empty.js')).raw).toHaveLength(0)
    const image = await fileOf(anna, id, 'image.png')
    expect(image.headers['content-type']).toBe('application/octet-stream')
    expect([...image.raw]).toEqual([0x89, 0x50, 0x4e, 0x47, 0, 0xff])
    expect((await anna.send('GET', `${url}/${id}`)).body.isFinal).toBe(false)
  })

  it('is found only by the list: no path leads anywhere else', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const { productVersionId: id } = await packed(anna, productId, '1.0.0', [
      { name: 'sub/app.js', data: 'x' },
    ])
    const paths = [
      '../index.html',
      '/etc/passwd',
      'sub/../index.html',
      'sub\\app.js',
      'SUB/APP.JS',
      '__proto__',
      'sub',
      'x'.repeat(1024),
    ]
    for (const path of paths)
      expect([path, (await fileOf(anna, id, path)).status]).toEqual([path, 404])
    const { body } = await anna.send('GET', `${url}/${id}/files`)
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual([
      'index.html',
      'sub/app.js',
    ])
  })

  it('may have a name in any script, up to the longest, and a size up to the largest', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const names = ['файл с пробелом.js', `${'я'.repeat(120)}.js`, "it's (1) #&.js", '日本/語.js']
    const { productVersionId: id } = await packed(anna, productId, '1.0.0', [
      ...names.map((name) => ({ name, data: name })),
      {
        name: 'large.js',
        data: Buffer.alloc(9_000_000, Array.from({ length: 251 }, (_, at) => at).join()),
        method: 0,
      },
    ])
    for (const name of names) expect((await fileOf(anna, id, name)).raw.toString()).toBe(name)
    expect((await fileOf(anna, id, 'large.js')).raw).toHaveLength(9_000_000)
  })
})
