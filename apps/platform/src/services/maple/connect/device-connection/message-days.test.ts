import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../../core/database/database.ts'
import { migrate } from '../../../../core/database/migrate.ts'
import { nameOf, numberOf, readMigrations } from '../../../../core/database/migration-files.ts'
import { migrationsOf } from '../../../../core/service.ts'
import { explaining, readsOf, type Plan } from '../../../../core/testing/explained-plans.ts'
import { testDatabase } from '../../../../core/testing/test-database.ts'
import { dayOf, makeDays, readDays } from '../../base/day-partitions.ts'
import type { MapleDb } from '../../base/tables.ts'
import { maple } from '../../index.ts'
import { messageList, messagesAfter } from '../device-session/device-session.queries.ts'
import { newestMessages } from './device-connection.queries.ts'
import { tidyMessages } from './device-connection.service.ts'
import { beginMessageDay } from './message-days.queries.ts'

// The embedded database has one connection.
const isAlone = process.env['GROVE_TEST_ENGINE'] !== 'postgres'
const sources = migrationsOf([maple])
const dayMs = 86_400_000

/** Writes like a release without days, whose `maple.device_message` was a single table. */
const write = (db: MapleDb, boot: string, count = 1) =>
  sql<{ id: number; place: string }>`
    insert into maple.device_message (device_id, kind, boot, seq, sent_at, is_clock_off, data)
    select 'D', 'event', ${boot}, n, now(), false, '{}' from generate_series(1, ${count}::int) as n
    returning id, tableoid::regclass::text as place`.execute(db)

describe('an upgrade', () => {
  let database: Database
  let db: MapleDb
  beforeAll(async () => {
    database = await testDatabase([])
    db = database.db.withTables()
    const all = (await Promise.all(sources.map(readMigrations))).flat()
    const before = all.filter(({ service, name }) => service !== 'maple' || numberOf(name) < 68)
    await migrate(database.db, sources, { only: new Set(before.map(nameOf)) })
  })
  afterAll(() => database.close())

  test('copies no rows, and the previous release keeps working beside it', async () => {
    const fileOf = async (table: string) =>
      (await sql`select pg_relation_filenode(${table}::regclass) as file`.execute(db)).rows[0]
    const { rows: old } = await write(db, 'before', 1000)
    const file = await fileOf('maple.device_message')
    const over = new AbortController()
    let written = 0
    const others = Array.from({ length: isAlone ? 0 : 3 }, async () => {
      for (; !over.signal.aborted; written += 10) await write(db, 'beside', 10)
    })
    await migrate(database.db, sources, { isShared: !isAlone })
    over.abort()
    await Promise.all(others)
    expect(await fileOf('maple.device_message_19700101')).toEqual(file)
    const [after] = (await write(db, 'after')).rows
    expect(after).toMatchObject({ place: 'maple.device_message_19700101' })
    expect(after?.id).toBe((old.at(-1)?.id ?? 0) + written + 1)
    const { rows } = await sql<{ boot: string; count: number }>`
      select boot, count(*)::int as count from maple.device_message
      where received_at > now() - interval '1 hour' group by boot order by boot`.execute(db)
    expect(rows.filter(({ boot }) => boot !== 'beside')).toEqual([
      { boot: 'after', count: 1 },
      { boot: 'before', count: 1000 },
    ])
    expect(rows.find(({ boot }) => boot === 'beside')?.count ?? 0).toBe(written)
  })
})

