import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../testing/test-database.ts'
import type { Database } from './database.ts'
import { migrate, readMigrations, type MigrationSource } from './migrate.ts'

let database: Database
let folder: string
let source: MigrationSource

beforeEach(async () => {
  database = await testDatabase([])
  folder = await mkdtemp(join(tmpdir(), 'grove-migrations-'))
  source = { service: 'orchard', folder: pathToFileURL(folder) }
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})
const write = (name: string, text: string) => writeFile(join(folder, name), text)
const trees = () => sql`select * from orchard.tree`.execute(database.db)

test('applies each file once, in order, and answers the names of the new ones', async () => {
  await write('0001_trees.sql', 'create schema orchard; create table orchard.tree (id int);')
  expect(await migrate(database.db, [source])).toEqual(['orchard/0001_trees.sql'])
  await write('0002_kinds.sql', "alter table orchard.tree add kind text default 'a;b';")
  expect(await migrate(database.db, [source])).toEqual(['orchard/0002_kinds.sql'])
  expect(await migrate(database.db, [source])).toEqual([])
  await sql`insert into orchard.tree values (1)`.execute(database.db)
  expect((await trees()).rows).toEqual([{ id: 1, kind: 'a;b' }])
})

test('applies a file once when several processes start together', async () => {
  await write('0001_trees.sql', 'create schema orchard; create table orchard.tree (id int);')
  const runs = await Promise.all([1, 2, 3].map(() => migrate(database.db, [source])))
  expect(runs.flat()).toEqual(['orchard/0001_trees.sql'])
})

test('leaves nothing of a file that fails, and names it', async () => {
  await write('0001_trees.sql', 'create schema orchard; create table orchard.tree (id nothing);')
  await expect(migrate(database.db, [source])).rejects.toThrow(
    /orchard\/0001_trees\.sql failed: type "nothing" does not exist/,
  )
  await write('0001_trees.sql', 'create schema orchard; create table orchard.tree (id int);')
  expect(await migrate(database.db, [source])).toHaveLength(1)
})

test('refuses a file that was changed after it was applied, but not its line ends', async () => {
  await write('0001_trees.sql', 'create schema orchard;\ncreate table orchard.tree (id int);\n')
  await migrate(database.db, [source])
  await write('0001_trees.sql', 'create schema orchard;\r\ncreate table orchard.tree (id int);\r\n')
  expect(await migrate(database.db, [source])).toEqual([])
  await write('0001_trees.sql', 'create schema orchard;')
  await expect(migrate(database.db, [source])).rejects.toThrow(/0001_trees\.sql was changed/)
})

test.each([
  [['0001_a.sql', '0003_c.sql'], '0003_c.sql'],
  [['0001_a.sql', '0001_b.sql'], '0001_b.sql'],
  [['0002_b.sql'], '0002_b.sql'],
  [['0001_a.sql', '2_b.sql'], '2_b.sql'],
])('refuses %j, naming %s', async (names, bad) => {
  for (const name of names) await write(name, 'select 1;')
  await expect(migrate(database.db, [source])).rejects.toThrow(`orchard/${bad} is out of order`)
})

test('refuses a database that a newer version migrated', async () => {
  await write('0001_trees.sql', 'create schema orchard;')
  await write('0002_kinds.sql', 'select 1;')
  await migrate(database.db, [source])
  await rm(join(folder, '0002_kinds.sql'))
  await expect(migrate(database.db, [source])).rejects.toThrow(/orchard\/0002_kinds\.sql/)
})

test('a file includes another, in the schema of its service', async () => {
  await mkdir(join(folder, 'parts'))
  await write('parts/tree.sql', 'create table {schema}.tree (id int);\r\n-- {schema}: done\r\n')
  await write('0001_trees.sql', 'create schema orchard;\n-- include parts/tree.sql\n-- end\n')
  const [migration] = await readMigrations(source)
  expect(migration?.text).toBe(
    'create schema orchard;\ncreate table orchard.tree (id int);\n-- orchard: done\n-- end\n',
  )
  expect(await migrate(database.db, [source])).toHaveLength(1)
  expect((await trees()).rows).toEqual([])
})

test('refuses an included file that was changed after it was applied, or is missing', async () => {
  await write('tree.part', 'create schema {schema}; create table {schema}.tree (id int);')
  await write('0001_trees.sql', '-- include tree.part\n')
  await migrate(database.db, [source])
  await write('tree.part', 'create schema {schema};')
  await expect(migrate(database.db, [source])).rejects.toThrow(/0001_trees\.sql was changed/)
  await rm(join(folder, 'tree.part'))
  await expect(migrate(database.db, [source])).rejects.toThrow(/tree\.part/)
})
