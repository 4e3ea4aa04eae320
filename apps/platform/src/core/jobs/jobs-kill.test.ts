import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { openDatabase, type Db } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { runScript } from '../testing/run-script.ts'
import { testDatabase } from '../testing/test-database.ts'
import { createJobQueue } from './job-queue.ts'
import { orchard, orchardJobs, type OrchardJobs, type OrchardTables } from './testing/orchard.ts'

const script = new URL('./testing/pick-apples.ts', import.meta.url)
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const texts = Array.from({ length: 60 }, (_, index) => String(index))
const patience = { timeout: 30_000, interval: 20 }

async function addAll(db: Db): Promise<void> {
  const store = { db, schema: 'orchard', passedMs: () => 0 }
  const options = { secret: async () => '', nudge: () => {} }
  const { enqueue } = createJobQueue<OrchardJobs>(store, orchardJobs, options)
  await db.transaction().execute(async (tx) => {
    for (const text of texts) await enqueue(tx, 'pick', text, { owner: 'gardener' })
  })
}

const openJobs = async (db: Db) =>
  (
    await db.withTables<OrchardTables>().selectFrom('orchard.job').select(['state']).execute()
  ).filter(({ state }) => state !== 'completed').length

async function expectEachRan(db: Db): Promise<void> {
  const { rows } = await sql<{ text: string; runs: number }>`
    select text, count(*)::int as runs from orchard.trace group by text`.execute(db)
  expect(rows.map(({ text }) => text).sort()).toEqual([...texts].sort())
  // Only what ran at the moment of the kill ran again: at most four at once.
  expect(rows.filter(({ runs }) => runs > 1).length).toBeLessThanOrEqual(4)
  expect(rows.filter(({ runs }) => runs > 2)).toEqual([])
}

test.runIf(isPostgres)(
  'kill -9 of one of two processes loses no job',
  async () => {
    const database = await testDatabase([orchard])
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      database.db,
    )
    const url = Object.assign(new URL(inject('postgresUrl')), {
      pathname: `/${rows[0]?.name}`,
    }).href
    await addAll(database.db)
    const processes = [runScript(script, url, ''), runScript(script, url, '')]
    await Promise.all(processes.map(({ firstLine }) => firstLine))
    const [first] = processes
    await vi.waitFor(() => expect(first?.lines.length).toBeGreaterThan(6), patience)
    first?.child.kill('SIGKILL')
    await first?.exited
    expect(await openJobs(database.db)).toBeGreaterThan(0)
    await vi.waitFor(async () => expect(await openJobs(database.db)).toBe(0), patience)
    await expectEachRan(database.db)
    for (const { child } of processes) child.kill('SIGKILL')
    await Promise.all(processes.map(({ exited }) => exited))
    await database.close()
  },
  60_000,
)

test.runIf(!isPostgres)(
  'kill -9 of the process of an embedded database loses no job @long',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'grove-jobs-'))
    const made = await openDatabase({ folder })
    await migrate(made.db, [orchard])
    await addAll(made.db)
    await made.close()

    const first = runScript(script, '', folder)
    await first.firstLine
    await vi.waitFor(() => expect(first.lines.length).toBeGreaterThan(6), patience)
    first.child.kill('SIGKILL')
    await first.exited
    expect(first.lines.length).toBeLessThan(texts.length)

    const second = runScript(script, '', folder)
    await second.firstLine
    const ran = () => new Set([...first.lines, ...second.lines].filter((line) => line !== 'ready'))
    await vi.waitFor(() => expect(ran().size).toBe(texts.length), patience)
    second.child.kill('SIGKILL')
    await second.exited

    const database = await openDatabase({ folder })
    await expectEachRan(database.db)
    await database.close()
    await rm(folder, { recursive: true })
  },
  60_000,
)