describe('messages', () => {
  let database: Database
  let db: MapleDb
  beforeAll(async () => {
    database = await testDatabase(sources)
    db = database.db.withTables()
  })
  afterAll(() => database.close())

  const placeOf = async (boot: string) => (await write(db, boot)).rows[0]?.place
  const partition = (day: string) => `maple.device_message_${day.replaceAll('-', '')}`
  const tidy = (now: number) => tidyMessages({ db, now: () => now }, new AbortController().signal)

  test('of a day are in its partition once it has begun, and in the previous one before that', async () => {
    expect(await beginMessageDay(db, '2026-03-01')).toBe('1970-01-01')
    expect(await placeOf('a')).toBe(partition('1970-01-01'))
    await makeDays(db, 'device_message', ['2026-03-01', '2026-03-02'])
    expect(await placeOf('b')).toBe(partition('1970-01-01'))
    expect(await beginMessageDay(db, '2026-03-01')).toBe('2026-03-01')
    expect(await placeOf('c')).toBe(partition('2026-03-01'))
    expect(await beginMessageDay(db, '2026-03-01')).toBe('2026-03-01')
    expect(await beginMessageDay(db, '2026-03-02')).toBe('2026-03-02')
    // A clock that is behind changes nothing back.
    expect(await beginMessageDay(db, '2026-03-01')).toBe('2026-03-02')
    const { rows } = await sql<{
      boot: string
    }>`select boot from maple.device_message order by id`.execute(db)
    expect(rows.map(({ boot }) => boot)).toEqual(['a', 'b', 'c'])
  })

  test.skipIf(isAlone)('hold up nobody who reads or writes for long @long', async () => {
    await db.transaction().execute(async (writer) => {
      await write(writer, 'long')
      expect(await makeDays(db, 'device_message', ['2026-03-03'])).toBe(true)
      expect(await beginMessageDay(db, '2026-03-03')).toBe('2026-03-02')
      expect(await placeOf('d')).toBe(partition('2026-03-02'))
    })
    await db.transaction().execute(async (reader) => {
      await sql`select count(*) from maple.device_message`.execute(reader)
      expect(await beginMessageDay(db, '2026-03-03')).toBe('2026-03-03')
      expect(await placeOf('e')).toBe(partition('2026-03-03'))
    })
  })

  test('past their retention are dropped with their day, unless it still gets messages', async () => {
    const begun = Date.UTC(2026, 2, 5, 12)
    await tidy(begun)
    await write(db, 'fifth')
    await tidy(begun + 29 * dayMs)
    expect(await readDays(db, 'device_message')).toContain('2026-03-05')
    await tidy(begun + 30 * dayMs)
    // They may have arrived until the sixth began, which never happened.
    expect(await readDays(db, 'device_message')).toContain('2026-03-05')
    await tidy(begun + 31 * dayMs)
    expect(await readDays(db, 'device_message')).not.toContain('2026-03-05')
    expect(await placeOf('later')).toBe(partition(dayOf(begun + 31 * dayMs)))
  })

  test('of a backup get the partitions of their numbers', async () => {
    const id = 20_001 * 1e11 + 5
    const row = { id, device_id: 'B', kind: 'event', boot: 'b', seq: 1, data: {} }
    await sql`select maple.prepare_device_message(${JSON.stringify([row])}::json)`.execute(db)
    await sql`
      insert into maple.device_message (id, device_id, kind, boot, seq, data)
      overriding system value values (${id}, 'B', 'event', 'b', 1, '{}')`.execute(db)
    expect(await readDays(db, 'device_message')).toContain('2024-10-05')
  })

  test('of a session are read in the partitions of its days', async () => {
    const from = Date.UTC(2027, 0, 1)
    const days = Array.from({ length: 31 }, (_, at) => dayOf(from + at * dayMs))
    await makeDays(db, 'device_message', days)
    const ends: number[] = []
    for (const day of days) {
      await beginMessageDay(db, day)
      ends.push((await write(db, day, 300)).rows.at(-1)?.id ?? 0)
    }
    await sql`analyze maple.device_message`.execute(db)
    const [, , before = 0, last = 0] = ends
    const reads = async (read: (explained: MapleDb) => Promise<unknown>) => {
      const plans: Plan[] = []
      await read(db.withPlugin(explaining('maple.device_message', plans)))
      return readsOf(plans, 'device_message_')
        .filter((node) => node['Actual Loops'] > 0)
        .map((node) => [node['Relation Name'], node['Node Type'].includes('Index')])
    }
    const namesOf = (some: readonly string[]) =>
      some.map((day) => [`device_message_${day.replaceAll('-', '')}`, true])
    const session = { deviceId: 'D', firstMessage: before, lastMessage: last }
    const newest = { deviceId: 'D', firstMessage: ends[29] ?? 0, lastMessage: null }
    for (const query of [{}, { order: 'desc' }, { kind: 'event' }] as const)
      expect(await reads((each) => messageList.read(each, query, session))).toEqual(
        namesOf(query.order === 'desc' ? days.slice(3, 4) : days.slice(2, 4)),
      )
    expect(
      await reads((each) => messagesAfter(each, newest, { after: ends[30] ?? 0, limit: 200 })),
    ).toEqual(namesOf(days.slice(30)))
    expect(await reads((each) => newestMessages(each, 'D', 20))).toEqual(namesOf(days.slice(30)))
  })
})
