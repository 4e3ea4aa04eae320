import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../core/database/database.ts'
import { migrationsOf } from '../../../core/service.ts'
import { testDatabase } from '../../../core/testing/test-database.ts'
import { maple } from '../index.ts'
import { daysAround, dropDaysBefore, makeDays, readDays } from './day-partitions.ts'
import type { MapleDb } from './tables.ts'

let database: Database
let db: MapleDb
beforeAll(async () => {
  database = await testDatabase(migrationsOf([maple]))
  db = database.db.withTables()
})
afterAll(() => database.close())

const days = daysAround(Date.UTC(2026, 2, 2, 12), { before: 1, after: 1 })
const tables = ['device_message', 'exchange', 'telemetry'] as const

test.each(tables)('days of %s are created once, and dropped by their date', async (table) => {
  const ours = async () =>
    (await readDays(db, table)).filter((day) => day > '2026' && day < '2026-04')
  expect(await makeDays(db, table, days.toReversed())).toBe(true)
  expect(await makeDays(db, table, days)).toBe(true)
  expect(await ours()).toEqual(['2026-03-01', '2026-03-02', '2026-03-03'])
  await dropDaysBefore(db, table, '2026-03-03')
  expect(await ours()).toEqual(['2026-03-03'])
})

// The embedded database has one connection.
test.skipIf(process.env['GROVE_TEST_ENGINE'] !== 'postgres')(
  'during a long read of all exchanges, those of a new day are written without a partition @long',
  async () => {
    const day = '2026-03-20'
    const write = (seq: number) =>
      sql`
      insert into maple.exchange (day, session_id, seq, at, ins, is_failed)
      values (${day}, gen_random_uuid(), ${seq}, now(), 202, false)
      returning tableoid::regclass::text as place`.execute(db)
    await db.transaction().execute(async (reader) => {
      await sql`select count(*) from maple.exchange`.execute(reader)
      expect(await makeDays(db, 'exchange', [day])).toBe(false)
      expect((await write(1)).rows).toEqual([{ place: 'maple.exchange_other' }])
    })
    // The test is about one day only.
    expect(await makeDays(db, 'exchange', [day])).toBe(true)
    expect((await write(2)).rows).toEqual([{ place: 'maple.exchange_other' }])
  },
)
