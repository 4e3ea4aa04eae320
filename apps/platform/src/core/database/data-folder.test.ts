import { sql } from 'kysely'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StartupError } from '../startup-error.ts'
import { beginDataFolder } from './data-folder.ts'
import { openDatabase } from './database.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-folder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = async () => openDatabase({ folder })

test('a database that lost PG_VERSION is not recreated over existing data', async () => {
  await mkdir(join(folder, 'database', 'base'), { recursive: true })
  await writeFile(join(folder, 'database', 'base', '1'), 'rows')
  await expect(open()).rejects.toThrow(StartupError)
  await expect(open()).rejects.toThrow(/has lost its file PG_VERSION.*npm run restore -- FILE/)
  expect(await readdir(join(folder, 'database'))).toEqual(['base'])
})

test.each([['secret'], ['objects/ab/abcd']])(
  'a folder with %s and without a database is refused',
  async (file) => {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), 'something')
    await expect(open()).rejects.toThrow(/and no database.*npm run restore -- FILE/)
  },
)

test(
  'nobody else can read the files of the database, new or old',
  { timeout: 120_000 },
  async () => {
    const umask = 0o077
    const readable = async () => {
      const entries = await readdir(join(folder, 'database'), { recursive: true })
      const modes = await Promise.all(
        ['', ...entries].map(async (entry) => (await stat(join(folder, 'database', entry))).mode),
      )
      return modes.filter((mode) => (mode & umask) !== 0).length
    }
    const made = await open()
    await sql`create table later (id int)`.execute(made.db)
    await sql`insert into later select generate_series(1, 1000)`.execute(made.db)
    expect(await readable()).toBe(0)
    await made.close()
    expect(await readable()).toBe(0)
    for (const entry of ['', 'base', 'PG_VERSION', 'postgresql.conf'])
      await chmod(join(folder, 'database', entry), 0o755)
    await (await open()).close()
    expect(await readable()).toBe(0)
  },
)

test('a damaged database is reported in one sentence', async () => {
  await mkdir(join(folder, 'database'))
  await writeFile(join(folder, 'database', 'PG_VERSION'), '99\n')
  const failure = await open().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartupError)
  expect(String(failure)).toMatch(/cannot be opened; it may be damaged \(.*npm run restore/)
  expect(String(failure)).not.toContain('\n')
})

test('an interrupted first start begins again, and a finished one leaves no trace', async () => {
  const finish = await beginDataFolder(folder)
  await writeFile(join(folder, 'database', 'half'), 'made')
  const again = await beginDataFolder(folder)
  expect(await readdir(join(folder, 'database'))).toEqual([])
  await again()
  await finish()
  await expect(stat(join(folder, 'database.making'))).rejects.toThrow('ENOENT')
})
