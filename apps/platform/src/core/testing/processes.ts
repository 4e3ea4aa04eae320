import { sql } from 'kysely'
import { inject } from 'vitest'
import { migrationsOf, type Service } from '../service.ts'
import { openWorld } from './process-world.ts'
import { testDatabase } from './test-database.ts'

export { kill, type Member, type Processes, type ProviderKeys } from './process-world.ts'

/** Several processes of the platform on one PostgreSQL database of this test, and their users. */
export async function openProcesses(services: readonly Service[]) {
  const { db, close } = await testDatabase(migrationsOf(services))
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: rows[0]?.name }).href
  return openWorld({ db, url }, close)
}
