import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openDatabase } from './core/database/database.ts'
import { migrate } from './core/database/migrate.ts'
import { migrationsOf } from './core/service.ts'
import { programArgs } from './core/testing/run-script.ts'
import { auth } from './services/auth/index.ts'
import { openKeyRing } from './services/auth/signing-key/parts/key-ring.ts'
import type { AuthTables } from './services/auth/tables.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const secret = '43996fc189b265e098419a82362f9022e2ed160a2287064a0fe819ba2ab48f20'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-keys-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the command like `npm run keys --`, without a terminal. */
function keys(args: readonly string[], data = folder, environment: object = {}) {
  const script = fileURLToPath(new URL('keys.ts', import.meta.url))
  const child = spawn(process.execPath, programArgs(script, ...args), {
    // A folder without a .env file.
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { PATH: process.env['PATH'], GROVE_DATA: data, GROVE_SECRET: secret, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()))
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  )
}

/** The state after a server's first start, with the database still open. */
async function started(url?: string) {
  const database = await openDatabase({ folder, url })
  await migrate(database.db, migrationsOf([auth]))
  const ring = await openKeyRing(database.db.withTables<AuthTables>(), secret, Date.now)
  return { database, kid: (await ring.signer()).kid }
}

test.skipIf(isPostgres)(
  'a folder without a database is reported, and none is created @long',
  async () => {
    const empty = await mkdtemp(join(tmpdir(), 'grove-keys-'))
    const { code, output } = await keys(['list'], empty)
    expect([code, output]).toEqual([1, expect.stringContaining('There is no database in')])
    expect(await readdir(empty)).toEqual([])
    await rm(empty, { recursive: true })
  },
)

test.skipIf(isPostgres)(
  'an unknown command is refused with a list of the commands @long',
  async () => {
    for (const args of [['rotat'], ['list', 'all'], ['retire'], ['retire', 'a', 'b']]) {
      const { code, output } = await keys(args)
      expect([args, code]).toEqual([args, 1])
      expect(output).toContain('is no command for keys')
    }
    expect(await keys(['--help'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('rotate'),
    })
  },
)

test.skipIf(isPostgres)(
  'next to a running embedded server it says to stop that; then it lists, rotates and retires @long',
  async () => {
    const { database, kid } = await started()
    const refused = await keys(['rotate'])
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(/^The server is running on .* stop the server, run this again/)
    await database.close()

    const rotated = await keys(['rotate'])
    expect(rotated).toMatchObject({ code: 0, output: expect.stringContaining('is public now') })
    expect((await keys(['rotate'])).output).toMatch(/^Nothing to do/)
    const lines = (await keys(['list'])).output.trim().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${kid}  signs    signs since .* UTC until .* UTC$`)),
      expect.stringMatching(/^[\w-]{43} {2}next {5}signs from .* UTC$/),
    ])

    const unsure = await keys(['retire', kid])
    expect(unsure).toMatchObject({ code: 1, output: expect.stringContaining('add --yes') })
    const next = lines[1]?.slice(0, 43)
    const retired = await keys(['retire', kid, '--yes'])
    expect(retired).toEqual({ code: 0, output: `Key ${kid} is gone. Key ${next} signs.\n` })
    expect((await keys(['list'])).output.trim().split('\n')).toHaveLength(1)
  },
  120_000,
)

test.runIf(isPostgres)(
  'on PostgreSQL it lists, rotates and retires next to a running server',
  async () => {
    const url = new URL(inject('postgresUrl'))
    const admin = new Client({ connectionString: url.href })
    await admin.connect()
    const name = `keys_${process.pid}`
    await admin.query(`create database ${name}`)
    url.pathname = `/${name}`
    const { database, kid } = await started(url.href)
    const onPostgres = (...args: string[]) => keys(args, folder, { DATABASE_URL: url.href })

    expect((await onPostgres('rotate')).output).toContain('is public now')
    expect((await onPostgres('list')).output).toMatch(new RegExp(`^${kid}  signs .*\n.{43}  next `))
    expect(await onPostgres('retire', kid, '--yes')).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Key ${kid} is gone.`),
    })
    const other = { DATABASE_URL: url.href, GROVE_SECRET: secret.toUpperCase() }
    const refused = await keys(['rotate'], folder, other)
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringContaining('were sealed with another secret'),
    ])

    await database.close()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  },
  120_000,
)
