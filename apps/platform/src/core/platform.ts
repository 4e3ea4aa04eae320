import type { FastifyInstance } from 'fastify'
import type { JWTVerifyGetKey } from 'jose'
import type { Config, ServiceName } from './config.ts'
import type { Database, Db } from './database/database.ts'
import type { ConstraintTable } from './http/error-handler.ts'
import type { Mailer } from './mail/mailer.ts'
import type { ObjectStore } from './objects/object-store.ts'

/** What every service is built from. */
export interface Platform {
  config: Config
  database: Database
  db: Db
  objects: ObjectStore
  /** null where no mail can be sent. */
  mailer: Mailer | null
  /** Milliseconds since the epoch. */
  now: () => number
}

/** One service: its tables, its routes, and the constraint names it translates. */
export interface Service {
  name: ServiceName
  /** Folder of numbered `.sql` files. */
  migrations?: URL
  constraints?: ConstraintTable
  /** Public keys of access tokens, from the service that signs them. */
  keySource?: (platform: Platform) => Promise<JWTVerifyGetKey>
  register: (app: FastifyInstance, platform: Platform) => void | Promise<void>
}
