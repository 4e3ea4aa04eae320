import type { ProviderLimit } from '@grove/contract/cedar/provider.rules'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarSettings } from '../settings.ts'

/** The default limits of a provider, unless an admin sets its own. */
export const catalogueLimits = {
  products: 1000,
  versionsPerProduct: 1000,
  members: 100,
  previewTokensPerHour: 600,
  linksPerProduct: 100,
  notificationsPerDay: 100,
} as const

export type Limits = Record<ProviderLimit, number>

/** The effective limits of a provider: its own, or the stage's. */
export const limitsInForce = (
  { providerBytes }: CedarSettings,
  own: { [Limit in ProviderLimit]?: number | undefined },
): Limits => ({
  products: own.products ?? catalogueLimits.products,
  versionsPerProduct: own.versionsPerProduct ?? catalogueLimits.versionsPerProduct,
  storageBytes: own.storageBytes ?? providerBytes,
  members: own.members ?? catalogueLimits.members,
  previewTokensPerHour: own.previewTokensPerHour ?? catalogueLimits.previewTokensPerHour,
  notificationsPerDay: own.notificationsPerDay ?? catalogueLimits.notificationsPerDay,
})

const things = { products: 'apps', members: 'members' } as const

interface Reached {
  used: number
  limit: number
  /** How many would be added. */
  more?: number
}

/** What is limited, its usage, and who can raise the limit. */
export const limitReached = (
  name: keyof typeof things,
  { used, limit, more = 1 }: Reached,
): ProblemError =>
  new ProblemError(
    'limit_reached',
    `The provider has ${used} of ${limit} ${things[name]}, so ${more} more cannot be added. An administrator can raise the limit.`,
  )

/** How long a refused but repairable package is kept, and how many per provider. */
export const refusedLimits = { keepSeconds: 24 * 60 * 60, files: 20 } as const
