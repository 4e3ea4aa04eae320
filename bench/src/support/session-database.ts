import { openDatabase } from '../../../apps/platform/src/core/database/database.ts'
import { migrate } from '../../../apps/platform/src/core/database/migrate.ts'
import { startPostgres } from '../../../apps/platform/src/core/testing/postgres-server.ts'
import { migrationsOf } from '../../../apps/platform/src/core/service.ts'
import { maple } from '../../../apps/platform/src/services/maple/index.ts'
import type { MapleTables } from '../../../apps/platform/src/services/maple/base/tables.ts'
import type { BenchContext } from './bench-context.ts'

/** A PostgreSQL with the tables of Maple, closed with the benchmark. */
export async function openMapleDatabase(bench: BenchContext) {
  const server = await startPostgres()
  bench.atEnd(server.stop)
  const database = await openDatabase({ url: server.url, folder: await bench.folder('sessions') })
  bench.atEnd(database.close)
  await migrate(database.db, migrationsOf([maple]))
  return database.db.withTables<MapleTables>()
}
