import { isAdmin, type Actor } from '../../core/actor.ts'
import { defineEvents } from '../../core/events/define-events.ts'
import type { JobQueue } from '../../core/jobs/job-queue.ts'
import type { ServiceContext } from '../../core/service.ts'
import { ownersOf } from './parts/owners.queries.ts'
import type { CedarJobs } from './jobs.ts'
import type { PackageKey } from './link/package-key.ts'
import type { PushTransport } from './push-transport/push-transport.ts'
import type { CedarSettings } from './settings.ts'
import type { CedarTables } from './tables.ts'

export interface CedarContext extends ServiceContext<CedarTables, CedarSettings> {
  jobs: JobQueue<CedarJobs>
  /** The HMAC key of providers' API keys. */
  keySecret: string
  /** Signs the package information for host apps. */
  packageKey: PackageKey
  /** Signs the receipts in messages. */
  receiptSecret: string
  /** The transport of notifications; null if none is configured. */
  push: PushTransport | null
}

/** The user whose objects are visible; undefined for an admin, who sees everyone's. */
export const visibleTo = (actor: Actor): string | undefined =>
  isAdmin(actor) ? undefined : actor.id

export const events = defineEvents(
  'cedar',
  [
    'provider.create',
    'provider.icon',
    'provider.update',
    'provider.delete',
    'provider.key',
    'provider.key.revoke',
    'provider.link',
    'provider.unlink',
    'provider.transfer',
    'provider.transfer.away',
    'provider.transfer.undo',
    'provider_request.create',
    'provider_request.approve',
    'provider_request.refuse',
    'provider_request.withdraw',
    'product.create',
    'product.update',
    'product.delete',
    'product.default',
    'product.icon',
    'product.link',
    'product.unlink',
    'product.share',
    'product.unshare',
    'version.create',
    'version.update',
    'version.delete',
    'version.enable',
    'version.disable',
    'version.download',
    'version.image.add',
    'version.image.order',
    'version.image.remove',
    'version.package',
    'version.package.refused',
    'apiKey.create',
    'apiKey.revoke',
    'publishKey.create',
    'publishKey.revoke',
    'notification.create',
    'notification.cancel',
    'notification.test',
    'push_device.test',
  ],
  {
    // The history of releases.
    kept: ['version.enable', 'version.disable'],
    columns: ownersOf,
  },
)
export const { record } = events

export type CedarAction = Parameters<typeof record>[2]
