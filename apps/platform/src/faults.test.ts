import { sql } from 'kysely'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { openDatabase, type Database } from './core/database/database.ts'
import { openS3Objects } from './core/objects/s3-objects.ts'
import { startS3Server, type S3Server } from './core/objects/testing/s3-server.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { cedar } from './services/cedar/index.ts'
import { keepObject, sweepObjects } from './services/cedar/storage/objects.service.ts'
import { miniApp, packageParts, tenant } from './services/cedar/testing/catalogue.ts'
import { maple } from './services/maple/index.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const device = { name: 'Gate', type: 'iot' }

describe.runIf(isPostgres)('a PostgreSQL that goes away and comes back', () => {
  let line: Line
  let own: TestServer
  let server: TestServer
  let database: Database
  beforeAll(async () => {
    // Two processes that share a database have its vault keys.
    const env = { GROVE_VAULT_KEY: `1:${randomBytes(32).toString('hex')}` }
    own = await startTestServer([maple], { env })
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      own.platform.db,
    )
    const url = new URL(inject('postgresUrl'))
    line = await openLine(Number(url.port))
    url.port = String(line.port)
    url.pathname = `/${rows[0]?.name}`
    database = await openDatabase({ url: url.href, folder: '' })
    server = await startTestServer([maple], { database, db: database.db, env })
  })
  afterAll(async () => {
    await server.close()
    await database.close()
    await own.close()
    line.close()
  })

  test('answers 503 with Retry-After meanwhile, is not ready, and recovers by itself', async () => {
    const headers = await server.bearer(['ADMIN'])
    const create = (id: string) =>
      server.app.inject({
        method: 'POST',
        url: '/api/maple/device',
        headers,
        payload: { ...device, id },
      })
    expect((await create('before')).statusCode).toBe(201)

    line.cut()
    const lost = await create('meanwhile')
    expect([lost.statusCode, lost.json().code]).toEqual([503, 'database_unavailable'])
    expect(Number(lost.headers['retry-after'])).toBeGreaterThan(0)
    expect((await server.app.inject('/readyz')).statusCode).toBe(503)
    expect((await server.app.inject('/healthz')).statusCode).toBe(200)

    line.mend()
    await vi.waitFor(
      async () => expect((await server.app.inject('/readyz')).statusCode).toBe(200),
      10_000,
    )
    expect((await create('after')).statusCode).toBe(201)
    const list = await server.app.inject({ url: '/api/maple/device?sort=id', headers })
    expect(list.json().items.map(({ id }: { id: string }) => id)).toEqual(['after', 'before'])
  })
})

test('a full disk is a 503 with Retry-After that loses nothing, and the next upload works', async () => {
  const server = await startTestServer([cedar])
  const { objects } = server.platform
  const { stage } = objects
  const user = await tenant(server)
  const { productId } = await user.product()
  const { productVersionId } = await user.version(productId)
  const upload = () =>
    user.upload('/api/storage/productVersion/miniApp', packageParts(productVersionId))

  objects.stage = async (source) => {
    source.resume()
    throw Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' })
  }
  const full = await upload()
  expect([full.status, full.body.code]).toEqual([503, 'storage_full'])
  const version = await user.send('GET', `/api/developer/productVersion/${productVersionId}`)
  expect(version.body.state).toBe('no_package')

  objects.stage = stage
  expect(await upload()).toMatchObject({ status: 200, body: { state: 'ready' } })
  await server.close()
})

