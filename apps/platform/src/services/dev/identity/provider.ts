import { exportJWK, generateKeyPair } from 'jose'
import { randomBytes } from 'node:crypto'
import type { Adapter, AdapterFactory, Configuration, Provider } from 'oidc-provider'
import { embeddedProvider } from '@grove/contract/dev/embedded-provider'
import type { Config } from '../../../core/config.ts'
import type { DevContext } from '../context.ts'
import { errorPage, pageLanguage, pagePolicy } from './pages.ts'
import { sampleIdentities } from './sample-identities.ts'

const minute = 60

/** An OpenID provider with sample identities; its state is in memory and ends with the process. */
export async function createProvider(issuer: string, context: DevContext): Promise<Provider> {
  // Loaded here rather than at start: few starts need it.
  const { Provider } = await import('oidc-provider/lib/provider.js')
  return new Provider(issuer, await configurationOf(issuer, context))
}

async function configurationOf(
  issuer: string,
  { config, clientSecret }: DevContext,
): Promise<Configuration> {
  const { createMemoryAdapter } = await import('oidc-provider/lib/adapters/memory_adapter.js')
  const { base, Prompt } = await import('oidc-provider/lib/helpers/interaction_policy/index.js')
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    adapter: withoutSessions(createMemoryAdapter()),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'ES256' }] },
    clients: [
      {
        client_id: embeddedProvider.clientId,
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        // An ES256 key is fast to generate while a person waits for the sign-in page.
        id_token_signed_response_alg: 'ES256',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: redirectUris(issuer, config),
      },
    ],
    findAccount: (_context, id) => {
      const identity = sampleIdentities.find(({ sub }) => sub === id)
      return identity && { accountId: id, claims: () => ({ ...identity }) }
    },
    // Grove does not request the `email` scope, so the profile includes the address.
    claims: { openid: ['sub'], profile: ['name', 'locale', 'email', 'email_verified'] },
    interactions: {
      policy,
      url: (_context, { uid }) => `${embeddedProvider.path}/interaction/${uid}`,
    },
    pkce: { required: () => false },
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    issueRefreshToken: () => false,
    expiresWithSession: () => false,
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      names: {
        session: 'grove_identity_session',
        interaction: 'grove_identity_interaction',
        resume: 'grove_identity_resume',
      },
      long: { httpOnly: true, sameSite: 'lax', path: embeddedProvider.path },
    },
    ttl: {
      AuthorizationCode: minute,
      AccessToken: 5 * minute,
      IdToken: 5 * minute,
      Interaction: 30 * minute,
      Grant: 30 * minute,
      Session: 30 * minute,
    },
    renderError: (context, { error, error_description: description }) => {
      context.set('content-security-policy', pagePolicy([]))
      context.type = 'text/html; charset=utf-8'
      context.body = errorPage(pageLanguage(context.get('accept-language')), error, description)
    },
  }
}

/** Without them, each sign-in asks again who signs in, which is the point of samples. */
function withoutSessions(adapterOf: AdapterFactory): AdapterFactory {
  const forgetful: Adapter = {
    upsert: async () => {},
    find: async () => undefined,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
    destroy: async () => {},
    revokeByGrantId: async () => {},
  }
  return (model) => (model === 'Session' ? forgetful : adapterOf(model))
}

/**
 * The callback pages of a console on this machine, under each of its names, and of a configured one.
 */
export function redirectUris(issuer: string, { publicUrl }: Config): string[] {
  const { port } = new URL(issuer)
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`)
  const origins = publicUrl === undefined ? own : [...own, publicUrl]
  return [...new Set(origins)].map((origin) => `${origin}/login/callback`)
}
