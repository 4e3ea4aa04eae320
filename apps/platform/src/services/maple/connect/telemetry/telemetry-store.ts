import { isDatabaseUnavailable } from '../../../../core/database/unavailable.ts'
import type { MigrationSource } from '../../../../core/database/migration-files.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { MapleDb } from '../../base/tables.ts'

/** Data points and hourly values: in the database, or in a separate PostgreSQL (decision 64). */
export interface TelemetryStore {
  db: MapleDb
  /** Whether they are in a separate PostgreSQL. */
  isApart: boolean
  /**
   * Where the points are for a transaction of the database, or for a replica: there, or in the other
   * PostgreSQL.
   */
  of: (db: MapleDb) => MapleDb
  /**
   * For a person. @throws ProblemError `telemetry_unavailable` while the other PostgreSQL is
   * unavailable.
   */
  read: <Answer>(db: MapleDb, work: (db: MapleDb) => Promise<Answer>) => Promise<Answer>
}

export const telemetryStore = (db: MapleDb, own: MapleDb | undefined): TelemetryStore =>
  own === undefined
    ? { db, isApart: false, of: (given) => given, read: (given, work) => work(given) }
    : {
        db: own,
        isApart: true,
        of: () => own,
        read: (_, work) =>
          work(own).catch((cause: unknown) => {
            if (!isDatabaseUnavailable(cause)) throw cause
            throw new ProblemError(
              'telemetry_unavailable',
              'The store of measurements is not responding. Try again shortly.',
              { retryAfter: 5, cause },
            )
          }),
      }

/** The tables of a separate PostgreSQL. */
export const telemetryMigrations: MigrationSource = {
  service: 'telemetry',
  folder: new URL('./migrations/', import.meta.url),
}
