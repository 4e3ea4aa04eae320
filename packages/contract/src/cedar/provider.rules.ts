import type { Sorting } from '../page.rules.ts'

export const providerStages = ['DEV', 'TEST', 'PROD'] as const
export type ProviderStage = (typeof providerStages)[number]

/** `personal`: the one that each developer has; `organisation`: made by an admin. */
export const providerKinds = ['organisation', 'personal'] as const
export type ProviderKind = (typeof providerKinds)[number]

export const longestProviderName = 60

/** What a provider may have at most, and the largest number an admin can set. */
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

/** What mini-apps can ask for. A manifest may name further ones, which an admin can grant by name. */
export const miniAppPermissions = [
  'camera',
  'location',
  'contacts',
  'userName',
  'profilePhoto',
  'fileDownload',
  'push',
  'payment',
  'wearable',
  'network',
] as const
export type MiniAppPermission = (typeof miniAppPermissions)[number]
export const permissionPattern = '^[A-Za-z][A-Za-z0-9_.:-]{0,63}$'
export const mostRights = 50

/** `optional`: an app may ask for it, and must work without it. `granted`: it may require it. */
export const rightModes = ['none', 'optional', 'granted'] as const
export type RightMode = (typeof rightModes)[number]

/** The hosts that an app may connect to, for `network` alone; `*.` stands for any name below. */
export const hostPattern =
  '^(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$'
export const mostHosts = 50

export interface MiniAppRight {
  permission: string
  mode: RightMode
  hosts: string[]
}

/** What a package asks for beyond the rights of its provider; what no right names is not allowed. */
export function missingPermissions(
  rights: readonly Pick<MiniAppRight, 'permission' | 'mode'>[],
  { required, optional }: { required: readonly string[]; optional: readonly string[] },
): string[] {
  const modeOf = (name: string) =>
    rights.find(({ permission }) => permission.toLowerCase() === name.toLowerCase())?.mode ?? 'none'
  return [
    ...required.filter((name) => modeOf(name) !== 'granted'),
    ...optional.filter((name) => modeOf(name) === 'none'),
  ]
}

export const shortestApiKey = 32
export const longestApiKey = 128
/** Visible ASCII, so that a key can be sent in a header. */
export const apiKeyPattern = `^[!-~]{${shortestApiKey},${longestApiKey}}$`
/** How long a key still works once another took its place. */
export const apiKeyOverlapHours = 24

/** Whether a key is one that nobody guesses by trying few characters, or one again and again. */
export const isStrongApiKey = (key: string): boolean =>
  new RegExp(apiKeyPattern).test(key) && new Set(key).size >= 12

/** How long a transfer of apps can be undone. */
export const transferUndoHours = 24

export const longestApiUrl = 500
const privateZones =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa|invalid|onion|test)$/

/**
 * Whether an address is https, without a password, and of a name that the public internet knows: no
 * address of numbers, no name of this machine or of a private network. Names can lead to private
 * addresses all the same: who connects checks the address that a name leads to.
 */
export function isPublicHttps(text: string): boolean {
  if (text.length > longestApiUrl || !URL.canParse(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  const name = hostname.replace(/\.$/, '')
  const isBare = username === '' && password === '' && hash === ''
  const isNamed = /^[^[\]]+\.(xn--[a-z0-9-]+|[a-z]{2,63})$/.test(name)
  return protocol === 'https:' && isBare && isNamed && !privateZones.test(name)
}

/** What a provider's people are called by the Moby API: its owner, and every other member. */
export const mobyRoleNames = ['owner', 'member'] as const
export type MobyRoleName = (typeof mobyRoleNames)[number]
export const mobyRolePattern = '^[\\w.:-]{1,64}$'
export const mostMobyRoles = 20

/** The longest realm of an authentication service. */
export const longestRealm = 64

export const providerSorting = {
  by: ['createdAt', 'name'],
  default: 'createdAt',
  order: 'desc',
} as const satisfies Sorting

export const farePeriods = ['once', 'month', 'year'] as const
export const mostFares = 20
/** In minor units, such as cents. */
export const largestFare = 1_000_000_000
