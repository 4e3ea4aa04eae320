import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Database } from './core/database/database.ts'
import { openDatabase } from './core/database/database.ts'
import { startPlatform } from './core/testing/platform-process.ts'
import { programArgs } from './core/testing/run-script.ts'
import { testDatabase } from './core/testing/test-database.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'

let folder: string
let database: Database
let env: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-migrate-'))
  env = {
    GROVE_DATA: folder,
    GROVE_SAMPLE: 'off',
    GROVE_PREVIEW_PORT: '0',
    GROVE_SERVICES: 'auth,cedar,maple',
  }
  if (!isPostgres) return
  database = await testDatabase([])
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
    database.db,
  )
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: rows[0]?.name })
  env['DATABASE_URL'] = url.href
})
afterAll(async () => {
  if (isPostgres) await database.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the command like `npm run migrate --`. */
const run = (...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const script = fileURLToPath(new URL('migrate.ts', import.meta.url))
    const options = {
      // A folder without a .env file.
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      env: { PATH: process.env['PATH'], ...env },
    }
    execFile(process.execPath, programArgs(script, ...args), options, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), output: out + err }),
    )
  })

/** In the database that no process has open. */
async function change(work: ReturnType<typeof sql>) {
  if (isPostgres) return work.execute(database.db)
  const opened = await openDatabase({ folder })
  await work.execute(opened.db)
  await opened.close()
}

const newest = (needs: number | null) =>
  sql`insert into grove.migration (service, name, sha256, needs)
    values ('maple', '9000_of_a_newer_release.sql', '', ${needs})`
const start = async (more: Record<string, string> = {}) =>
  (await startPlatform({ ...env, ...more })).stop()

test('a database is inspected, migrated, and may be newer than this release', async () => {
  expect((await run('--force')).output).toContain('"--force" is no option.')
  const before = await run('--check')
  expect(before.code).toBe(1)
  if (isPostgres) expect(before.output).toMatch(/pending {2}platform\/0001_\w+\.sql\n/)
  else expect(before.output).toMatch(/There is no database in/)
  if (!isPostgres) expect(await readdir(folder)).toEqual([])

  await expect(start({ GROVE_MIGRATE: 'check' })).rejects.toThrow(
    /lacks migrations of this release \(platform\/0001_\w+\.sql and \d+ more\): run npm run migrate, or set GROVE_MIGRATE=start\./,
  )
  const [one, other] = [await run(), await run()]
  expect(one.output).toMatch(/applied {2}maple\/0001_\w+\.sql\n[^]*The database is up to date\.\n$/)
  expect(other).toEqual({ code: 0, output: 'Nothing was pending.\n' })
  expect(await run('--check')).toEqual({ code: 0, output: 'Nothing is pending.\n' })
  await start({ GROVE_MIGRATE: 'check' })

  await change(newest(null))
  const newer = await run('--check')
  expect(newer.code).toBe(0)
  expect(newer.output).toBe(
    'newer    maple/9000_of_a_newer_release.sql\nThe database is newer than this release, which works with it all the same.\nNothing is pending.\n',
  )
  await start()

  await change(sql`delete from grove.migration where name like '9000%'`)
  await change(newest(8999))
  const refused = await run('--check')
  expect(refused.code).toBe(2)
  expect(refused.output).toMatch(
    /^The database is newer than this Grove: its migration maple\/9000_of_a_newer_release\.sql needs a release with migration 8999 of maple, and this one ends at \d{4}\. Start a newer release\.\n$/,
  )
  expect((await run()).code).toBe(1)
  await expect(start()).rejects.toThrow(/needs a release with migration 8999 of maple/)
}, 120_000)

test.runIf(isPostgres)('a separate telemetry database is migrated with it', async () => {
  await change(sql`delete from grove.migration where name like '9000%'`)
  const store = await testDatabase([])
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(store.db)
  const before = env
  env = {
    ...env,
    TELEMETRY_URL: Object.assign(new URL(inject('postgresUrl')), { pathname: rows[0]?.name }).href,
  }
  const pending = { code: 1, output: 'pending  telemetry/0001_points.sql\n' }
  expect(await run('--check')).toEqual(pending)
  await expect(start({ GROVE_MIGRATE: 'check' })).rejects.toThrow(
    /lacks migrations of this release \(telemetry\/0001_points\.sql\)/,
  )
  expect((await run()).output).toBe(
    'applied  telemetry/0001_points.sql\nThe database is up to date.\n',
  )
  expect(await run('--check')).toEqual({ code: 0, output: 'Nothing is pending.\n' })
  env = { ...before, TELEMETRY_URL: 'postgres://localhost:1/nothing' }
  expect(await run()).toMatchObject({
    code: 1,
    output: expect.stringContaining('PostgreSQL at TELEMETRY_URL does not answer'),
  })
  env = before
  await store.close()
})

test.runIf(isPostgres)('an unreachable database is not considered up to date', async () => {
  env = { ...env, DATABASE_URL: 'postgres://localhost:1/nothing' }
  expect(await run('--check')).toMatchObject({
    code: 2,
    output: expect.stringContaining('refuses the connection'),
  })
})
