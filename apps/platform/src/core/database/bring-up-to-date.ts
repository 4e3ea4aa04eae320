import { StartupError } from '../startup-error.ts'
import type { Say } from '../say.ts'
import type { Store } from './database.ts'
import { migrate, readMigrationState, type MigrateOptions } from './migrate.ts'
import type { MigrationSource } from './migration-files.ts'

/** Whether a start applies pending migrations, or refuses because of them. */
export const migrateChoices = ['start', 'check'] as const
export type MigrateChoice = (typeof migrateChoices)[number]

/** Applies pending migrations to a database that others may be using. */
export const applyMigrations = (
  { direct, engine }: Store,
  sources: readonly MigrationSource[],
  options: Pick<MigrateOptions, 'patience' | 'say'> = {},
): Promise<string[]> =>
  direct((db) => migrate(db, sources, { ...options, isShared: engine === 'postgres' }))

/** @throws StartupError for a database on which this process must not start. */
export async function bringUpToDate(
  database: Store,
  sources: readonly MigrationSource[],
  choice: MigrateChoice,
  say: Say,
): Promise<void> {
  if (choice === 'start') {
    await applyMigrations(database, sources, { say: say.info })
    return
  }
  const [first, ...more] = (await readMigrationState(database.db, sources)).pending
  if (first === undefined) return
  const names = more.length === 0 ? first : `${first} and ${more.length} more`
  throw new StartupError(
    `The database lacks migrations of this release (${names}): run npm run migrate, or set GROVE_MIGRATE=start.`,
  )
}
