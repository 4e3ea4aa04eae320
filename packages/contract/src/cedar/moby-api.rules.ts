import { maxApiKeyLength, shortestApiKey } from '../stage.rules.ts'

/** Visible ASCII, so that a key can be sent in a header. */
export const apiKeyPattern = `^[!-~]{${shortestApiKey},${maxApiKeyLength}}$`
/** How long a key still works once another took its place. */
export const apiKeyOverlapHours = 24

/** Whether a key is one that nobody guesses by trying few characters, or one again and again. */
export const isStrongApiKey = (key: string): boolean =>
  new RegExp(apiKeyPattern).test(key) && new Set(key).size >= 12

export const maxApiUrlLength = 500
const privateZones =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa|invalid|onion|test)$/

/**
 * Whether an address is https, without a password, and of a name that the public internet knows: no
 * address of numbers, no name of this machine or of a private network. Names can lead to private
 * addresses all the same: who connects checks the address that a name leads to.
 */
export function isPublicHttps(text: string): boolean {
  if (text.length > maxApiUrlLength || !URL.canParse(text)) return false
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
export const maxMobyRoles = 20
