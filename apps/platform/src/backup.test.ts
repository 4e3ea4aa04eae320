import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packBackup } from './core/backup/backup-file.ts'
import { olderBackup } from './core/backup/testing/older-backup.ts'
import { restoreBackup, verifyBackup } from './core/backup/restore-backup.ts'
import { writeBackup } from './core/backup/write-backup.ts'
import { readConfig } from './core/config.ts'
import { openDatabase, type Database, type Db } from './core/database/database.ts'
import { migrate } from './core/database/migrate.ts'
import { buildApp } from './core/http/app.ts'
import { openFolderObjects } from './core/objects/folder-objects.ts'
import { copyMissing } from './core/objects/move-objects.ts'
import { openS3Objects } from './core/objects/s3-objects.ts'
import { startS3Server } from './core/objects/testing/s3-server.ts'
import type { Platform } from './core/platform.ts'
import { apiVersionsOf, migrationsOf } from './core/service.ts'
import { programArgs } from './core/testing/run-script.ts'
import { testDatabase } from './core/testing/test-database.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { miniApp, packageParts } from './services/cedar/testing/catalogue.ts'
import { multipart } from './services/cedar/testing/multipart.ts'
import { maple } from './services/maple/index.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const services = [auth, cedar, maple]
const email = 'backup@grove.test'
const password = 'Juniper2026!'

let root: string
let folder: string
let database: Database
let app: FastifyInstance
let platform: Platform
let port: number
let sha256: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'grove-backup-'))
  folder = join(root, 'data')
  // On PGlite the folder's own database, as on a server: the command asks that server.
  database = isPostgres
    ? await testDatabase(migrationsOf(services))
    : await openDatabase({ folder })
  await migrate(database.db, migrationsOf(services))
  platform = platformOn(database, folder, await openFolderObjects(join(folder, 'objects')))
  app = await buildApp(platform, services)
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  sha256 = await fill()
}, 120_000)
afterAll(async () => {
  await app.close()
  await database.close()
  await rm(root, { recursive: true, force: true })
})

function platformOn(on: Database, data: string, objects: Platform['objects']): Platform {
  return {
    config: readConfig({ GROVE_DATA: data, GROVE_LOG: 'silent' }),
    env: {},
    database: on,
    db: on.db,
    objects,
    mailer: null,
    now: Date.now,
    apiVersions: apiVersionsOf(services),
    services: services.map(({ name }) => name),
    jobs: { hasRecurring: false },
  }
}

/** Creates an account with an app whose package is stored; returns the package's hash. */
async function fill(): Promise<string> {
  const call = async (url: string, payload: object, headers: object = {}) => {
    const answer = await app.inject({ method: 'POST', url, payload, headers: { ...headers } })
    if (answer.statusCode > 201) throw new Error(answer.body)
    return answer.json()
  }
  const account = { email, password, provider: 'grove', role: 'DEVELOPER', name: 'Zoë “Ж” \\n' }
  const { token } = await call('/api/signup', account)
  const authorization = `Bearer ${token.accessToken}`
  const translations = [{ localeCode: 'en-US', title: 'Clock', about: undefined }]
  const { productId } = await call('/api/developer/product', { translations }, { authorization })
  const version = { productId, version: '1.0.0' }
  const { productVersionId } = await call('/api/developer/productVersion', version, {
    authorization,
  })
  const form = multipart(packageParts(productVersionId, miniApp()))
  const uploaded = await call('/api/storage/productVersion/miniApp', form.payload, {
    authorization,
    'content-type': form.contentType,
  })
  return uploaded.package.sha256
}

