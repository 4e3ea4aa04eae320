import type {
  CallOptions,
  CompleteExternalLoginOptions,
  ExternalLoginAnswer,
  ExternalLoginInfo,
  StartExternalLoginOptions,
} from '../types.ts'
import type { HttpResponse } from '../http/request.ts'
import { createAttempts, type Exchange } from './attempts.ts'
import { ExternalLoginError, type ExternalLoginErrorCode } from './external-login-error.ts'
import { challengeOf, randomText } from './random.ts'
import type { SignInContext } from './sign-in-calls.ts'

type Outcome = ExternalLoginAnswer & { isSignedIn: boolean }

/** Starts and completes external logins, each once. */
export function createExternalLogin(
  context: SignInContext & { begin: (send: () => Promise<HttpResponse>) => Promise<boolean> },
  loadInfo: (options: StartExternalLoginOptions) => Promise<ExternalLoginInfo>,
) {
  const { clock, service } = context
  const attempts = createAttempts(context.storage, context.scope, clock)
  const running = new Map<string, Promise<Outcome>>()

  const failure = (code: ExternalLoginErrorCode, returnTo?: string | null, error?: string) =>
    new ExternalLoginError(code, returnTo, error)

  /** A URL of the service, possibly relative to its base. */
  function resolve(address: string): URL {
    try {
      const url = new URL(address, new URL(context.authUrl, globalThis.location?.href))
      // The page navigates there: a `javascript:` URL would run in it.
      if (address && /^https?:$/.test(url.protocol)) return url
    } catch {
      // Not a URL.
    }
    throw failure('unavailable')
  }

  async function start(options: StartExternalLoginOptions = {}): Promise<string> {
    const { urls, realm, clientId, pkce } = await loadInfo(options)
    const login = resolve(urls.login)
    const callback = resolve(urls.callback).href
    const [state, nonce] = [randomText(), randomText()]
    const verifier = pkce === 'S256' ? randomText() : null
    // Do not continue without PKCE: an attacker in between could remove it unnoticed.
    if (verifier !== null && !globalThis.crypto.subtle) throw failure('insecure_origin')

    const parameters: Record<string, string | null | undefined> = {
      client_id: clientId ?? options.clientId ?? realm,
      redirect_uri: urls.redirect,
      response_type: 'code',
      scope: 'profile offline_access openid',
      nonce,
      state,
      prompt: 'select_account consent',
      kc_idp_hint: options.hint,
      code_challenge: verifier && (await challengeOf(verifier)),
      code_challenge_method: verifier && 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) {
      if (value) login.searchParams.set(name, value)
    }
    const exchange = { callback, provider: realm, redirect: urls.redirect, nonce, verifier }
    // The page is about to unload: what is kept only in its memory would be lost at the callback.
    if (!attempts.add(state, options.returnTo ?? null, exchange)) throw failure('storage_denied')
    return login.href
  }

  async function finish(
    state: string,
    query: URLSearchParams,
    options: CallOptions,
  ): Promise<Outcome> {
    if (!state) throw failure('state_missing')
    const claim = attempts.claim(state)
    const { returnTo } = claim
    if (claim.code !== null) throw failure(claim.code, returnTo)
    const error = query.get('error')
    if (error) throw failure('provider_refused', returnTo, error)
    const code = query.get('code')
    if (!code) throw failure('code_missing', returnTo)

    const { exchange } = claim
    const form = formOf(exchange, code, query.get('iss'))
    let body: unknown = null
    try {
      const isSignedIn = await context.begin(async () => {
        const { signal, timeout } = options
        const init = { method: 'POST', body: form, signal, timeout }
        const answer = await service.send(exchange.callback, init)
        body = answer.body
        if (!carriesNonce(body, exchange.nonce)) throw failure('nonce_mismatch', returnTo)
        return answer
      })
      return { isSignedIn, returnTo, body }
    } catch (cause) {
      return failed(cause, returnTo)
    }
  }

  function failed(cause: unknown, returnTo: string | null): Outcome {
    context.report(cause)
    context.tell({ type: 'signInFailed', error: cause })
    return { isSignedIn: false, returnTo, body: cause }
  }

  async function complete(
    address: string,
    options: CompleteExternalLoginOptions = {},
  ): Promise<boolean> {
    const query = new URLSearchParams(/\?([^#]*)/.exec(address)?.[1])
    const state = query.get('state') ?? ''
    // A page may ask twice for one callback (a double press, an effect that runs twice).
    const outcome =
      running.get(state) ??
      finish(state, query, options)
        .catch((error: unknown) =>
          failed(error, error instanceof ExternalLoginError ? error.returnTo : null),
        )
        .finally(() => running.delete(state))
    running.set(state, outcome)
    const { isSignedIn, ...answer } = await outcome
    options.onAnswer?.(answer)
    return isSignedIn
  }

  // A service may pass on the provider's own token, including the nonce.
  function carriesNonce(body: unknown, nonce: string): boolean {
    const { accessToken } = Object(Object(body).token) as { accessToken?: unknown }
    const claims = typeof accessToken === 'string' ? context.decodeClaims(accessToken) : {}
    return (claims['nonce'] ?? nonce) === nonce
  }

  return { start, complete }
}

function formOf(
  { provider, redirect, nonce, verifier }: Exchange,
  code: string,
  iss: string | null,
) {
  const form = new URLSearchParams({ Provider: provider, RedirectUrl: redirect, Code: code })
  // Only a service that announces PKCE accepts these fields.
  if (verifier !== null) {
    form.set('CodeVerifier', verifier)
    form.set('Nonce', nonce)
    if (iss !== null) form.set('Iss', iss)
  }
  return form
}
