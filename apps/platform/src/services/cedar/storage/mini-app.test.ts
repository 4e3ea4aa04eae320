import { request } from 'node:http'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildZip, type ZipEntry } from '../package/testing/zip-builder.ts'
import {
  miniApp,
  packageParts,
  startCatalogue,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'
import { multipart } from '../testing/multipart.ts'
import { cedarJobs } from '../jobs.ts'
import { savePackage } from './mini-app.service.ts'
import { keepObject, sweepObjects } from './objects.service.ts'

let server: CatalogueServer
let origin: string
beforeAll(async () => {
  server = await startCatalogue()
  origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => server.close())

const url = '/api/storage/productVersion/miniApp'
const versionUrl = '/api/developer/productVersion'
const objects = () => join(server.platform.config.dataFolder, 'objects')
const connections = () =>
  new Promise<number>((resolve) => server.app.server.getConnections((_, count) => resolve(count)))
const staged = () => readdir(join(objects(), 'staged'))

async function draft(anna: Tenant) {
  const { productId } = await anna.product()
  return (await anna.version(productId)).productVersionId
}

describe('uploading a package', () => {
  it('answers the version with the package and the report @long', async () => {
    const anna = await tenant(server)
    const data = miniApp([{ name: 'app.js', data: 'x'.repeat(1000) }])
    const { status, body } = await anna.upload(url, packageParts(await draft(anna), data))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      state: 'ready',
      isFinal: false,
      package: {
        files: 2,
        fileName: 'Clock - v1.0.0.zip',
        report: {
          ok: true,
          profile: 'web',
          fileName: 'clock.zip',
          bytes: data.length,
          sha256: createHash('sha256').update(data).digest('hex'),
          files: 2,
        },
      },
      lastRefused: null,
    })
    expect(body.package.inflatedBytes).toBe(body.package.report.inflatedBytes)
    await expect.poll(staged).toEqual([])
  })

  it('keeps the report of an accepted package when a later upload is refused', async () => {
    const anna = await tenant(server)
    const id = await draft(anna)
    const bad = packageParts(id, miniApp([{ name: '../evil.js', data: 'x' }]))
    const refused = (await anna.upload(url, bad)).body
    expect(refused).toMatchObject({
      state: 'failed_checks',
      package: null,
      lastRefused: { report: { ok: false }, kept: null },
    })
    expect(refused.lastRefused.report.findings).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        places: [expect.objectContaining({ path: '../evil.js' })],
      }),
    )

    const warned = packageParts(id, miniApp([{ name: '.DS_Store', data: 'x' }]))
    const good = (await anna.upload(url, warned)).body
    expect(good.lastRefused).toBeNull()
    expect(good.package.report.findings).toMatchObject([{ rule: 'system-files', count: 1 }])

    const again = (await anna.upload(url, bad)).body
    expect(again).toMatchObject({
      state: 'ready',
      package: good.package,
      lastRefused: { report: { ok: false, findings: [{ rule: 'path-traversal' }] } },
    })
    await expect.poll(staged).toEqual([])
  })

  it('stores a report about names that no database can hold', async () => {
    const anna = await tenant(server)
    const data = miniApp([
      { name: 'a\0b.js', data: 'x' },
      { name: 'manifest.json', data: JSON.stringify({ name: 'a\0b \ud800' }) },
    ])
    const { status, body } = await anna.upload(url, packageParts(await draft(anna), data))
    expect([status, body.state]).toEqual([200, 'failed_checks'])
  })

  it('changes nothing once the version was live, or its package downloaded', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const live = await anna.ready(productId, '1.0.0')
    await anna.send('PUT', `${versionUrl}/${live.productVersionId}`, { enabled: true })
    await anna.send('PUT', `${versionUrl}/${live.productVersionId}`, { enabled: false })
    const downloaded = await anna.ready(productId, '1.1.0')
    await anna.send('GET', `${url}?productVersionId=${downloaded.productVersionId}`)
    for (const { productVersionId, package: before } of [live, downloaded]) {
      const late = await anna.upload(url, packageParts(productVersionId, miniApp([])))
      expect([late.status, late.body.code]).toEqual([409, 'version_is_final'])
      const after = (await anna.send('GET', `${versionUrl}/${productVersionId}`)).body
      expect(after).toMatchObject({ package: before, isFinal: true })
    }
  })

  it('is possible through the service without HTTP', async () => {
    const anna = await tenant(server)
    const path = join(server.platform.config.dataFolder, 'sample.zip')
    await writeFile(path, miniApp())
    const file = { fileName: 'sample.zip', stream: createReadStream(path) }
    const version = await savePackage(server.context, anna.actor, {
      productVersionId: await draft(anna),
      file,
    })
    expect(version.state).toBe('ready')
  })
})

