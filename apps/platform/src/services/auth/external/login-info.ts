import type { ExternalLoginInfo } from '@grove/contract'
import type { FastifyRequest } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { Configuration } from 'openid-client'
import { isLoopbackName, type Config, type OpenIdProvider } from '../../../core/config.ts'
import { consoleOriginOf, findConsoleOrigin } from '../../../core/http/public-origin.ts'
import { brokerUnavailable, type External } from './external.ts'

// The sign-in page waits no longer for providers before it offers a password alone.
const stagePatienceMs = 2000

interface Choice {
  provider: OpenIdProvider
  configuration: Configuration
}

/**
 * How people sign in here. Providers that do not answer are left out: sign-in by password does not
 * depend on them.
 */
export async function stageLoginInfo(
  external: External,
  request: FastifyRequest,
): Promise<ExternalLoginInfo> {
  const { config } = external.auth
  const found = await Promise.all(
    config.openIdProviders.map(async (provider) => ({
      provider,
      configuration: await Promise.race([
        external.providers.find(provider),
        delay(stagePatienceMs, null, { ref: false }),
      ]),
    })),
  )
  const choices = found.filter((choice): choice is Choice => choice.configuration !== null)
  const origin = findConsoleOrigin(config, request)
  const [first] = choices
  if (!first || origin === null) return loginInfo(external, undefined, [], origin, request)
  return loginInfo(
    external,
    first,
    choices.map(({ provider }) => provider),
    origin,
    request,
  )
}

/** @throws ProblemError `broker_unavailable` or `console_address_unknown`. */
export async function brokerLoginInfo(
  external: External,
  provider: OpenIdProvider,
  request: FastifyRequest,
): Promise<ExternalLoginInfo> {
  const { config } = external.auth
  const origin = consoleOriginOf(config, request)
  const configuration = await external.providers.find(provider)
  if (configuration === null) throw brokerUnavailable(provider)
  return loginInfo(external, { provider, configuration }, config.openIdProviders, origin, request)
}

function loginInfo(
  { auth: { config, mailer } }: External,
  choice: Choice | undefined,
  brokers: readonly OpenIdProvider[],
  origin: string | null,
  request: FastifyRequest,
): ExternalLoginInfo {
  const hasMail = mailer !== null && origin !== null
  const base = serviceAddress(config, request) ?? origin
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
      ...(hasMail ? (['emailValidation', 'passwordReset'] as const) : []),
      'account',
    ],
    pkce: 'S256',
  }
}

/** Where a sign-in may come back to; on this machine, under each name that it may be opened by. */
export function redirectUrls(config: Config, request: FastifyRequest): string[] {
  const origin = findConsoleOrigin(config, request)
  if (origin === null) return []
  if (config.consoleUrl !== undefined) return [redirectOf(origin)]
  const { port } = new URL(origin)
  return ['127.0.0.1', 'localhost', '[::1]'].map((host) => redirectOf(`http://${host}:${port}`))
}

const redirectOf = (origin: string): string => `${origin}/login/callback`

/**
 * This service as a browser reaches it: as the stage configuration tells the console, or on this
 * machine as it was asked. Otherwise it shares the console's origin.
 */
function serviceAddress({ stage, isProduction, trustsProxy }: Config, request: FastifyRequest) {
  const told = stage.default.auth_api_url
  if (told !== undefined) return told.replace(/\/+$/, '')
  const address = `http://${request.headers.host}`
  if (isProduction || trustsProxy || !URL.canParse(address)) return undefined
  const { hostname, origin } = new URL(address)
  return isLoopbackName(hostname) ? origin : undefined
}
