import type { Provider } from '@grove/contract/cedar/provider'
import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { chooseProvider } from '../../../../session/working-provider.ts'

/** Whether the reader may create a provider. */
export const providerRightsQuery = () => api.cedar.query('/api/provider/rights')

/** Starts working with a provider as it is now, with the key that it just got. */
export async function workWith(userId: string | null, { id }: Pick<Provider, 'id'>): Promise<void> {
  // Refetched, or awaited if that is under way: a provider is not a stage until its key is seen.
  const providers = await queryClient.fetchQuery({ ...providersQuery, staleTime: 0 })
  chooseProvider(
    userId,
    providers.find((each) => each.id === id),
  )
}
