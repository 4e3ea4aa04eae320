import { isAdmin } from '@grove/auth-client/rules'
import { firstWorkingProvider } from '@grove/contract/cedar/derived-role.rules'
import { queryOptions } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { api } from './api.ts'
import { auth } from './auth.ts'
import { followStageOfAddress, stageOfAddress } from './stage-address.ts'
import { chooseProvider, workingProvider } from './working-provider.ts'

/** The providers that the reader belongs to: set up once per session (spec §4, §9). */
export const providersQuery = queryOptions({
  ...api.cedar.query('/api/provider'),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

/** Determines the provider to work with, keeping the chosen one while it is still theirs. */
export async function setUpProvider(userId: string | null): Promise<void> {
  const state = auth.getState()
  // Administrators publish nothing, unless they are developers too: asking would create a provider
  // for them.
  if (state.status === 'signedOut' || state.session.roles.every((role) => isAdmin([role]))) return
  // Without the list there is nothing to set up; the next page tries again.
  const providers = await queryClient.ensureQueryData(providersQuery).catch(() => undefined)
  if (!providers) return
  // The specification's wording (§8).
  if (!providers.some(({ isDefault }) => isDefault))
    console.warn('no generic provider for this user')
  const asked = stageOfAddress(userId)
  const wanted = [asked, workingProvider(userId)?.id]
  followStageOfAddress(asked === undefined || providers.some(({ id }) => id === asked))
  const [chosen = firstWorkingProvider(providers, userId)] = wanted.flatMap((id) =>
    providers.filter((provider) => provider.id === id),
  )
  chooseProvider(userId, chosen)
}
