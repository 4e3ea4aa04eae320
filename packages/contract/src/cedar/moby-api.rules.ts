import { maxApiKeyLength, shortestApiKey } from '../stage.rules.ts'

/** Visible ASCII, so that a key can be sent in a header. */
export const apiKeyPattern = `^[!-~]{${shortestApiKey},${maxApiKeyLength}}$`
/** How long a key still works once another took its place. */
export const apiKeyOverlapHours = 24

/** Whether a key resists guessing: enough distinct characters and no repetition. */
export const isStrongApiKey = (key: string): boolean =>
  new RegExp(apiKeyPattern).test(key) && new Set(key).size >= 12

export const maxApiUrlLength = 500
const privateZones =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa|invalid|onion|test)$/

/**
 * Whether a URL is https, without a password, and with a public name: no IP address, and no name of
 * this machine or of a private network. Names can still resolve to private addresses: the code that
 * connects checks the resolved address.
 */
export function isPublicHttps(text: string): boolean {
  if (text.length > maxApiUrlLength || !URL.canParse(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  const name = hostname.replace(/\.$/, '')
  const isBare = username === '' && password === '' && hash === ''
  const isNamed = /^[^[\]]+\.(xn--[a-z0-9-]+|[a-z]{2,63})$/.test(name)
  return protocol === 'https:' && isBare && isNamed && !privateZones.test(name)
}

/** Roles of a provider's people in the Moby API: its owner's, and every other member's. */
export const mobyRoleNames = ['owner', 'member'] as const
export type MobyRoleName = (typeof mobyRoleNames)[number]
export const mobyRolePattern = '^[\\w.:-]{1,64}$'
export const maxMobyRoles = 20
