import type { Config } from './config.ts'
import type { Database, Db, Store } from './database/database.ts'
import type { Replica } from './database/replica.ts'
import type { Environment } from './environment.ts'
import type { JobSettings } from './jobs/platform-jobs.ts'
import type { Mailer } from './mail/mailer.ts'
import type { PreviewListener } from './http/preview-listener.ts'
import type { ObjectStore } from './objects/object-store.ts'
import type { Stream } from './stream/stream.ts'

/** The dependencies of every service. */
export interface Platform {
  config: Config
  /** Each service reads its own settings from it. */
  env: Environment
  database: Database
  db: Db
  /** Like the database's; if omitted, `db` is used. */
  direct?: Database['direct']
  /** For reads that may be a few seconds old. */
  replica?: Replica | undefined
  /** A separate PostgreSQL for the devices' data points, if configured; it may be unavailable. */
  telemetry?: Store | undefined
  /** The stream in which messages of devices wait for the database; it may be unavailable. */
  stream?: Stream | undefined
  objects: ObjectStore
  /** null if mail is not configured. */
  mailer: Mailer | null
  /** Where previews of packages are served; absent if they are off. */
  preview?: PreviewListener | undefined
  /** Milliseconds since the epoch. */
  now: () => number
  /** The api-version of every known service by name, including those that run elsewhere. */
  apiVersions: Readonly<Record<string, string>>
  /** Only tests change how jobs run. */
  jobs?: JobSettings
  /** Names of the services that run in this process. */
  services: readonly string[]
}