describe('an object storage that goes away and comes back', () => {
  let s3: S3Server
  let folder: string
  let server: TestServer
  beforeAll(async () => {
    s3 = await startS3Server()
    folder = await mkdtemp(join(tmpdir(), 'grove-s3-'))
    const objects = await openS3Objects({ address: s3.address, stagingFolder: folder })
    server = await startTestServer([cedar], { objects })
  })
  afterAll(async () => {
    await server.close()
    await s3.stop()
    await rm(folder, { recursive: true })
  })

  test('answers 503 with Retry-After meanwhile, is not ready, and recovers by itself', async () => {
    const user = await tenant(server)
    const { productId } = await user.product()
    const { productVersionId } = await user.version(productId)
    const packageUrl = '/api/storage/productVersion/miniApp'
    const upload = (text: string) =>
      user.upload(
        packageUrl,
        packageParts(productVersionId, miniApp([{ name: 'a.js', data: text }])),
      )
    const first = await upload('first')
    expect(first).toMatchObject({ status: 200, body: { state: 'ready' } })

    await s3.stop()
    const lost = await upload('second')
    expect([lost.status, lost.body.code]).toEqual([503, 'storage_unavailable'])
    const download = `${packageUrl}?productVersionId=${productVersionId}`
    const headers = { authorization: user.authorization }
    const missed = await server.app.inject({ url: download, headers })
    expect([missed.statusCode, missed.headers['retry-after']]).toEqual([503, '5'])
    const ready = async () => {
      const answer = await server.app.inject('/readyz')
      // A load balancer keeps sending requests that need no files.
      expect(answer.statusCode).toBe(200)
      return answer.json()
    }
    expect(await ready()).toEqual({ status: 'degraded', database: true, objects: false })
    // Nothing refers to what could not be stored, and the version is not final.
    const version = await user.send('GET', `/api/developer/productVersion/${productVersionId}`)
    expect(version.body).toMatchObject({
      isFinal: false,
      package: { sha256: first.body.package.sha256 },
    })
    expect(await readdir(folder)).toEqual([])

    await s3.restart()
    await vi.waitFor(async () => expect((await ready()).status).toBe('ok'), 10_000)
    const found = await server.app.inject({ url: download, headers })
    expect(createHash('sha256').update(found.rawPayload).digest('hex')).toBe(
      first.body.package.sha256,
    )
  })

  test('an object whose row was never written is swept, and every row has its object', async () => {
    const user = await tenant(server)
    const { productId } = await user.product()
    const { productVersionId } = await user.version(productId)
    const data = miniApp([{ name: 'orphan.js', data: 'orphan' }])
    const before = new Set(s3.objects.keys())
    // The state a process leaves if it is killed between the two.
    const context = await cedar.open(server.platform)
    const staged = await server.platform.objects.stage(Readable.from([data]))
    void keepObject(context, staged, { mediaType: 'application/zip' }, () => new Promise(() => {}))
    await vi.waitFor(() => expect(s3.objects.size).toBe(before.size + 1), 10_000)
    const { rows } = await sql`select from cedar.object where sha256 = ${staged.sha256}`.execute(
      server.platform.db,
    )
    expect(rows).toHaveLength(1)
    await sql`update cedar.released_object set released_at = now() - interval '2 hours'`.execute(
      server.platform.db,
    )
    while ((await sweepObjects(context)) > 0);
    expect(new Set(s3.objects.keys())).toEqual(before)
    await staged.discard()

    // What the sweep removed can be stored again.
    expect(
      await user.upload(
        '/api/storage/productVersion/miniApp',
        packageParts(productVersionId, data),
      ),
    ).toMatchObject({ status: 200, body: { state: 'ready' } })
  })
})

interface Line {
  port: number
  /** Drops every connection and accepts no new one. */
  cut: () => void
  mend: () => void
  close: () => void
}

/** A connection to a server that can be interrupted without harming the server. */
async function openLine(to: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let isCut = false
  const relay = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(to, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
    near.pipe(far)
    far.pipe(near)
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const destroy = () => sockets.forEach((socket) => socket.destroy())
  return {
    port: (relay.address() as AddressInfo).port,
    cut: () => {
      isCut = true
      destroy()
    },
    mend: () => {
      isCut = false
    },
    close: () => {
      destroy()
      relay.close()
    },
  }
}