describe('a bad upload', () => {
  it('is refused with what is wrong', async () => {
    const anna = await tenant(server)
    const id = await draft(anna)
    const [field, file] = packageParts(id) as [never, never]
    const cases: [string, Awaited<ReturnType<Tenant['upload']>>, number, string][] = [
      [
        'JSON',
        await anna.send('POST', url, { productVersionId: id }),
        415,
        'unsupported_media_type',
      ],
      ['no file', await anna.upload(url, [field]), 422, 'file_missing'],
      ['fields after the file', await anna.upload(url, [file, field]), 400, 'invalid_request'],
      [
        'a field after all',
        await anna.upload(url, [field, file, { name: 'localeCode', value: 'ru-RU' }]),
        400,
        'invalid_request',
      ],
      ['two files', await anna.upload(url, [field, file, file]), 400, 'invalid_request'],
      [
        'no boundary',
        await anna.send('POST', url, Buffer.from('x'), { 'content-type': 'multipart/form-data' }),
        400,
        'invalid_request',
      ],
      [
        'an endless boundary',
        await anna.send('POST', url, Buffer.from('x'), {
          'content-type': `multipart/form-data; boundary=${'b'.repeat(300)}`,
        }),
        400,
        'invalid_request',
      ],
      [
        'a field nobody knows',
        await anna.upload(url, [field, { name: 'x', value: '1' }, file]),
        400,
        'invalid_request',
      ],
      ['an id that is none', await anna.upload(url, packageParts('1')), 400, 'invalid_request'],
      [
        'another part name',
        await anna.upload(url, [field, { name: 'zip', fileName: 'a', data: miniApp() }]),
        400,
        'invalid_request',
      ],
      [
        'too large',
        await anna.upload(url, packageParts(id, Buffer.alloc(20 * 1024 * 1024 + 1))),
        413,
        'file_too_large',
      ],
    ]
    expect(cases.map(([what, { status, body }]) => [what, status, body.code])).toEqual(
      cases.map(([what, , status, code]) => [what, status, code]),
    )
    expect(cases[2]?.[1].body.errors).toMatchObject([{ path: 'productVersionId' }])
    await expect.poll(staged).toEqual([])
    expect((await anna.send('GET', `${versionUrl}/${id}`)).body).toMatchObject({
      state: 'no_package',
      lastRefused: null,
    })
  })

  it('may leave out the name of its file', async () => {
    const anna = await tenant(server)
    const { payload, contentType } = multipart(packageParts(await draft(anna)))
    const nameless = Buffer.from(
      payload.toString('latin1').replace('; filename="clock.zip"', ''),
      'latin1',
    )
    const { status, body } = await anna.send('POST', url, nameless, { 'content-type': contentType })
    expect([status, body]).toMatchObject([200, { package: { report: { fileName: '' } } }])
  })

  it('that is interrupted is refused, and leaves nothing behind', async () => {
    const anna = await tenant(server)
    const id = await draft(anna)
    const { payload, contentType } = multipart(packageParts(id, Buffer.alloc(300_000)))
    for (const length of [payload.length - 20, payload.length / 2, 400, 130, 60]) {
      const response = await server.app.inject({
        method: 'POST',
        url,
        headers: { authorization: anna.authorization, 'content-type': contentType },
        payload: payload.subarray(0, length),
      })
      expect([length, Math.floor(response.statusCode / 100)]).toEqual([length, 4])
    }
    await expect.poll(staged).toEqual([])
    expect((await anna.send('GET', `${versionUrl}/${id}`)).body.state).toBe('no_package')
  })

  it('cancelled by the sender leaves nothing behind', async () => {
    const anna = await tenant(server)
    const id = await draft(anna)
    const data = miniApp([{ name: 'a.bin', data: randomBytes(3_000_000), method: 0 }])
    const { payload, contentType } = multipart(packageParts(id, data))
    const upload = request(origin + url, {
      method: 'POST',
      headers: {
        authorization: anna.authorization,
        'content-type': contentType,
        'content-length': payload.length,
      },
    })
    upload.on('error', () => {})
    upload.write(payload.subarray(0, 2_500_000))
    // The received part, and the new archive written meanwhile.
    await vi.waitFor(async () => expect(await staged()).toHaveLength(2))
    upload.destroy()
    await expect.poll(staged).toEqual([])
    expect((await anna.send('GET', `${versionUrl}/${id}`)).body.state).toBe('no_package')
  })

  it('cancelled by the sender during its check leaves nothing behind', async () => {
    const anna = await tenant(server)
    const id = await draft(anna)
    const { payload, contentType } = multipart(packageParts(id))
    // It has passed its check, and is about to be rewritten.
    const { objects: store } = server.context
    const write = store.stageFile
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const passed = new Promise<void>((resolve) => {
      vi.spyOn(store, 'stageFile').mockImplementationOnce(async (to) => {
        resolve()
        await held
        return write(to)
      })
    })
    const upload = request(origin + url, {
      method: 'POST',
      headers: { authorization: anna.authorization, 'content-type': contentType },
    })
    upload.on('error', () => {})
    upload.end(payload)
    await passed
    expect((await anna.send('GET', `${versionUrl}/${id}`)).body.state).toBe('checking')
    upload.destroy()
    await vi.waitFor(() => expect(connections()).resolves.toBe(0))
    release()
    await expect.poll(staged).toEqual([])
    expect((await anna.send('GET', `${versionUrl}/${id}`)).body).toMatchObject({
      state: 'no_package',
      package: null,
      lastRefused: null,
    })
    expect((await anna.upload(url, packageParts(id))).body.state).toBe('ready')
  })

  it.each([
    ['passed', miniApp()],
    ['was refused', miniApp([{ name: '../evil.js', data: 'x' }])],
    ['could be repaired', buildZip([{ name: 'dist/index.html', data: '<!doctype html>' }])],
  ])('that is cancelled just after it %s keeps the previous package', async (_, data) => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const before = await anna.ready(productId)
    const { productVersionId } = before
    const cancelling = new AbortController()
    const now = () => {
      cancelling.abort(new Error('cancelled'))
      return server.context.now()
    }
    const saving = savePackage({ ...server.context, now }, anna.actor, {
      productVersionId,
      file: { fileName: 'other.zip', stream: Readable.from([data]) },
      signal: cancelling.signal,
    })
    await expect(saving).rejects.toThrow('cancelled')
    const after = (await anna.send('GET', `${versionUrl}/${productVersionId}`)).body
    expect(after).toMatchObject({ state: 'ready', package: before.package, lastRefused: null })
    await expect.poll(staged).toEqual([])
  })

  it('for someone else’s version is refused before the file has arrived', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const { payload, contentType } = multipart(
      packageParts(await draft(anna), Buffer.alloc(5_000_000)),
    )
    const upload = request(origin + url, {
      method: 'POST',
      headers: {
        authorization: boris.authorization,
        'content-type': contentType,
        'content-length': payload.length,
      },
    })
    upload.on('error', () => {})
    // Only the beginning is sent; the response comes anyway.
    upload.write(payload.subarray(0, 100_000))
    const [response] = await once(upload, 'response')
    expect(response.statusCode).toBe(404)
    await expect.poll(staged).toEqual([])
    upload.destroy()
  })
})