/** All rows of the relevant tables, as text. */
async function rowsOf(db: Db): Promise<string[]> {
  const tables = ['auth.account', 'auth.session', 'auth.signing_key', 'auth.event', 'cedar.object']
  const more = ['cedar.provider', 'cedar.product', 'cedar.product_version', 'cedar.event']
  const texts: string[] = []
  for (const table of [...tables, ...more]) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.raw(table)} as t order by 1`.execute(db)
    expect([table, rows.length > 0]).toEqual([table, true])
    texts.push(...rows.map(({ row }) => `${table} ${row}`))
  }
  return texts
}

/** Constraints and indexes; those of partitions without their names, which PostgreSQL chooses. */
async function shapeOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ shape: string }>`
    select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
      as shape
    from pg_constraint where connamespace::regnamespace::text in ('auth', 'cedar', 'maple')
    union all
    select concat_ws(' ', case when relispartition
        then regexp_replace(pg_get_indexdef(oid), 'INDEX \\S+', 'INDEX')
        else pg_get_indexdef(oid) end, indisvalid)
    from pg_index join pg_class on oid = indexrelid
    where relnamespace::regnamespace::text in ('auth', 'cedar', 'maple')
    order by 1`.execute(db)
  return rows.map(({ shape }) => shape)
}

test('rows, objects and sequences are restored unchanged, also with new rows afterwards', async () => {
  const file = join(root, 'in-process.grove')
  await pipeline(writeBackup(platform), createWriteStream(file))
  const { entries, isKeyed } = await verifyBackup(file, undefined)
  expect([entries > 10, isKeyed]).toEqual([true, false])
  const target = await testDatabase([])
  const data = join(root, 'restored')
  const objects = await openFolderObjects(join(data, 'objects'))
  const config = { dataFolder: data, secret: undefined }
  await restoreBackup(file, {
    db: target.db,
    objects,
    config,
    migrations: migrationsOf(services),
  })
  expect(await rowsOf(target.db)).toEqual(await rowsOf(database.db))
  expect(await shapeOf(target.db)).toEqual(await shapeOf(database.db))
  const object = await objects.read(sha256)
  const original = await platform.objects.read(sha256)
  if (!object || !original) throw new Error('The package is missing.')
  expect((await buffer(object.stream)).equals(await buffer(original.stream))).toBe(true)
  expect(await readFile(join(data, 'secret'), 'utf8')).toBe(
    await readFile(join(folder, 'secret'), 'utf8'),
  )
  // A backup contains no vault keys: they are restored manually.
  await copyFile(join(folder, 'vault-keys'), join(data, 'vault-keys'))
  // The restored platform works: the account signs in, which writes an event with its own number.
  const restored = await buildApp(platformOn(target, data, objects), services)
  const payload = { email, password, provider: 'grove' }
  const signIn = await restored.inject({ method: 'POST', url: '/api/token/password', payload })
  expect(signIn.statusCode).toBe(200)
  await restored.close()
  await target.close()
}, 120_000)

test('a backup includes objects in a bucket, and can be stored in a bucket @long', async () => {
  const s3 = await startS3Server()
  const bucketOf = (prefix: string) =>
    openS3Objects({ address: { ...s3.address, prefix }, stagingFolder: join(root, 'sending') })
  const [original, copy] = [await bucketOf('original/'), await bucketOf('copy/')]
  const { copied } = await copyMissing(platform.objects, original)
  expect(copied).toBeGreaterThan(0)
  const file = join(root, 'from-bucket.grove')
  await pipeline(writeBackup({ ...platform, objects: original }), createWriteStream(file))
  const target = await testDatabase([])
  const data = join(root, 'beside-bucket')
  await mkdir(data)
  const config = { dataFolder: data, secret: undefined }
  const migrations = migrationsOf(services)
  await restoreBackup(file, { db: target.db, objects: copy, config, migrations })
  const [one, other] = [await platform.objects.read(sha256), await copy.read(sha256)]
  if (!one || !other) throw new Error('The package is missing.')
  expect((await buffer(other.stream)).equals(await buffer(one.stream))).toBe(true)
  expect(await copyMissing(original, copy)).toMatchObject({ seen: copied, copied: 0 })
  await target.close()
  await s3.stop()
}, 120_000)

test('a changed byte and a truncated end are found before anything is written', async () => {
  const file = join(root, 'broken.grove')
  const whole = await buffer(writeBackup(platform))
  const changed = Buffer.from(whole)
  const middle = Math.floor(whole.length / 2)
  changed[middle] = (changed[middle] ?? 0) ^ 1
  for (const bytes of [changed, whole.subarray(0, whole.length - 100), Buffer.from('no backup')]) {
    await writeFile(file, bytes)
    await expect(verifyBackup(file, undefined)).rejects.toThrow('it was truncated or changed')
  }
})

test('only the command on this machine may request a backup by the server', async () => {
  const ask = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    app.inject({ url: '/backup', headers, remoteAddress })
  const { deriveSecret } = await import('./core/secret.ts')
  const secret = await readFile(join(folder, 'secret'), 'utf8')
  const authorization = `Bearer ${deriveSecret(secret, 'backup')}`
  expect((await ask({})).statusCode).toBe(404)
  expect((await ask({ authorization: 'Bearer x' })).statusCode).toBe(404)
  expect((await ask({ authorization }, '192.0.2.1')).statusCode).toBe(404)
  const through = { authorization, 'x-forwarded-for': '127.0.0.1' }
  expect((await ask(through)).statusCode).toBe(404)
  expect((await ask({ authorization })).statusCode).toBe(200)
})

/** Runs a command like npm. */
function run(args: readonly string[], environment: object) {
  const script = fileURLToPath(new URL('backup.ts', import.meta.url))
  const child = spawn(process.execPath, programArgs(script, ...args), {
    // A folder without a .env file.
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()))
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  )
}

test.skipIf(isPostgres)(
  'the commands back up a server that serves, and restore into an empty folder only @long',
  async () => {
    const file = join(root, 'served.grove')
    const environment = { GROVE_DATA: folder, GROVE_PORT: String(port) }
    const made = await run(['backup', file], environment)
    expect(made).toEqual({
      code: 0,
      output: expect.stringMatching(
        /is made and verified: \d+ entries, SHA-256 [\da-f]{64}\.\nIts hashes show damage, not forgery/,
      ),
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const again = await run(['backup', file], environment)
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('exists already')])

    const refused = await run(['restore', file], { GROVE_DATA: folder })
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('is not empty')])
    const fresh = join(root, 'fresh')
    const done = await run(['restore', file], { GROVE_DATA: fresh })
    const restoredWith = /show damage, not who wrote it[^]*is verified and restored/
    expect(done).toEqual({ code: 0, output: expect.stringMatching(restoredWith) })
    expect((await readdir(fresh)).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'database',
      'objects',
      'secret',
    ])
    const restored = await openDatabase({ folder: fresh })
    expect(await rowsOf(restored.db)).toEqual(await rowsOf(database.db))
    await restored.close()
  },
  180_000,
)

test('a keyed backup is restored only with its secret, and one of an earlier version with a warning @long', async () => {
  const secret = { GROVE_SECRET: randomBytes(32).toString('hex') }
  const about = JSON.stringify({ createdAt: new Date().toISOString(), migrations: [] })
  const keyed = join(root, 'keyed.grove')
  const entry = { name: 'about', content: Readable.from([Buffer.from(about)]) }
  await pipeline(packBackup(Readable.from([entry]), secret.GROVE_SECRET), createWriteStream(keyed))
  expect(await run(['restore', keyed], { GROVE_DATA: join(root, 'keyed') })).toEqual({
    code: 1,
    output: expect.stringContaining('keyed with the GROVE_SECRET that it was made with'),
  })
  const older = join(root, 'older.grove')
  await writeFile(older, olderBackup({ about }))
  const restored = await run(['restore', older], { GROVE_DATA: join(root, 'older'), ...secret })
  expect(restored).toEqual({
    code: 0,
    output: expect.stringMatching(/^Warning: the hashes of \S+ are not keyed with GROVE_SECRET\./),
  })
}, 120_000)
