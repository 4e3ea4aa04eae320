import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { providersQuery } from '../../../../session/providers.ts'

export const apiKeysQuery = (id: string) =>
  api.cedar.query('/api/provider/{id}/key', { params: { id } })

/** A provider's keys decide whether it is a working stage. */
export const apiKeys = (id: string) => ({
  list: { name: `maple.api-key ${id}` },
  refresh: () =>
    Promise.all([
      queryClient.invalidateQueries(apiKeysQuery(id)),
      queryClient.refetchQueries({ queryKey: providersQuery.queryKey }),
    ]),
})
