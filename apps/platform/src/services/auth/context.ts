import { embeddedProvider } from '@grove/contract/dev/embedded-provider'
import { EventEmitter } from 'node:events'
import { defineEvents } from '../../core/events/define-events.ts'
import { ProblemError } from '../../core/http/problem.ts'
import type { JobQueue } from '../../core/jobs/job-queue.ts'
import type { Platform } from '../../core/platform.ts'
import { deriveSecret, readSecret } from '../../core/secret.ts'
import type { ServiceContext } from '../../core/service.ts'
import type { AuthJobs } from './jobs.ts'
import type { AuthSettings, OpenIdProvider } from './settings.ts'
import { openKeyRing, type KeyRing } from './signing-key/parts/key-ring.ts'
import type { AuthDb, AuthTables } from './tables.ts'

/** The dependencies of this service's functions. */
export interface AuthContext extends ServiceContext<AuthTables, AuthSettings> {
  keys: KeyRing
  /** The platform's secret, which encrypts what the database must not reveal. */
  secret: string
  jobs: JobQueue<AuthJobs>
  /** The server's log. */
  warnings: EventEmitter<{ warning: [fields: object, message: string] }>
}

export async function openContext(
  platform: Platform,
  settings: AuthSettings,
  jobs: JobQueue<AuthJobs>,
): Promise<AuthContext> {
  const db = platform.db.withTables<AuthTables>()
  const secret = await readSecret(platform.config)
  const keys = await openKeyRing(db, secret, platform.now)
  const openIdProviders = platform.config.isLocal
    ? [...settings.openIdProviders, embedded(secret)]
    : settings.openIdProviders
  return {
    ...platform,
    db,
    settings: { ...settings, openIdProviders },
    keys,
    secret,
    jobs,
    warnings: new EventEmitter(),
  }
}

const embedded = (secret: string): OpenIdProvider => ({
  id: embeddedProvider.id,
  name: embeddedProvider.name,
  issuer: null,
  clientId: embeddedProvider.clientId,
  clientSecret: deriveSecret(secret, embeddedProvider.secretPurpose),
  role: embeddedProvider.role,
})

/** The same context inside a transaction. */
export const within = <C extends AuthContext>(context: C, tx: AuthDb): C => ({ ...context, db: tx })

/** @throws ProblemError `unknown_realm` unless this server serves the realm. */
export function assertRealm({ config }: AuthContext, realm: string): void {
  if (realm !== config.realm)
    throw new ProblemError('unknown_realm', 'provider is not a realm of this service.')
}

export const events = defineEvents('auth', [
  'account.create',
  'account.update',
  'account.enable',
  'account.disable',
  'account.change_role',
  'account.send_reset',
  'account.validate_email',
  'account.change_password',
  'account.reset_password',
  'invitation.create',
  'invitation.send',
  'invitation.withdraw',
  'invitation.accept',
  'identity.link',
  'identity.unlink',
  'session.start',
  'session.end',
  'session.revoke',
  'key.rotate',
  'key.retire',
  'key.reseal',
])
export const { record } = events
