import { availableParallelism } from 'node:os'
import { sql } from 'kysely'
import { everything } from '../../apps/platform/src/core/scope.ts'
import type { MapleDb } from '../../apps/platform/src/services/maple/base/tables.ts'
import { exchangeList } from '../../apps/platform/src/services/maple/card/session/exchange.queries.ts'
import {
  findSession,
  sessionList,
} from '../../apps/platform/src/services/maple/card/session/session.queries.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { openMapleDatabase } from './support/session-database.ts'
import { createRandom, percentile } from './support/statistics.ts'

const days = 30
/** Most sessions are short; this measures the worst case, a long one. */
const longSession = 10_000
const firstDay = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

export const exchangeBenchmark: Benchmark = {
  name: 'exchanges',
  title: 'The log of sessions',
  how: `Exchanges in ${days} partitions of a day, in sessions of ${longSession.toLocaleString('en')} each, made by \`generate_series\`, about 180 bytes each with their index; \`--exchanges N\` says how many. What is filled is not logged. Sessions chosen at random are opened (the session and its first page), paged from a place at random, searched by the bytes of a reply and by failures; the list of sessions is walked. Queries of the service on PostgreSQL, one at a time, without HTTP; p95.`,
  isLong: true,
  run: async (bench) => {
    const db = await openMapleDatabase(bench)
    const total = bench.isQuick ? 300_000 : bench.exchanges
    const perDay = Math.max(1, Math.round(total / longSession / days))
    await fill(db, perDay, bench)
    return { rows: await measure(db, perDay, bench) }
  },
}

const dayOf = (at: number) => new Date(firstDay + at * dayMs).toISOString().slice(0, 10)
/** Session ids encode their day and place. */
const idOf = (day: number, place: number) =>
  `00000000-0000-4000-8000-${String(day).padStart(4, '0')}${String(place).padStart(8, '0')}`

/** Days filled concurrently: one per processor of this machine. */
const lanes = Math.min(4, availableParallelism())

/**
 * A day is a separate, unlogged table until it is full, and its indexes are built afterwards over its
 * ordered rows: three times as fast as inserting into the partitioned table.
 */
async function fill(db: MapleDb, perDay: number, { say }: BenchContext): Promise<void> {
  const waiting = Array.from({ length: days }, (_, at) => at)
  const start = performance.now()
  let filled = 0
  const lane = () =>
    db.connection().execute(async (connection) => {
      await sql`set statement_timeout = 0`.execute(connection)
      await sql`set maintenance_work_mem = '256MB'`.execute(connection)
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
        await fillDay(connection, at, perDay)
        filled += 1
        const rate = (filled * perDay * longSession) / ((performance.now() - start) / 1000)
        say(
          `${filled} of ${days} days filled, ${Math.round(rate).toLocaleString('en')} exchanges a second`,
        )
      }
    })
  await Promise.all(Array.from({ length: lanes }, lane))
  await sql`vacuum (analyze) maple.session`.execute(db)
  const { rows } = await sql<{ size: string }>`
    select pg_size_pretty(sum(pg_total_relation_size(relid))) as size
    from pg_partition_tree('maple.exchange')`.execute(db)
  say(`${rows[0]?.size} of exchanges and indexes`)
}

async function fillDay(db: MapleDb, at: number, perDay: number): Promise<void> {
  const day = dayOf(at)
  const id = sql`('00000000-0000-4000-8000-' || ${String(at).padStart(4, '0')} || lpad(place::text, 8, '0'))::uuid`
  const table = sql.table(`maple.exchange_${day.replaceAll('-', '')}`)
  // DDL takes no parameters.
  const bounds = [sql.lit(day), sql.lit(dayOf(at + 1))] as const
  await sql`
    insert into maple.session (id, cplc, state, purpose, transport, opened_by, exchanges, failed,
      opened_at, ended_at, day)
    select ${id}, 'CPLC-' || place, 'closed', 'console', 'virtual', 'user-' || place % 50,
      ${longSession}::int, 0, ${day}::date + place * interval '1 second', now(), ${day}::date
    from generate_series(1, ${perDay}::int) as place`.execute(db)
  await sql`
    create unlogged table ${table} (like maple.exchange,
      check (day >= ${bounds[0]}::date and day < ${bounds[1]}::date))`.execute(db)
  await sql`
    insert into ${table} (day, session_id, seq, at, ins, command, reply, sent, received,
      status_word, latency_us, is_failed)
    select ${day}::date, id, seq, ${day}::date + seq * interval '50 ms', 242,
      '\\x80f28002024f0000', '\\xe3'::bytea || int4send(seq) || '\\x9000',
      uuid_send(id), int8send(seq) || int8send(place) || '\\x9000',
      36864, 48000, seq % 1000 = 0
    from (select place, ${id} as id from generate_series(1, ${perDay}::int) as place) as session,
      generate_series(1, ${longSession}::int) as seq`.execute(db)
  await sql`alter table ${table} add primary key (day, session_id, seq)`.execute(db)
  await sql`create index on ${table} (day, session_id, seq) where is_failed`.execute(db)
  await sql`vacuum (analyze) ${table}`.execute(db)
  await sql`
    alter table maple.exchange attach partition ${table}
    for values from (${bounds[0]}) to (${bounds[1]})`.execute(db)
}

async function measure(db: MapleDb, perDay: number, bench: BenchContext): Promise<Row[]> {
  const random = createRandom(1)
  const rounds = bench.isQuick ? 10 : 300
  const any = (most: number) => Math.floor(random() * most)
  const place = () => {
    const day = any(days)
    return { id: idOf(day, 1 + any(perDay)), day: dayOf(day) }
  }
  let cursor: string | undefined
  const tasks: Record<string, () => Promise<unknown>> = {
    'open a session': async () => {
      const one = place()
      const found = await findSession(db, one.id, everything)
      if (!found) throw new Error(`There is no session ${one.id}.`)
      return exchangeList.read(db, { limit: 50 }, one)
    },
    'page from any place': () =>
      exchangeList.read(db, { from: 1 + any(longSession), limit: 50 }, place()),
    'search by bytes': async () => {
      const q = (1 + any(longSession)).toString(16).padStart(8, '0')
      const { items } = await exchangeList.read(db, { q, limit: 50 }, place())
      if (items.length === 0) throw new Error(`Nothing found for ${q}.`)
    },
    'failed exchanges': () => exchangeList.read(db, { failed: true, limit: 50 }, place()),
    'page of sessions': async () => {
      const page = await sessionList.read(
        db,
        { limit: 50, ...(cursor !== undefined && { cursor }) },
        everything,
      )
      cursor = page.next ?? undefined
    },
  }
  const samples = new Map(Object.keys(tasks).map((name) => [name, [] as number[]]))
  for (let round = -3; round < rounds; round += 1)
    for (const [name, task] of Object.entries(tasks)) {
      const start = performance.now()
      await task()
      if (round >= 0) samples.get(name)?.push(performance.now() - start)
    }
  const exchanges = (perDay * days * longSession).toLocaleString('en')
  return [...samples].map(([name, times]) =>
    row(`${name}, p95`, percentile(times, 0.95), 'ms', {
      budget: { atMost: 50 },
      note: `${exchanges} exchanges, PostgreSQL`,
    }),
  )
}
