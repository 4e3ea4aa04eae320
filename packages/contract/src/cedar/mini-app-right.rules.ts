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
export const maxRights = 50

/** `optional`: an app may ask for it, and must work without it. `granted`: it may require it. */
export const rightModes = ['none', 'optional', 'granted'] as const
export type RightMode = (typeof rightModes)[number]

/** The hosts that an app may connect to, only for `network`; `*.` matches all subdomains. */
export const hostPattern =
  '^(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$'
export const maxHosts = 50

export interface MiniAppRight {
  permission: string
  mode: RightMode
  hosts: string[]
}

/**
 * Permissions that a package requests beyond its provider's rights; what is not listed is not
 * allowed.
 */
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
