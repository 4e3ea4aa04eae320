import { createClient } from '../client.ts'
import { sessionOf } from '../session/machine.ts'
import { isText } from '../session/token.ts'
import type { ExternalLoginAnswer } from '../types.ts'
import { createDiscovery } from './discovery.ts'
import { OidcError } from './oidc-error.ts'
import { createOidcService } from './oidc-service.ts'
import type { EndSession, OidcClient, OidcOptions } from './types.ts'

/**
 * Creates the client of an OpenID service: authorization code with PKCE, renewal by refresh token,
 * logout. Sends nothing. Throws only if `issuer` or `clientId` is missing.
 */
export function oidc(options: OidcOptions): OidcClient {
  const { issuer, clientId, identity, audience } = options
  if (!issuer || !clientId) throw new TypeError(`Give issuer and clientId: ${issuer}, ${clientId}`)
  const discover = createDiscovery(options)
  const absolute = (address = '/') => new URL(address, location.origin).href
  const redirectUri = () => absolute(options.redirectUri)

  const client = createClient(
    {
      isRejected,
      ...options,
      authUrl: issuer,
      realm: `${clientId} ${issuer}`,
      apiVersion: '',
      rejectWith: 'error',
      verification: {
        jwksUrl: async () => (await discover()).jwks_uri,
        issuer,
        ...(identity === 'idToken' ? { audience: clientId } : audience && { audience }),
      },
    },
    async () => {
      const { createOidcCalls } = await import('./oidc-calls.ts')
      return (context) => createOidcCalls(context, options, redirectUri, discover, OidcError)
    },
    (service) => createOidcService(service, options, discover),
  )

  /** The page of this origin that an address means; else the one that the service leads to. */
  function ownPage(address: string | null | undefined): string {
    try {
      const { href } = new URL(address ?? '', location.origin)
      if (address && href.startsWith(`${location.origin}/`)) return href
    } catch {
      // Not a URL.
    }
    return redirectUri()
  }

  return {
    ...client,
    async signInWithRedirect(start) {
      location.assign(await client.startExternalLogin({ returnTo: location.href, ...start }))
    },
    async completeRedirect() {
      const { href } = location
      const query = new URL(href).searchParams
      const isAnswer = query.has('state') && (query.has('code') || query.has('error'))
      if (!isAnswer || href.split(/[?#]/)[0] !== redirectUri().split(/[?#]/)[0]) return null
      let answer: ExternalLoginAnswer | undefined
      const isSignedIn = await client.completeExternalLogin(href, {
        onAnswer: (given) => (answer = given),
      })
      const returnTo = ownPage(answer?.returnTo)
      // A reload must not send the code again, nor the address bar show it.
      if (location.href === href) history.replaceState(history.state, '', returnTo)
      return { isSignedIn, returnTo, ...(!isSignedIn && { error: answer?.body }) }
    },
    async signOutWithRedirect({
      returnTo = absolute(options.postLogoutRedirectUri ?? redirectUri()),
    } = {}) {
      const idToken = sessionOf(client.getState())?.token.idToken
      // First: it must not wait for a service that is not responding.
      await client.signOut()
      const found = await discover().catch(options.onError ?? console.warn)
      const endSession = options.endSession ?? addressOf
      const endpoint = found?.end_session_endpoint
      location.assign((found && endSession({ endpoint, clientId, idToken, returnTo })) || returnTo)
    },
  }
}

/** Only the service's own refusal ends a session, not that of a proxy before it. */
const isRejected = (status: number, body: unknown): boolean =>
  [400, 401, 403].includes(status) && (body === undefined || isText(Object(body).error))

function addressOf({ endpoint, clientId, idToken, returnTo }: EndSession): string | null {
  if (!endpoint) return null
  const url = new URL(endpoint)
  if (idToken) url.searchParams.set('id_token_hint', idToken)
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('post_logout_redirect_uri', returnTo)
  return url.href
}
