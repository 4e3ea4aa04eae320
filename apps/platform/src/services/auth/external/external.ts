import type { FastifyInstance } from 'fastify'
import type { Config, OpenIdProvider } from '../../../core/config.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Auth } from '../auth.ts'
import { createProviderDirectory, type ProviderDirectory } from './provider-directory.ts'

/** What the calls of external login work with. */
export interface External {
  auth: Auth
  providers: ProviderDirectory
}

export const openExternal = (app: FastifyInstance, auth: Auth): External => ({
  auth,
  providers: createProviderDirectory(app, auth.now),
})

/** @throws ProblemError `unknown_broker`. */
export function findProvider({ openIdProviders }: Config, id: string): OpenIdProvider {
  const provider = openIdProviders.find((candidate) => candidate.id === id)
  if (!provider)
    throw new ProblemError('unknown_broker', 'broker names a provider that is not known here.')
  return provider
}

export const brokerUnavailable = ({ name }: OpenIdProvider) =>
  new ProblemError(
    'broker_unavailable',
    `${name} does not answer. Try again, or sign in otherwise.`,
    {
      retryAfter: 30,
    },
  )
