import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AnyJobDefinitions, JobDefinition } from './core/jobs/define-jobs.ts'
import { createJobQueue } from './core/jobs/job-queue.ts'
import { runnerSettings, startJobRunner } from './core/jobs/job-runner.ts'
import type { Database } from './core/database/database.ts'
import { migrationsOf } from './core/service.ts'
import { testDatabase } from './core/testing/test-database.ts'
import { hasJobs } from './core/jobs/platform-jobs.ts'
import { services } from './services.ts'

type Definition = JobDefinition<unknown, unknown>

let database: Database
beforeAll(async () => {
  database = await testDatabase(migrationsOf(services))
})
afterAll(() => database.close())

const withJobs = services.filter(hasJobs)
const queuedOf = (jobs: AnyJobDefinitions) =>
  Object.entries(jobs as Record<string, Definition>).filter(
    ([, { everyMs }]) => everyMs === undefined,
  )

const backlog = 30

test('only mails have no owner: every other job has one', () => {
  const ownless = withJobs.flatMap(({ jobs }) =>
    queuedOf(jobs).flatMap(([name, { isOwnless }]) => (isOwnless ? [name] : [])),
  )
  expect(ownless).toEqual(['mail.send'])
})

test.each(withJobs.map((service) => [service.name, service] as const))(
  'whatever one owner has waiting in %s, each kind of job of another begins beside it @long',
  async (schema, { jobs }) => {
    const begun: Record<string, Record<string, number>> = {}
    // As each is declared, with runs that last until the end of the test.
    const definitions = Object.fromEntries(
      queuedOf(jobs).flatMap(([name, definition]) => {
        const run: Definition['run'] = async (_context, input, { signal }) => {
          const counts = (begun[name] ??= {})
          counts[String(input)] = (counts[String(input)] ?? 0) + 1
          await wait(600_000, undefined, { signal, ref: false })
        }
        return definition.isOwnless ? [] : [[name, { ...definition, canRun: () => true, run }]]
      }),
    ) as AnyJobDefinitions
    const names = Object.keys(definitions)
    const store = { db: database.db, schema, passedMs: () => 0 }
    const secret = async () => 'a secret of the tests'
    const runner = startJobRunner([{ store, definitions, context: {} }], {
      ...runnerSettings,
      pollMs: 200,
      hasRecurring: false,
      secret,
      warn: () => {},
    })
    const queue = createJobQueue<Record<string, string>>(store, definitions, {
      secret,
      nudge: () => {},
    })
    const add = (owner: string, count: number) =>
      database.db.transaction().execute(async (tx) => {
        for (const name of names)
          for (let n = 0; n < count; n++) await queue.enqueue(tx, name, owner, { owner })
      })
    try {
      await add('crowd', backlog)
      await vi.waitFor(() => expect(Object.keys(begun).sort()).toEqual(names.toSorted()), {
        timeout: 20_000,
      })
      await add('neighbour', 1)
      await vi.waitFor(
        () => {
          const waiting = names.filter((name) => begun[name]?.['neighbour'] !== 1)
          expect(waiting).toEqual([])
        },
        { timeout: 20_000 },
      )
      for (const name of names) expect(begun[name]?.['crowd']).toBeLessThan(backlog)
    } finally {
      await runner.close()
      await sql`delete from ${sql.table(`${schema}.job`)}`.execute(database.db)
    }
  },
)
