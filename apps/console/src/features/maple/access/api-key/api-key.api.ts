import type { Provider } from '@grove/contract/cedar/provider'
import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { chooseProvider } from '../../../../session/working-provider.ts'

/** Whether the reader may create a provider. */
export const providerRightsQuery = () => api.cedar.query('/api/provider/rights')

/** Works with a provider as it is now, with the key that it got. */
export async function workWith(userId: string | null, { id }: Pick<Provider, 'id'>): Promise<void> {
  // Read again, or waited for where that is under way: a provider is no stage before its key is seen.
  const providers = await queryClient.fetchQuery({ ...providersQuery, staleTime: 0 })
  chooseProvider(
    userId,
    providers.find((each) => each.id === id),
  )
}
