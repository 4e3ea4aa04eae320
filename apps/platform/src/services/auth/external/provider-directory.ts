import { embeddedProvider } from '@grove/contract/dev/embedded-provider'
import type { FastifyInstance } from 'fastify'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ClientAuth,
  type Configuration,
} from 'openid-client'
import type { OpenIdProvider } from '../settings.ts'
import { ownAddress } from '../../../core/http/own-address.ts'
import { describeError } from './describe-error.ts'
import { fetchFromProvider, patienceSeconds } from './provider-fetch.ts'

const minute = 60_000
/** Maximum age of metadata before a refresh. */
const freshMs = 10 * minute
/** How long stale metadata is used while a provider is unreachable. */
const usableMs = 60 * minute
/** Minimum pause after a failure before calling a provider again. */
const retryMs = 30_000

/** The metadata of the OpenID providers, by `id`; null while a provider does not respond. */
export interface ProviderDirectory {
  find: (provider: OpenIdProvider) => Promise<Configuration | null>
}

interface Entry {
  askedAt: number
  readAt: number
  hasFailed: boolean
  configuration: Configuration | null
  pending: Promise<Configuration | null> | null
}

/** Sends one request to a provider at a time, and few while it is down. */
export function createProviderDirectory(
  app: FastifyInstance,
  now: () => number,
): ProviderDirectory {
  const entries = new Map<string, Entry>()

  async function ask(provider: OpenIdProvider, entry: Entry): Promise<Configuration | null> {
    entry.askedAt = now()
    try {
      // The embedded provider has no address before the server listens.
      const issuer = provider.issuer ?? embeddedIssuer(app)
      entry.configuration = await discover(provider, issuer)
      entry.readAt = now()
      entry.hasFailed = false
    } catch (error) {
      entry.hasFailed = true
      app.log.warn({ broker: provider.id, ...describeError(error) }, 'No metadata of the provider')
    }
    return usable(entry, now())
  }

  return {
    async find(provider) {
      const entry = entries.get(provider.id) ?? unread()
      entries.set(provider.id, entry)
      const isDue = now() - entry.askedAt >= (entry.hasFailed ? retryMs : freshMs)
      if (isDue)
        entry.pending ??= ask(provider, entry).finally(() => {
          entry.pending = null
        })
      // A page does not wait for a refresh of known metadata.
      return usable(entry, now()) ?? entry.pending
    },
  }
}

function embeddedIssuer(app: FastifyInstance): string {
  const address = ownAddress(app)
  if (address === undefined) throw new Error('The server does not listen yet.')
  return `${address}${embeddedProvider.path}`
}

const unread = (): Entry => ({
  askedAt: -Infinity,
  readAt: -Infinity,
  hasFailed: false,
  configuration: null,
  pending: null,
})

const usable = ({ configuration, readAt }: Entry, now: number) =>
  now - readAt < usableMs ? configuration : null

function discover(provider: OpenIdProvider, issuer: string): Promise<Configuration> {
  const address = new URL(issuer)
  return discovery(address, provider.clientId, provider.clientSecret, secretIn, {
    timeout: patienceSeconds,
    [customFetch]: fetchFromProvider,
    // The signature of the ID token is verified even though it came over a direct TLS connection.
    execute: [
      enableNonRepudiationChecks,
      // The fetch refuses it for any host but this machine.
      ...(address.protocol === 'http:' ? [allowInsecureRequests] : []),
    ],
  })
}

/**
 * In the body if the provider supports it, otherwise in the header, which every provider must
 * support.
 */
const secretIn: ClientAuth = (server, client, body, headers) => {
  const takesBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
  const authenticate = takesBody ? ClientSecretPost() : ClientSecretBasic()
  authenticate(server, client, body, headers)
}
