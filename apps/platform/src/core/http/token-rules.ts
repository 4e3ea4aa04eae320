import { createPublicKey } from 'node:crypto'
import { readChoice, readText, readUrl, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

/** How access tokens are verified. */
export interface TokenRules {
  /**
   * `foreign`: signed by a service other than Grove's, which need not mark access tokens `at+jwt`.
   */
  kind: 'grove' | 'foreign'
  /** `iss` and `aud`; undefined is not checked, which is allowed for foreign tokens only. */
  issuer: string | undefined
  audience: string | undefined
  /** The path to the roles claim, if it is not `role` or `roles`. */
  rolesClaim?: readonly string[] | undefined
  /** The roles of a foreign token that count as Grove's; if unset, those with Grove's own names. */
  adminRoles?: readonly string[] | undefined
  developerRoles?: readonly string[] | undefined
  /** Where public keys come from if the signing service runs elsewhere. */
  jwksUrl?: string | undefined
  /** The only public key of a signing service elsewhere, as PEM (SPKI). */
  publicKey?: string | undefined
}

export function readTokenRules(env: Environment): TokenRules {
  // `foreign` if access tokens come from a service other than Grove's.
  const kind = readChoice(env, 'GROVE_AUTH_TOKENS', ['grove', 'foreign'], 'grove')
  const fallback = kind === 'grove' ? 'grove' : undefined
  const adminRoles = rolesIn(readText(env, 'GROVE_AUTH_ADMIN_ROLES'))
  if (adminRoles && kind === 'grove')
    throw new StartupError(
      'GROVE_AUTH_ADMIN_ROLES is for tokens of another service. Set GROVE_AUTH_TOKENS=foreign, or remove it.',
    )
  return {
    kind,
    issuer: readText(env, 'GROVE_AUTH_ISSUER') ?? fallback,
    audience: readText(env, 'GROVE_AUTH_AUDIENCE') ?? fallback,
    // A claim such as `groups`, or a path such as `realm_access.roles`.
    rolesClaim: pathOf(readText(env, 'GROVE_AUTH_ROLES_CLAIM')),
    adminRoles,
    developerRoles: rolesIn(readText(env, 'GROVE_AUTH_DASHBOARD_ROLES')),
    // One of the two is required if no service of this process signs tokens.
    jwksUrl: readUrl(env, 'GROVE_AUTH_JWKS_URL'),
    publicKey: readPublicKey(env),
  }
}

// A claim that is a URL contains dots itself.
const pathOf = (claim: string | undefined) => (claim?.includes('://') ? [claim] : claim?.split('.'))

const rolesIn = (text: string | undefined) => text?.split(',').map((role) => role.trim())

function readPublicKey(env: Environment): string | undefined {
  // PEM with line breaks, or with `\\n` instead, as some environments require.
  const pem = readText(env, 'GROVE_AUTH_PUBLIC_KEY')?.replaceAll('\\n', '\n')
  if (pem === undefined) return undefined
  try {
    return createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString()
  } catch {
    throw new StartupError(
      'GROVE_AUTH_PUBLIC_KEY is not a public key. It must be PEM: -----BEGIN PUBLIC KEY----- and so on.',
    )
  }
}
