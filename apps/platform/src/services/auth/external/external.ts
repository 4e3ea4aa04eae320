import type { FastifyInstance } from 'fastify'
import type { OpenIdProvider } from '../settings.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { AuthContext } from '../context.ts'
import { createProviderDirectory, type ProviderDirectory } from './provider-directory.ts'

/** The dependencies of external login. */
export interface ExternalContext extends AuthContext {
  providers: ProviderDirectory
}

export const openExternal = (app: FastifyInstance, context: AuthContext): ExternalContext => ({
  ...context,
  providers: createProviderDirectory(app, context.now),
})

/** @throws ProblemError `unknown_broker`. */
export function findProvider({ settings }: AuthContext, id: string): OpenIdProvider {
  const provider = settings.openIdProviders.find((candidate) => candidate.id === id)
  if (!provider)
    throw new ProblemError('unknown_broker', 'broker is not a provider of this service.')
  return provider
}

export const brokerUnavailable = ({ name }: OpenIdProvider) =>
  new ProblemError(
    'broker_unavailable',
    `${name} is not responding. Try again, or sign in another way.`,
    {
      retryAfter: 30,
    },
  )
