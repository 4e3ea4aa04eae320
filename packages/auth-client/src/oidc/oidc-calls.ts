import { createBegin } from '../sign-in/begin.ts'
import { base64url, hashOf } from '../sign-in/random.ts'
import { createExternalLogin, type LoginProtocol } from '../sign-in/external-login.ts'
import type { SignInCalls, SignInContext } from '../sign-in/sign-in-calls.ts'
import type { OidcError } from './oidc-error.ts'
import type { OidcService } from './oidc-service.ts'
import type { OidcMetadata, OidcOptions } from './types.ts'

// Always imported dynamically: only a sign-in needs it. Code shared with the core is passed in.

/** The sign-in calls of a client at an OpenID service (OpenID Connect Core 1.0 §3.1, RFC 7636). */
export function createOidcCalls(
  context: SignInContext<OidcService>,
  options: OidcOptions,
  redirectUri: () => string,
  discover: () => Promise<OidcMetadata>,
  Misconfigured: typeof OidcError,
): SignInCalls {
  const { decodeClaims } = context
  const { issuer, clientId, hintParameter = 'kc_idp_hint' } = options

  const protocol: LoginProtocol<{ redirect: string }> = {
    async prepare({ hint }) {
      const { authorization_endpoint, scopes_supported: known = ['offline_access'] } =
        await discover()
      const offline = known.includes('offline_access') ? ' offline_access' : ''
      const { scope = `openid profile email${offline}` } = options
      const { prompt = scope.includes('offline_access') ? 'consent' : '' } = options
      const redirect = redirectUri()
      return {
        login: authorization_endpoint,
        hasPkce: true,
        parameters: {
          client_id: clientId,
          redirect_uri: redirect,
          scope,
          prompt,
          ...(hint && { [hintParameter]: hint }),
          ...options.parameters,
        },
        kept: { redirect },
      }
    },
    async check(iss) {
      const { authorization_response_iss_parameter_supported: isNamed } = await discover()
      // RFC 9207 §2.4. For a multi-tenant issuer, the real one is known only from the token.
      if (iss === null ? isNamed : iss !== issuer && !issuer.includes('{tenantid}'))
        throw new Misconfigured(`The answer is of the issuer ${iss}, not of ${issuer}`)
    },
    async exchange(code, { redirect, verifier }, _, init) {
      const fields = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirect,
        code_verifier: verifier ?? '',
      }
      const answer = await context.service.askToken(fields, init)
      const { idToken = '', accessToken } = answer.body.token
      const { at_hash: wanted } = decodeClaims(idToken)
      if (wanted && wanted !== (await halfHash(accessToken, decodeClaims(`.${idToken}`)['alg'])))
        throw new Misconfigured('The ID token is of another access token')
      return answer
    },
  }

  const { start, complete } = createExternalLogin(
    { ...context, begin: createBegin(context) },
    protocol,
  )
  const none = () => Promise.reject(new Misconfigured('An OpenID service has no such call'))
  return {
    signIn: none,
    signUp: none,
    stageAuth: none,
    info: none,
    globalInfo: none,
    emailExists: none,
    sendEmailValidation: none,
    startExternalLogin: start,
    completeExternalLogin: complete,
    getAnonymousAuthorization: async () => '',
  }
}

/** OpenID Connect Core 1.0 §3.1.3.6: the left half of the hash that the ID token is signed with. */
async function halfHash(text: string, alg: unknown): Promise<string> {
  // EdDSA does not name its hash, which is SHA-512.
  const hash = await hashOf(text, /\d{3}$/.exec(String(alg))?.[0] ?? '512')
  return base64url(hash.subarray(0, hash.length / 2))
}
