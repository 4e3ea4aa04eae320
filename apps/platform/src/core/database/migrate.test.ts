import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql, type ControlledTransaction } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testDatabase } from '../testing/test-database.ts'
import type { Database } from './database.ts'
import { migrate, readMigrationState } from './migrate.ts'
import { readMigrations, type MigrationSource } from './migration-files.ts'

let database: Database
let folder: string
let source: MigrationSource

beforeEach(async () => {
  database = await testDatabase([])
  // The template was migrated without any migrations.
  await sql`drop schema if exists grove cascade`.execute(database.db)
  folder = await mkdtemp(join(tmpdir(), 'grove-migrations-'))
  source = { service: 'orchard', folder: pathToFileURL(folder) }
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})
const write = (name: string, text: string) => writeFile(join(folder, name), text)
const trees = () => sql`select * from orchard.tree`.execute(database.db)

test('applies each file once, in order, and returns the names of the new ones', async () => {
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

test('refuses a file that was changed after it was applied, except for its line endings', async () => {
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

/** The database as a process of a newer release left it, next to one of this release. */
async function afterNewer(text: string) {
  await write('0001_trees.sql', 'create schema orchard; create table orchard.tree (id int);')
  await migrate(database.db, [source])
  await write('0002_kinds.sql', text)
  await migrate(database.db, [source])
  await rm(join(folder, '0002_kinds.sql'))
}

test('works with a database that a newer release has added to', async () => {
  await afterNewer("alter table orchard.tree add kind text not null default 'apple';")
  expect(await migrate(database.db, [source])).toEqual([])
  expect(await readMigrationState(database.db, [source])).toEqual({
    pending: [],
    newer: ['orchard/0002_kinds.sql'],
  })
  await sql`insert into orchard.tree (id) values (1)`.execute(database.db)
})

test('refuses a database from which a newer release has taken what it needs', async () => {
  await afterNewer('-- contract since 0002: nothing reads it\nalter table orchard.tree drop id;')
  const refused = /orchard\/0002_kinds\.sql needs a release with migration 0002 of orchard/
  await expect(migrate(database.db, [source])).rejects.toThrow(refused)
  await expect(readMigrationState(database.db, [source])).rejects.toThrow(refused)
  // A release that knows the migration named in the mark.
  await write(
    '0002_kinds.sql',
    '-- contract since 0002: nothing reads it\nalter table orchard.tree drop id;',
  )
  expect(await migrate(database.db, [source])).toEqual([])
})

test('a contract requires no more than its mark says', async () => {
  await afterNewer('-- contract since 0001: nothing reads it\nalter table orchard.tree drop id;')
  expect(await migrate(database.db, [source])).toEqual([])
})

test('refuses a database with a different migration in place of one of its own', async () => {
  await write('0001_trees.sql', 'create schema orchard;')
  await migrate(database.db, [source])
  await rm(join(folder, '0001_trees.sql'))
  await write('0001_bushes.sql', 'create schema orchard;')
  await expect(migrate(database.db, [source])).rejects.toThrow(/orchard\/0001_trees\.sql/)
})

test.each(['contract', 'contract since 2: x', 'contract since 0002: x', 'contract since 0001'])(
  'refuses the mark "%s"',
  async (mark) => {
    await write('0001_trees.sql', `-- ${mark}\ncreate schema orchard;`)
    await expect(migrate(database.db, [source])).rejects.toThrow(`"-- ${mark}"; write it as`)
  },
)

test('the state of a database lists what is missing, and changes nothing', async () => {
  await write('0001_trees.sql', 'create schema orchard;')
  const pending = { pending: ['orchard/0001_trees.sql'], newer: [] }
  expect(await readMigrationState(database.db, [source])).toEqual(pending)
  const { rows } = await sql`select to_regnamespace('grove') as it`.execute(database.db)
  expect(rows).toEqual([{ it: null }])
})

test('the table of a release without marks is migrated', async () => {
  await sql`create schema grove`.execute(database.db)
  await sql`create table grove.migration (
    service text, name text, sha256 text not null, applied_at timestamptz not null default now(),
    primary key (service, name))`.execute(database.db)
  await write('0001_trees.sql', 'create schema orchard;')
  expect(await migrate(database.db, [source])).toHaveLength(1)
})

describe('an index created outside a transaction', () => {
  const index =
    '-- outside of a transaction\ncreate unique index concurrently tree_id on orchard.tree (id);\n'
  const isValid = async () =>
    (
      await sql<{ valid: boolean }>`
        select indisvalid as valid from pg_index
        where indexrelid = to_regclass('orchard.tree_id')`.execute(database.db)
    ).rows[0]?.valid
  const recorded = async () =>
    (await sql`select from grove.migration where name like '%tree_id%'`.execute(database.db)).rows
      .length

  beforeEach(async () => {
    await write('0001_trees.sql', 'create schema orchard; create table orchard.tree (id int);')
    await migrate(database.db, [source])
    await write('0002_tree_id.sql', index)
  })

  test('exists and is valid', async () => {
    expect(await migrate(database.db, [source])).toEqual(['orchard/0002_tree_id.sql'])
    expect(await isValid()).toBe(true)
  })

  test('is recreated if it was interrupted', async () => {
    await sql`insert into orchard.tree values (1), (1)`.execute(database.db)
    await expect(migrate(database.db, [source])).rejects.toThrow(/0002_tree_id\.sql failed/)
    expect(await recorded()).toBe(0)
    // The embedded database rolls it back.
    if (database.engine === 'postgres') expect(await isValid()).toBe(false)
    await sql`delete from orchard.tree`.execute(database.db)
    expect(await migrate(database.db, [source])).toHaveLength(1)
    expect(await isValid()).toBe(true)
  })

  test('is left as it is if only its record was missing', async () => {
    await migrate(database.db, [source])
    await sql`delete from grove.migration where name like '%tree_id%'`.execute(database.db)
    expect(await migrate(database.db, [source])).toHaveLength(1)
  })

  test('has nothing beside it that could not be repeated', async () => {
    await write('0002_tree_id.sql', `${index}alter table orchard.tree add kind text;`)
    await expect(migrate(database.db, [source])).rejects.toThrow(
      /has "alter table orchard.tree add kind text"; it may have/,
    )
    expect(await isValid()).toBe(undefined)
  })
})

describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'can be created while others use the table',
  () => {
    const patience = { lockMs: 300, tries: 3, pauseMs: 100 }
    let reader: ControlledTransaction<unknown>
    const lines: string[] = []
    const options = { isShared: true, patience, say: (line: string) => void lines.push(line) }

    beforeEach(async () => {
      lines.length = 0
      await write('0001_trees.sql', 'create schema orchard; create table orchard.tree (id int);')
      await migrate(database.db, [source])
      await write('0002_kinds.sql', 'alter table orchard.tree add kind text;')
      reader = await database.db.startTransaction().execute()
      await sql`select * from orchard.tree`.execute(reader)
    })

    test('a migration yields, and says what it waited for @long', async () => {
      const from = performance.now()
      const refused = migrate(database.db, [source], options)
      await expect(refused).rejects.toThrow(
        /0002_kinds\.sql waited for orchard\.tree, used by server process \d+ \(grove, idle in transaction, since [\d:]+ UTC\), 3 times for 0\.3 s each, and changed nothing/,
      )
      expect(performance.now() - from).toBeLessThan(5000)
      expect(lines).toHaveLength(2)
      await reader.rollback().execute()
      expect(await migrate(database.db, [source], options)).toHaveLength(1)
    })

    test('later arrivals are served between its attempts', async () => {
      const migrated = migrate(database.db, [source], {
        ...options,
        patience: { ...patience, tries: 50 },
      })
      await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), 5000)
      // If the migration waited without pauses, this would wait as long as the reader.
      await trees()
      await reader.rollback().execute()
      expect(await migrated).toHaveLength(1)
    })

    test('an index is created concurrently with processes that wait to migrate @long', async () => {
      await write(
        '0002_kinds.sql',
        '-- outside of a transaction\ncreate index concurrently tree_id on orchard.tree (id);',
      )
      await sql`insert into orchard.tree values (1)`.execute(reader)
      const first = migrate(database.db, [source], options)
      await vi.waitFor(
        () =>
          expect(lines.join()).toMatch(/0002_kinds\.sql waits for a \w+, used by server process/),
        5000,
      )
      const second = migrate(database.db, [source], options)
      await vi.waitFor(
        () => expect(lines).toContain('Another process applies migrations; waiting for it.'),
        5000,
      )
      // Nothing else waits because of it.
      await sql`insert into orchard.tree values (2)`.execute(database.db)
      await reader.commit().execute()
      expect([...(await first), ...(await second)]).toEqual(['orchard/0002_kinds.sql'])
    })
  },
)

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