describe('repairing a refused package', () => {
  const repairUrl = `${url}/repair`
  const nested = (...entries: ZipEntry[]) =>
    buildZip([{ name: 'dist\\index.html', data: '<!doctype html>' }, ...entries])

  const refuse = async (anna: Tenant, data: Buffer, id?: string) => {
    const productVersionId = id ?? (await draft(anna))
    const { body } = await anna.upload(url, packageParts(productVersionId, data))
    return { productVersionId, sha256: body.lastRefused?.kept?.sha256, version: body }
  }

  it('makes the changes listed in the report, and says which were made', async () => {
    const anna = await tenant(server)
    const { version, ...body } = await refuse(anna, nested({ name: '__MACOSX/x', data: 'x' }))
    expect(version).toMatchObject({ state: 'failed_checks', package: null })
    const { repairs } = version.lastRefused.report
    expect(repairs.map(({ kind }: { kind: string }) => kind)).toEqual([
      'root-folder',
      'backslashes',
      'system-files',
    ])
    const repaired = await anna.send('POST', repairUrl, body)
    expect(repaired).toMatchObject({
      status: 200,
      body: {
        state: 'ready',
        lastRefused: null,
        package: { files: 1, report: { ok: true, fileName: 'clock.zip', repaired: repairs } },
      },
    })
    expect(repaired.body.package.sha256).not.toBe(body.sha256)
    const { raw } = await anna.send('GET', `${url}?productVersionId=${body.productVersionId}`)
    expect(createHash('sha256').update(raw).digest('hex')).toBe(repaired.body.package.sha256)
    await expect.poll(staged).toEqual([])
  })

  it('never touches another upload than the requested one', async () => {
    const anna = await tenant(server)
    const { productVersionId, sha256 } = await refuse(anna, nested())
    await refuse(anna, nested({ name: 'dist\\b.js', data: 'b' }), productVersionId)
    const late = await anna.send('POST', repairUrl, { productVersionId, sha256 })
    expect([late.status, late.body.code]).toEqual([409, 'refused_package_gone'])
    await anna.upload(url, packageParts(productVersionId))
    const after = await anna.send('POST', repairUrl, { productVersionId, sha256 })
    expect([after.status, after.body.code]).toEqual([409, 'refused_package_gone'])
  })

  it('is for the people of the provider, and for a version whose package can change', async () => {
    const [anna, boris] = [await tenant(server), await tenant(server)]
    const { productId } = await anna.product()
    const { productVersionId } = await anna.ready(productId)
    const { sha256 } = await refuse(anna, nested(), productVersionId)
    const body = { productVersionId, sha256 }
    expect((await boris.send('POST', repairUrl, body)).body.code).toBe('not_found')
    await anna.send('PUT', `${versionUrl}/${productVersionId}`, { enabled: true })
    expect((await anna.send('POST', repairUrl, body)).body.code).toBe('version_is_final')
  })

  it('keeps a file for a day, if it can be repaired', async () => {
    const anna = await tenant(server)
    const hopeless = await refuse(anna, miniApp([{ name: '../evil.js', data: 'x' }]))
    expect(hopeless.version.lastRefused).toMatchObject({ report: { repairs: [] }, kept: null })
    const own = nested({ name: 'dist\\expires.js', data: 'x' })
    const { productVersionId, sha256, version } = await refuse(anna, own)
    const hours = (Date.parse(version.lastRefused.kept.until) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThan(24.1)
    await sql`update cedar.product_version set refused_until = now() - interval '1 second'
      where id = ${productVersionId}`.execute(server.platform.db)
    const late = await anna.send('POST', repairUrl, { productVersionId, sha256 })
    expect(late.body.code).toBe('refused_package_gone')

    for (let round = 0; round < 10; round += 1) await sweepObjects(server.context, 0)
    await vi.waitFor(async () => expect(await server.platform.objects.read(sha256)).toBeUndefined())
    const after = (await anna.send('GET', `${versionUrl}/${productVersionId}`)).body
    expect(after.lastRefused).toMatchObject({ report: version.lastRefused.report, kept: null })
  })

  it('keeps at most twenty such files of a provider, the latest', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const first = await refuse(
      anna,
      nested(),
      (await anna.version(productId, '1.0.0')).productVersionId,
    )
    // Twenty more versions with the same file, each kept a minute longer than the previous one.
    await sql`
      insert into cedar.product_version (id, product_id, major, minor, patch, translations,
        search_text, refused_report, refused_sha256, refused_until)
      select gen_random_uuid(), product_id, 1, 0, n, translations, search_text, refused_report,
        refused_sha256, refused_until + make_interval(mins => n)
      from cedar.product_version, generate_series(1, 20) as n
      where id = ${first.productVersionId}`.execute(server.platform.db)
    const own = nested({ name: 'dist\\last.js', data: 'x' })
    const last = await anna.version(productId, '2.0.0')
    await sql`update cedar.product_version set refused_until = refused_until - interval '1 hour'
      where product_id = ${productId}`.execute(server.platform.db)
    await refuse(anna, own, last.productVersionId)
    const { rows } = await sql<{ number: string }>`
      select concat(major, '.', minor, '.', patch) as number from cedar.product_version
      where product_id = ${productId} and refused_sha256 is not null
      order by major, minor, patch`.execute(server.platform.db)
    const kept = rows.map(({ number }) => number)
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([20, '1.0.2', '2.0.0'])
  })
})

