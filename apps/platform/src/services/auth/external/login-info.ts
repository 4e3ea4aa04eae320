import type { ExternalLoginInfo } from '@grove/contract/auth/external'
import type { FastifyRequest } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { Configuration } from 'openid-client'
import type { Config } from '../../../core/config.ts'
import { isLoopbackName } from '../../../core/environment.ts'
import { findPublicOrigin, publicOriginOf } from '../../../core/http/public-origin.ts'
import type { AuthContext } from '../context.ts'
import type { OpenIdProvider } from '../settings.ts'
import { brokerUnavailable, type ExternalContext } from './external.ts'

// How long the sign-in page waits for providers before it offers only a password.
const stagePatienceMs = 2000

interface Choice {
  provider: OpenIdProvider
  configuration: Configuration
}

/**
 * How people sign in here. Providers that do not respond are left out: password sign-in does not
 * depend on them.
 */
export async function stageLoginInfo(
  context: ExternalContext,
  request: FastifyRequest,
): Promise<ExternalLoginInfo> {
  const { config, settings } = context
  const found = await Promise.all(
    settings.openIdProviders.map(async (provider) => ({
      provider,
      configuration: await Promise.race([
        context.providers.find(provider),
        delay(stagePatienceMs, null, { ref: false }),
      ]),
    })),
  )
  const choices = found.filter((choice): choice is Choice => choice.configuration !== null)
  const origin = findPublicOrigin(config, request)
  const [first] = choices
  if (!first || origin === null) return loginInfo(context, undefined, [], origin, request)
  return loginInfo(
    context,
    first,
    choices.map(({ provider }) => provider),
    origin,
    request,
  )
}

/** @throws ProblemError `broker_unavailable` or `console_address_unknown`. */
export async function brokerLoginInfo(
  context: ExternalContext,
  provider: OpenIdProvider,
  request: FastifyRequest,
): Promise<ExternalLoginInfo> {
  const { config, settings } = context
  const origin = publicOriginOf(config, request)
  const configuration = await context.providers.find(provider)
  if (configuration === null) throw brokerUnavailable(provider)
  return loginInfo(context, { provider, configuration }, settings.openIdProviders, origin, request)
}

function loginInfo(
  context: AuthContext,
  choice: Choice | undefined,
  brokers: readonly OpenIdProvider[],
  origin: string | null,
  request: FastifyRequest,
): ExternalLoginInfo {
  const { config, mailer } = context
  const hasMail = mailer !== null && origin !== null
  const base = serviceAddress(context, request) ?? origin
  return {
    urls: {
      login: choice?.configuration.serverMetadata().authorization_endpoint ?? '',
      redirect: origin === null ? '' : redirectOf(origin),
      callback: choice ? `${base}/api/token/external/${choice.provider.id}` : '',
    },
    realm: config.realm,
    clientId: choice?.provider.clientId ?? '',
    brokers: brokers.map(({ id, name }) => ({ id, name })),
    methods: [
      'password',
      'signUp',
      ...(choice ? (['external'] as const) : []),
      'anonymous',
      ...(hasMail ? (['emailValidation', 'passwordReset', 'invitation'] as const) : []),
      'account',
    ],
    pkce: 'S256',
  }
}

/** Where a sign-in may redirect to; on this machine, under each name by which it may be opened. */
export function redirectUrls(config: Config, request: FastifyRequest): string[] {
  const origin = findPublicOrigin(config, request)
  if (origin === null) return []
  if (config.publicUrl !== undefined) return [redirectOf(origin)]
  const { port } = new URL(origin)
  return ['127.0.0.1', 'localhost', '[::1]'].map((host) => redirectOf(`http://${host}:${port}`))
}

const redirectOf = (origin: string): string => `${origin}/login/callback`

/**
 * This service's URL for browsers: as configured, or on this machine as requested. Otherwise it
 * shares the console's origin.
 */
function serviceAddress({ settings, config }: AuthContext, request: FastifyRequest) {
  if (settings.apiUrl !== undefined) return settings.apiUrl.replace(/\/+$/, '')
  const address = `http://${request.headers.host}`
  if (config.isProduction || config.trustsProxy || !URL.canParse(address)) return undefined
  const { hostname, origin } = new URL(address)
  return isLoopbackName(hostname) ? origin : undefined
}
