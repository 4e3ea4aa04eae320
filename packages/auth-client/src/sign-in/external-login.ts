import type {
  CallOptions,
  CompleteExternalLoginOptions,
  ExternalLoginAnswer,
  StartExternalLoginOptions,
} from '../types.ts'
import type { HttpResponse } from '../http/request.ts'
import { createAttempts, type Secrets } from './attempts.ts'
import type { Begin } from './begin.ts'
import { ExternalLoginError, type ExternalLoginErrorCode } from './external-login-error.ts'
import { challengeOf, randomText } from './random.ts'
import type { SignInContext } from './sign-in-calls.ts'
import type { TokenService } from '../auth-service.ts'

type Outcome = ExternalLoginAnswer & { isSignedIn: boolean }

/** Where logins lead, and how their codes become tokens. `Kept` is stored for the callback. */
export interface LoginProtocol<Kept> {
  prepare(options: StartExternalLoginOptions): Promise<{
    /** The URL to open, without the parameters. */
    login: string
    parameters: Record<string, string | undefined>
    hasPkce: boolean
    kept: Kept
  }>
  /** Rejects for a callback from another issuer, whether it has a code or an error. */
  check?: (iss: string | null) => Promise<void>
  exchange(
    code: string,
    kept: Kept & Secrets,
    iss: string | null,
    options: CallOptions,
  ): Promise<HttpResponse>
}

/** Starts and completes external logins, each once. */
export function createExternalLogin<Kept extends object>(
  context: SignInContext<TokenService> & { begin: Begin },
  protocol: LoginProtocol<Kept>,
) {
  const attempts = createAttempts<Kept & Secrets>(context.storage, context.scope, context.clock)
  const running = new Map<string, Promise<Outcome>>()

  const failure = (code: ExternalLoginErrorCode, returnTo?: string | null, query?: Query) =>
    new ExternalLoginError(code, returnTo, query?.get('error'), query?.get('error_description'))

  async function start(options: StartExternalLoginOptions = {}): Promise<string> {
    const { login, parameters, hasPkce, kept } = await protocol.prepare(options)
    const [state, nonce] = [randomText(), randomText()]
    const verifier = hasPkce ? randomText() : null
    // Do not continue without PKCE: an attacker in between could remove it unnoticed.
    if (verifier !== null && !globalThis.crypto.subtle) throw failure('insecure_origin')

    const address = new URL(login)
    const all: typeof parameters = {
      response_type: 'code',
      ...parameters,
      nonce,
      state,
      ...(verifier !== null && {
        code_challenge: await challengeOf(verifier),
        code_challenge_method: 'S256',
      }),
    }
    for (const [name, value] of Object.entries(all))
      if (value) address.searchParams.set(name, value)
    // The page is about to unload: what is kept only in its memory would be lost at the callback.
    const isKept = attempts.add(state, options.returnTo ?? null, { ...kept, nonce, verifier })
    if (!isKept) throw failure('storage_denied')
    return address.href
  }

  async function finish(state: string, query: Query, options: CallOptions): Promise<Outcome> {
    if (!state) throw failure('state_missing')
    const claim = attempts.claim(state)
    const { returnTo } = claim
    if (claim.code !== null) throw failure(claim.code, returnTo)
    const iss = query.get('iss')
    try {
      await protocol.check?.(iss)
      if (query.get('error')) throw failure('provider_refused', returnTo, query)
      const code = query.get('code')
      if (!code) throw failure('code_missing', returnTo)
      let body: unknown = null
      const isSignedIn = await context.begin(async () => {
        const answer = await protocol.exchange(code, claim.exchange, iss, options)
        body = answer.body
        if (!carriesNonce(body, claim.exchange.nonce)) throw failure('nonce_mismatch', returnTo)
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
        .catch((error: ExternalLoginError) => failed(error, error.returnTo))
        .finally(() => running.delete(state))
    running.set(state, outcome)
    const { isSignedIn, ...answer } = await outcome
    options.onAnswer?.(answer)
    return isSignedIn
  }

  // A service may pass on the provider's own token, including the nonce. An ID token always has it.
  function carriesNonce(body: unknown, nonce: string): boolean {
    const { idToken, accessToken } = Object(Object(body).token) as Record<string, unknown>
    const claims = context.decodeClaims(String(idToken ?? accessToken))
    return (claims['nonce'] ?? (idToken === undefined ? nonce : null)) === nonce
  }

  return { start, complete }
}

type Query = URLSearchParams
