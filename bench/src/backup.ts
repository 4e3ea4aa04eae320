import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { keepBackup } from '../../apps/platform/src/core/backup/make-backup.ts'
import { restoreBackup, verifyBackup } from '../../apps/platform/src/core/backup/restore-backup.ts'
import { writeBackup } from '../../apps/platform/src/core/backup/write-backup.ts'
import { applyMigrations } from '../../apps/platform/src/core/database/bring-up-to-date.ts'
import { openDatabase, type Db } from '../../apps/platform/src/core/database/database.ts'
import { openFolderObjects } from '../../apps/platform/src/core/objects/folder-objects.ts'
import { migrationsOf } from '../../apps/platform/src/core/service.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import { services } from '../../apps/platform/src/services.ts'
import {
  storeMessages,
  type GivenMessage,
} from '../../apps/platform/src/services/maple/connect/gateway/intake.queries.ts'
import { readingClock } from '../../apps/platform/src/services/maple/connect/telemetry/telemetry.rules.ts'
import { telemetryStore } from '../../apps/platform/src/services/maple/connect/telemetry/telemetry-store.ts'
import type { MapleTables } from '../../apps/platform/src/services/maple/base/tables.ts'
import { row, type Benchmark } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { timed } from './support/statistics.ts'

const secret = 'b'.repeat(64)
const batchRows = 5000

export const backupBenchmark: Benchmark = {
  name: 'backup',
  title: 'Backup and restore',
  how: 'A fleet of devices, and their messages of two numbers each, on PostgreSQL (256 MB of shared buffers, no waiting for the disk), into a file and into an empty database of the same server. The backup is what the command does: rows, compression, and the check of the whole file; so is the restore: the check, tables, rows, indexes, foreign keys. Both in one process with two cores, at a keyed file.',
  isLong: true,
  run: async (bench) => {
    const server = await startPostgres()
    bench.atEnd(server.stop)
    const folder = await bench.folder('backup')
    const migrations = migrationsOf(services)
    const database = await openDatabase({ url: server.url, folder })
    await applyMigrations(database, migrations)
    const rows = await fill(database.db, bench)
    const config = { dataFolder: folder, secret }
    const objects = await openFolderObjects(join(folder, 'objects'))
    const file = join(folder, 'fleet.backup')
    bench.say('backing up')
    const made = await timed(() =>
      keepBackup({ file, content: writeBackup({ db: database.db, objects, config }), secret }),
    )
    await sql`create database restored`.execute(database.db)
    await database.close()
    const url = Object.assign(new URL(server.url), { pathname: '/restored' }).href
    const target = await openDatabase({ url, folder })
    bench.say('restoring')
    const restored = await timed(async () => {
      await verifyBackup(file, secret)
      await restoreBackup(file, { db: target.db, objects, config, migrations })
    })
    await target.close()
    const { size } = await stat(file)
    return {
      rows: [
        row('backup', made / 1000, 's', {
          note: `${rows} rows, ${Math.round(size / 1e6)} MB compressed`,
        }),
        row('restore', restored / 1000, 's'),
        row('restore against backup', restored / made, '×', { budget: { atMost: 2 } }),
      ],
    }
  },
}

/** Returns the number of rows of its largest tables. */
async function fill(db: Db, bench: BenchContext): Promise<number> {
  const devices = bench.isQuick ? 5000 : 50_000
  const messages = bench.isQuick ? 20_000 : 300_000
  await sql`
    insert into maple.device (id, name, name_key, type, state)
    select 'bench-' || n, 'Device ' || n, 'device ' || n, 'iot', 'accepted'
    from generate_series(0, ${devices - 1}::int) as n`.execute(db)
  await sql`
    insert into maple.device_stream (device_id, boot) select id, 'bench' from maple.device`.execute(
    db,
  )
  const maple = db.withTables<MapleTables>()
  const stores = { db: maple, telemetry: telemetryStore(maple, undefined) }
  for (let from = 0; from < messages; from += batchRows) {
    const given = Array.from({ length: batchRows }, (_, at): GivenMessage => {
      const place = from + at
      const seq = Math.floor(place / devices) + 1
      const d = { temperature: 20 + (place % 100) / 10, humidity: 40 + (place % 37) }
      return {
        deviceId: `bench-${place % devices}`,
        message: { t: 'telemetry', boot: 'bench', seq, ts: Date.now(), d },
      }
    })
    await storeMessages(stores, given, readingClock(Date.now(), 90))
  }
  return 2 * devices + 3 * messages
}
