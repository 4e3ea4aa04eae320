import { EventEmitter } from 'node:events'
import type { Config } from '../../core/config.ts'
import { ProblemError } from '../../core/http/problem.ts'
import type { Mailer } from '../../core/mail/mailer.ts'
import type { Platform } from '../../core/platform.ts'
import { readSecret } from '../../core/secret.ts'
import { openKeyRing, type KeyRing } from './signing-key/key-ring.ts'
import type { AuthDb, AuthTables } from './tables.ts'

/** What the calls of this service work with. */
export interface Auth {
  config: Config
  db: AuthDb
  keys: KeyRing
  /** The platform's secret: seals what the database must not tell. */
  secret: string
  /** null where no mail can be sent. */
  mailer: Mailer | null
  now: () => number
  events: EventEmitter<AuthEvents>
}

interface AuthEvents {
  /** A mail is in the outbox, or will be once the running transaction is committed. */
  mailQueued: []
  /** A line for the log, written by whoever serves the calls. */
  warning: [fields: object, message: string]
}

const opened = new WeakMap<Platform, Promise<Auth>>()

/** One for each platform: the routes and the token verifier share its keys. */
export function openAuth(platform: Platform): Promise<Auth> {
  const known = opened.get(platform) ?? open(platform)
  opened.set(platform, known)
  return known
}

async function open({ config, db, mailer, now }: Platform): Promise<Auth> {
  const tables = db.withTables<AuthTables>()
  const secret = await readSecret(config)
  const keys = await openKeyRing(tables, secret, now)
  return { config, db: tables, keys, secret, mailer, now, events: new EventEmitter() }
}

/** @throws ProblemError `unknown_realm` unless the realm is the one served here. */
export function assertRealm(auth: Auth, realm: string): void {
  if (realm !== auth.config.realm)
    throw new ProblemError('unknown_realm', 'provider names a realm that is not served here.')
}
