import { sql } from 'kysely'
import {
  beginMessageDay,
  deleteFirstMessages,
} from '../../apps/platform/src/services/maple/connect/device-connection/message-days.queries.ts'
import { tidyMessages } from '../../apps/platform/src/services/maple/connect/device-connection/device-connection.service.ts'
import {
  dayOf,
  daysAround,
  makeDays,
} from '../../apps/platform/src/services/maple/base/day-partitions.ts'
import type { MapleDb } from '../../apps/platform/src/services/maple/base/tables.ts'
import { row, type Benchmark } from './benchmark.ts'
import { openMapleDatabase } from './support/session-database.ts'
import { timed } from './support/statistics.ts'

const dayMs = 86_400_000
const keptDays = 30
const batch = 10_000

export const tidyBenchmark: Benchmark = {
  name: 'tidy',
  title: 'Tidying messages',
  how: `A day of messages of 10,000 devices, about 150 bytes each, in its partition and in that of what came before messages had days, on a PostgreSQL that does not wait for its disk. The first is tidied by the job as it runs each hour, the second as releases without partitions did, ${batch.toLocaleString('en')} rows a statement.`,
  isLong: true,
  run: async (bench) => {
    const db = await openMapleDatabase(bench)
    const count = bench.isQuick ? 50_000 : 1_000_000
    await fill(db, count)
    const today = Date.now()
    const days = daysAround(today, { before: 0, after: 1 })
    await makeDays(db, 'device_message', days)
    for (const day of days) {
      await beginMessageDay(db, day)
      if (day === dayOf(today)) await fill(db, count)
    }
    await sql`vacuum analyze`.execute(db)
    const deleted = await timed(async () => {
      while ((await deleteFirstMessages(db, { days: 0, most: batch })) === batch);
    })
    const later = today + (keptDays + 1) * dayMs
    const dropped = await timed(() =>
      tidyMessages({ db, now: () => later }, new AbortController().signal),
    )
    const left = await sql`select from maple.device_message limit 1`.execute(db)
    if (left.rows.length > 0) throw new Error('There are messages left.')
    return {
      rows: [
        row(`a day of ${count.toLocaleString('en')} messages`, dropped / 1000, 's', {
          budget: { atMost: 1 },
          note: 'its partition dropped, the next ones made',
        }),
        row('as many, deleted row by row', deleted / 1000, 's', { note: 'as it was before' }),
      ],
    }
  },
}

const fill = (db: MapleDb, count: number) =>
  db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`
      insert into maple.device_message (device_id, kind, boot, seq, sent_at, data)
      select 'bench-' || n % 10000, 'telemetry', 'bench', n / 10000, now(),
        json_build_object('temperature', n % 100, 'humidity', n % 37)
      from generate_series(1, ${count}::int) as n`.execute(connection)
  })
