import type { Config } from './config.ts'
import type { Database, Db } from './database/database.ts'
import type { Environment } from './environment.ts'
import type { JobSettings } from './jobs/platform-jobs.ts'
import type { Mailer } from './mail/mailer.ts'
import type { PreviewListener } from './http/preview-listener.ts'
import type { ObjectStore } from './objects/object-store.ts'

/** What every service is built from. */
export interface Platform {
  config: Config
  /** Each service reads its own settings from it. */
  env: Environment
  database: Database
  db: Db
  objects: ObjectStore
  /** null where no mail can be sent. */
  mailer: Mailer | null
  /** Where previews of packages are served; absent where they are turned off. */
  preview?: PreviewListener | undefined
  /** Milliseconds since the epoch. */
  now: () => number
  /** The api-version of every known service by its name, also of those that run elsewhere. */
  apiVersions: Readonly<Record<string, string>>
  /** Only tests change how jobs run. */
  jobs?: JobSettings
  /** Names of the services that run in this process. */
  services: readonly string[]
}
