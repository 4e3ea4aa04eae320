import type { AdminProvider } from '@grove/contract'
import { queryOptions } from '@tanstack/react-query'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { providerList, providerQuery } from './provider.search.ts'

const one = (provider: string) =>
  queryOptions(api.cedar.query('/api/cedar/provider', { query: { provider } }))

/** The providers as an admin sees them: rows of the list, and one with all that belongs to it. */
export const providers = {
  list: providerList,
  query: (page: ReturnType<typeof providerList.page>) =>
    api.cedar.query('/api/admin/provider', { query: providerQuery(page) }),
  one,
  read: (id: string) => queryClient.fetchQuery({ ...one(id), staleTime: 0 }),
  /** After a change: caches the provider that was saved and reads everything else again. */
  refresh: async (saved?: AdminProvider) => {
    if (saved) queryClient.setQueryData(one(saved.id).queryKey, saved)
    else await api.cedar.invalidate('/api/cedar/provider')
    await Promise.all([
      api.cedar.invalidate('/api/admin/provider'),
      api.cedar.invalidate('/api/provider'),
    ])
  },
}
