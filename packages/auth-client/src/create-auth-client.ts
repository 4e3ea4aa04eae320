import { createAuthService } from './auth-service.ts'
import { createClient } from './client.ts'
import type { AuthClient, AuthClientOptions } from './types.ts'

/**
 * Creates the client of one realm at one authentication service. Sends nothing. Throws only if an
 * option is missing or has the wrong type, and names it.
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  const { authUrl, realm } = options
  if (typeof authUrl !== 'string' || typeof realm !== 'string') {
    throw new TypeError(`Give authUrl and realm: ${authUrl}, ${realm}`)
  }
  return createClient(
    options,
    async () => (await import('./sign-in/sign-in-calls.ts')).createSignInCalls,
    async () => (await import('./session/verify-once.ts')).createSessionVerifier,
    createAuthService,
  )
}