describe('downloading a package', () => {
  it('returns the bytes under the title in the requested language', async () => {
    const anna = await tenant(server)
    const id = await draft(anna)
    const { body } = await anna.upload(url, packageParts(id, miniApp()))
    const russian = await anna.send('GET', `${url}?productVersionId=${id}&localeCode=ru-RU`)
    expect(createHash('sha256').update(russian.raw).digest('hex')).toBe(body.package.sha256)
    expect(russian.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(body.package.bytes),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(String(russian.headers['content-disposition'])).toContain(
      `filename*=UTF-8''${encodeURIComponent('Часы - v1.0.0.zip')}`,
    )
    const english = await anna.send('GET', `${url}?productVersionId=${id}`)
    expect(String(english.headers['content-disposition'])).toContain('"Clock - v1.0.0.zip"')
    await anna.send('PUT', `${versionUrl}/${id}`, {
      translations: [{ localeCode: 'en-US', title: 'Only' }],
    })
    const fallback = await anna.send('GET', `${url}?productVersionId=${id}&localeCode=ru-RU`)
    expect(String(fallback.headers['content-disposition'])).toContain('"Only - v1.0.0.zip"')
  })

  it('never sends a damaged or truncated file as a whole one, and names what is missing', async () => {
    const anna = await tenant(server)
    const id = await draft(anna)
    const data = miniApp([{ name: 'app.bin', data: randomBytes(300_000), method: 0 }])
    const { sha256 } = (await anna.upload(url, packageParts(id, data))).body.package
    const path = join(objects(), sha256.slice(0, 2), sha256)
    const whole = await readFile(path)
    const download = () =>
      fetch(`${origin}${url}?productVersionId=${id}`, {
        headers: { authorization: anna.authorization },
      })
    expect((await (await download()).arrayBuffer()).byteLength).toBe(whole.length)
    const flipped = Buffer.from(whole)
    flipped[150_000] = (flipped[150_000] ?? 0) ^ 1
    await writeFile(path, flipped)
    await expect(download().then((answer) => answer.arrayBuffer())).rejects.toThrow()
    await writeFile(path, whole.subarray(0, 1000))
    const cut = await download()
    expect([cut.status, await cut.json()]).toMatchObject([
      500,
      { code: 'file_damaged', detail: expect.stringContaining(sha256) },
    ])
    await rm(path)
    expect((await download()).status).toBe(500)
  })

  it('is not possible before there is one', async () => {
    const anna = await tenant(server)
    const { status, body } = await anna.send('GET', `${url}?productVersionId=${await draft(anna)}`)
    expect([status, body.code]).toEqual([409, 'package_missing'])
  })
})

describe('the sweep', () => {
  const stored = async (sha256: string) =>
    (await server.platform.objects.read(sha256))?.stream.destroy() !== undefined

  const sweepAll = async () => {
    while ((await sweepObjects(server.context, 0)) > 0);
  }

  it('removes unreferenced objects, and keeps one shared by two products until both are gone', async () => {
    const anna = await tenant(server)
    const data = miniApp([{ name: 'shared.js', data: 'shared' }])
    const products = [await anna.product(), await anna.product()]
    let sha256 = ''
    for (const { productId } of products) {
      const { productVersionId } = await anna.version(productId)
      const { body } = await anna.upload(url, packageParts(productVersionId, data))
      sha256 = body.package.sha256
    }
    const remove = (index: number) =>
      anna.send('DELETE', `/api/developer/product/${products[index]?.productId}`)
    await remove(0)
    await sweepAll()
    expect(await stored(sha256)).toBe(true)
    await remove(1)
    await sweepAll()
    expect(await stored(sha256)).toBe(false)
    const { rows } = await sql`select from cedar.object where sha256 = ${sha256}`.execute(
      server.platform.db,
    )
    expect(rows).toEqual([])
  })

  it('leaves an object that an upload has announced but not yet referenced', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const data = miniApp([{ name: 'again.js', data: 'again' }])
    const { productVersionId } = await anna.version(productId)
    await anna.upload(url, packageParts(productVersionId, data))
    await anna.send('DELETE', `${versionUrl}/${productVersionId}`)
    await sql`update cedar.released_object set released_at = released_at - interval '1 hour'`.execute(
      server.platform.db,
    )
    const upload = await server.platform.objects.stage(Readable.from([data]))
    const type = { mediaType: 'application/zip' }
    await keepObject(server.context, upload, type, async () => {
      await sweepObjects(server.context, 1800)
      expect(await stored(upload.sha256)).toBe(true)
    })
    // Nothing refers to it in the end.
    await vi.waitFor(async () => expect(await stored(upload.sha256)).toBe(false))
  })

  it('removes a replaced package immediately, and continues until none is left', async () => {
    const anna = await tenant(server)
    const productVersionId = await draft(anna)
    const hashes: string[] = []
    for (let n = 0; n < 3; n += 1) {
      const data = miniApp([{ name: 'app.js', data: `${n}` }])
      const { body } = await anna.upload(url, packageParts(productVersionId, data))
      hashes.push(body.package.sha256)
    }
    await vi.waitFor(async () =>
      expect(await Promise.all(hashes.map(stored))).toEqual([false, false, true]),
    )
    // More than one round processes, the first of them referenced.
    const kept = hashes[2]
    await sql`insert into cedar.released_object (sha256)
      select ${kept} from generate_series(1, 250)`.execute(server.platform.db)
    const run = { signal: new AbortController().signal, progress: () => {} }
    await cedarJobs['object.delete'].run(server.context, null, run as never)
    const { rows } = await sql`select from cedar.released_object where sha256 = ${kept}`.execute(
      server.platform.db,
    )
    expect(rows).toEqual([])
    expect(await stored(kept ?? '')).toBe(true)
  })

  it('never removes an object from concurrent uploads of the same bytes', async () => {
    const anna = await tenant(server)
    const { productId } = await anna.product()
    const data = miniApp([{ name: 'race.js', data: 'race' }])
    for (let round = 0; round < 5; round += 1) {
      const { productVersionId } = await anna.version(productId, `1.0.${round}`)
      const save = () =>
        savePackage(server.context, anna.actor, {
          productVersionId,
          file: { fileName: 'race.zip', stream: Readable.from([data]) },
        })
      // Half a minute is to this upload what an hour is to a slow one.
      const [version] = await Promise.all([
        save(),
        sweepObjects(server.context, 30),
        sweepObjects(server.context, 30),
      ])
      const sha256 = version.package?.sha256 ?? ''
      expect(await stored(sha256)).toBe(true)
      await anna.send('DELETE', `${versionUrl}/${productVersionId}`)
      await sql`update cedar.released_object set released_at = released_at - interval '1 minute'`.execute(
        server.platform.db,
      )
    }
  })
})
