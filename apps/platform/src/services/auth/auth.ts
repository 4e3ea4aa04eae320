import type { Config } from '../../core/config.ts'
import { ProblemError } from '../../core/http/problem.ts'
import type { Platform } from '../../core/platform.ts'
import { readSecret } from '../../core/secret.ts'
import { openKeyRing, type KeyRing } from './signing-key/key-ring.ts'
import type { AuthDb, AuthTables } from './tables.ts'

/** What the calls of this service work with. */
export interface Auth {
  config: Config
  db: AuthDb
  keys: KeyRing
  now: () => number
}

const opened = new WeakMap<Platform, Promise<Auth>>()

/** One for each platform: the routes and the token verifier share its keys. */
export function openAuth(platform: Platform): Promise<Auth> {
  const known = opened.get(platform) ?? open(platform)
  opened.set(platform, known)
  return known
}

async function open({ config, db, now }: Platform): Promise<Auth> {
  const tables = db.withTables<AuthTables>()
  const keys = await openKeyRing(tables, await readSecret(config), now)
  return { config, db: tables, keys, now }
}

/** @throws ProblemError `unknown_realm` unless the realm is the one served here. */
export function assertRealm(auth: Auth, realm: string): void {
  if (realm !== auth.config.realm)
    throw new ProblemError('unknown_realm', 'provider names a realm that is not served here.')
}
