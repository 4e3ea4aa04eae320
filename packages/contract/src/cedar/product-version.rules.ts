import { maxTitleLength } from './product.rules.ts'

/** A version's state follows from its package and `enabled`; it is never stored. */
export const versionStates = [
  'no_package',
  'checking',
  'failed_checks',
  'ready',
  'live',
  'previous',
] as const
export type VersionState = (typeof versionStates)[number]

/** Limits of App Store (title, description) and Play (short description, notes), in characters. */
export const versionTextLimits = {
  title: maxTitleLength,
  shortDescription: 80,
  description: 4000,
  whatsNew: 500,
} as const
export type VersionTextField = keyof typeof versionTextLimits

/** Characters of the reason for a release or a rollback. */
export const maxReasonLength = 500

/** X.Y.Z without leading zeros, at most nine digits each. */
export const versionPattern = '^(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})$'
export const isVersionNumber = (text: string): boolean => new RegExp(versionPattern).test(text)

/** Compares two version numbers: positive if the first is higher, 0 if they are equal. */
export function compareVersions(one: string, other: string): number {
  const numbers = other.split('.').map(Number)
  const differences = one.split('.').map((part, index) => Number(part) - (numbers[index] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}
