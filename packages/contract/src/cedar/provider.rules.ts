import { sortedBy } from '../page.rules.ts'

export const providerStages = ['DEV', 'TEST', 'PROD'] as const
export type ProviderStage = (typeof providerStages)[number]

/** `personal`: the one that each developer has; `organisation`: created by an admin. */
export const providerKinds = ['organisation', 'personal'] as const
export type ProviderKind = (typeof providerKinds)[number]

export const maxProviderNameLength = 60

/** Default limits of a provider, and the highest values that an admin can set. */
export const largestLimits = {
  products: 10_000,
  versionsPerProduct: 10_000,
  storageBytes: 2 ** 40,
  members: 1000,
  previewTokensPerHour: 10_000,
  notificationsPerDay: 100_000,
} as const
export type ProviderLimit = keyof typeof largestLimits
export const providerLimits = Object.keys(largestLimits) as ProviderLimit[]

/** How long a transfer of apps can be undone. */
export const transferUndoHours = 24

/** Maximum length of a realm. */
export const maxRealmLength = 64

export const providerSorting = sortedBy(['createdAt', 'name'], 'createdAt', 'desc')

export const farePeriods = ['once', 'month', 'year'] as const
export const maxFares = 20
/** In minor units, such as cents. */
export const largestFare = 1_000_000_000

/** The number of apps whose share of a provider’s storage is shown individually. */
export const storageApps = 20
