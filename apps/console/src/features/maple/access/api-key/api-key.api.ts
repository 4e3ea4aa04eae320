import type { Provider } from '@grove/contract/cedar/provider'
import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { chooseProvider } from '../../../../session/working-provider.ts'

export const apiKeysQuery = (id: string) =>
  api.cedar.query('/api/provider/{id}/key', { params: { id } })

/** Whether the reader may create a provider. */
export const providerRightsQuery = () => api.cedar.query('/api/provider/rights')

/** The keys of a provider decide whether it is a working stage. */
export const apiKeys = (id: string) => ({
  list: { name: `maple.api-key ${id}` },
  refresh: () =>
    Promise.all([
      queryClient.invalidateQueries(apiKeysQuery(id)),
      queryClient.refetchQueries({ queryKey: providersQuery.queryKey }),
    ]),
})

/** Works with a provider as it is now, with the key that it got. */
export async function workWith(userId: string | null, { id }: Pick<Provider, 'id'>): Promise<void> {
  // Read again, or waited for where that is under way: a provider is no stage before its key is seen.
  const providers = await queryClient.fetchQuery({ ...providersQuery, staleTime: 0 })
  chooseProvider(
    userId,
    providers.find((each) => each.id === id),
  )
}
