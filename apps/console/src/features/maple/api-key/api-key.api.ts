import type { Provider } from '@grove/contract'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { providersQuery } from '../../../session/providers.ts'
import { chooseProvider } from '../../../session/working-provider.ts'

export const apiKeysQuery = (id: string) =>
  api.cedar.query('/api/provider/{id}/key', { params: { id } })

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
  const providers = await queryClient.ensureQueryData(providersQuery)
  chooseProvider(
    userId,
    providers.find((each) => each.id === id),
  )
}
