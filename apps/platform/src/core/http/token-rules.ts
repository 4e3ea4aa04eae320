import { createPublicKey } from 'node:crypto'
import { readChoice, readText, readUrl, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

/** How access tokens are checked. */
export interface TokenRules {
  /** `foreign`: signed by a service other than Grove's, which need not mark access tokens `at+jwt`. */
  kind: 'grove' | 'foreign'
  /** `iss` and `aud`; undefined is not checked, which is allowed for foreign tokens only. */
  issuer: string | undefined
  audience: string | undefined
  /** The path to the claim that has the roles, where it is not `role` or `roles`. */
  rolesClaim?: readonly string[] | undefined
  /** Where public keys come from when the service that signs runs elsewhere. */
  jwksUrl?: string | undefined
  /** The only public key of a service that signs elsewhere, as PEM (SPKI). */
  publicKey?: string | undefined
}

export function readTokenRules(env: Environment): TokenRules {
  // `foreign` when access tokens come from a service other than Grove's.
  const kind = readChoice(env, 'GROVE_AUTH_TOKENS', ['grove', 'foreign'], 'grove')
  const fallback = kind === 'grove' ? 'grove' : undefined
  return {
    kind,
    issuer: readText(env, 'GROVE_AUTH_ISSUER') ?? fallback,
    audience: readText(env, 'GROVE_AUTH_AUDIENCE') ?? fallback,
    // A claim such as `groups`, or a path such as `realm_access.roles`.
    rolesClaim: pathOf(readText(env, 'GROVE_AUTH_ROLES_CLAIM')),
    // One of the two is required when no service of this process signs tokens.
    jwksUrl: readUrl(env, 'GROVE_AUTH_JWKS_URL'),
    publicKey: readPublicKey(env),
  }
}

// A claim that is an address has points of its own.
const pathOf = (claim: string | undefined) => (claim?.includes('://') ? [claim] : claim?.split('.'))

function readPublicKey(env: Environment): string | undefined {
  // PEM with line breaks, or with `\\n` in their place, as some environments need it.
  const pem = readText(env, 'GROVE_AUTH_PUBLIC_KEY')?.replaceAll('\\n', '\n')
  if (pem === undefined) return undefined
  try {
    return createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString()
  } catch {
    throw new StartupError(
      'GROVE_AUTH_PUBLIC_KEY is no public key. It must be PEM: -----BEGIN PUBLIC KEY----- and so on.',
    )
  }
}
