import { createClient } from '../client.ts'
import { AuthError } from '../http/auth-error.ts'
import { sessionOf } from '../session/machine.ts'
import type { ExternalLoginAnswer } from '../types.ts'
import { createDiscovery, TIME_LIMIT } from './discovery.ts'
import { OidcError } from './oidc-error.ts'
import { createOidcService, type OidcService } from './oidc-service.ts'
import type { EndSession, OidcClient, OidcOptions, RedirectResult } from './types.ts'

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
  const afterLogout = () => absolute(options.postLogoutRedirectUri ?? redirectUri())

  const client = createClient<OidcService>(
    {
      isRejected,
      ...options,
      authUrl: issuer,
      realm: `${clientId} ${issuer}`,
      apiVersion: '',
      rejectWith: 'error',
      verification: {
        issuer,
        ...(identity === 'idToken' ? { audience: clientId } : audience && { audience }),
      },
    },
    async () => {
      const { createOidcCalls } = await import('./oidc-calls.ts')
      return (context) => createOidcCalls(context, options, redirectUri, discover, OidcError)
    },
    async () => {
      const { createOidcVerifier } = await import('./verify.ts')
      return (context) => createOidcVerifier(context, async () => (await discover()).jwks_uri)
    },
    (context) => createOidcService(context, options, discover),
  )

  /** Whether the service redirected to this URL with an answer. */
  function isAnswer(address: string): boolean {
    const { searchParams: query } = new URL(address)
    const isHere = address.split(/[?#]/)[0] === redirectUri().split(/[?#]/)[0]
    return isHere && query.has('state') && (query.has('code') || query.has('error'))
  }

  /** The page of this origin at a URL; otherwise the redirect page. */
  function ownPage(address: string | null | undefined): string {
    try {
      const { href } = new URL(address ?? '', location.origin)
      // An answer that was open at the start must not be sent again.
      if (address && href.startsWith(`${location.origin}/`) && !isAnswer(href)) return href
    } catch {
      // Not a URL.
    }
    return redirectUri()
  }

  const show = (address: string) => history.replaceState(history.state, '', address)

  async function complete(): Promise<RedirectResult | null> {
    const { href } = location
    if (!isAnswer(href)) return null
    // Immediately, so that neither a reload nor another script on the page finds the code.
    show(redirectUri())
    const shown = location.href
    let answer: ExternalLoginAnswer | undefined
    await client.completeExternalLogin(href, {
      timeout: options.timeout ?? TIME_LIMIT,
      onAnswer: (given) => (answer = given),
    })
    const returnTo = ownPage(answer?.returnTo)
    if (location.href === shown) show(returnTo)
    const isSignedIn = !!sessionOf(client.getState())
    // Without an answer, a part of this page failed to load.
    const error = answer ? answer.body : new AuthError('Network Error', {})
    // Someone went back to an answer that had already signed them in.
    const isOver = isSignedIn && Object(error).code === 'state_replayed'
    return { isSignedIn, returnTo, ...(error instanceof Error && !isOver && { error }) }
  }

  let running: ReturnType<typeof complete> | null = null

  return {
    ...client,
    async signInWithRedirect(start) {
      location.assign(await client.startExternalLogin({ returnTo: location.href, ...start }))
    },
    // A page may call this twice (an effect that runs twice) when the answer has already left the
    // URL.
    completeRedirect: () => (running ??= complete().finally(() => (running = null))),
    async signOutWithRedirect({ returnTo = afterLogout() } = {}) {
      const idToken = sessionOf(client.getState())?.token.idToken
      // First: it must not wait for a service that is not responding.
      await client.signOut()
      const found = await discover().catch(() => null)
      const endSession = options.endSession ?? addressOf
      const endpoint = found?.end_session_endpoint
      location.assign(
        (found && endSession({ endpoint, clientId, idToken, returnTo })) ||
          (returnTo === afterLogout() ? returnTo : ownPage(returnTo)),
      )
    },
  }
}

/** Only a refusal by the service itself ends a session, not one by a proxy in front of it. */
const isRejected = (status: number, body: unknown): boolean =>
  [400, 401, 403].includes(status) &&
  (body === undefined || /^(?!server_error|temporarily_|slow_down)./.test(Object(body).error ?? ''))

function addressOf({ endpoint, clientId, idToken, returnTo }: EndSession): string | null {
  if (!endpoint) return null
  const url = new URL(endpoint)
  if (idToken) url.searchParams.set('id_token_hint', idToken)
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('post_logout_redirect_uri', returnTo)
  return url.href
}
