import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../../core/database/database.ts'
import { migrationsOf } from '../../../../core/service.ts'
import { testDatabase } from '../../../../core/testing/test-database.ts'
import { maple } from '../../index.ts'
import { nextRun } from '../../program/script/script-run.queries.ts'
import type { MapleDb, MapleTables } from '../../base/tables.ts'
import { nextTarget as nextOfTemplate } from '../../program/template/template-run.queries.ts'
import { nextTarget as nextOfApplet } from './target.queries.ts'

let database: Database
let db: MapleDb
beforeAll(async () => {
  database = await testDatabase(migrationsOf([maple]))
  db = database.db.withTables<MapleTables>()
})
afterAll(() => database.close())

const scriptRun = { input: '{}', script_id: randomUUID() }
const queues = {
  applet: { table: 'applet_target', of: 'operation_id', more: {}, next: nextOfApplet },
  template: { table: 'template_target', of: 'run_id', more: {}, next: nextOfTemplate },
  script: { table: 'script_run', of: 'batch_id', more: scriptRun, next: nextRun },
}

// With many small operations the planner expects one element of each: it may then read the elements
// first, and search for the next one again for each of them.
test.for(Object.entries(queues))(
  'one element is started when the planner expects no more: %s',
  async ([, { table, of, more, next }]) => {
    const id = randomUUID()
    const running = await db.transaction().execute(async (tx) => {
      // The operations themselves are not needed.
      await sql`set local session_replication_role = replica`.execute(tx)
      const add = (count: number, operation: ReturnType<typeof sql>, state: string) => {
        const names = [of, 'cplc', 'state', ...Object.keys(more)].map((name) => sql.ref(name))
        const values = Object.values(more).map((value) => sql`, ${sql.lit(value)}`)
        return sql`
          insert into ${sql.table(`maple.${table}`)} (${sql.join(names)})
          select ${operation}, n::text, ${sql.lit(state)}${sql.join(values, sql``)}
          from generate_series(1, ${sql.lit(count)}) as n`.execute(tx)
      }
      await add(60, sql`gen_random_uuid()`, 'succeeded')
      await sql`analyze ${sql.table(`maple.${table}`)}`.execute(tx)
      await add(6, sql`${sql.lit(id)}::uuid`, 'waiting')
      expect(await next(tx, id)).toBeDefined()
      const { rows } = await sql`
        select cplc from ${sql.table(`maple.${table}`)} where state = 'running'`.execute(tx)
      return rows
    })
    expect(running).toEqual([{ cplc: '1' }])
  },
)
