import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { providerKinds, providerStages } from '@grove/contract/cedar/provider.rules'
import { queryOptions } from '@tanstack/react-query'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { withOne } from '../../../ui/table/list-search.ts'
import { providerList, providerStates } from './provider.search.ts'

/** The query sent to the service. */
function providerQuery(page: ReturnType<typeof providerList.page>) {
  const { state, ...query } = withOne(
    withOne(withOne(page, 'kind', providerKinds), 'stage', providerStages),
    'state',
    providerStates,
  )
  return { ...query, ...(state && { enabled: state === 'enabled' }) }
}

const one = (provider: string) =>
  queryOptions(api.cedar.query('/api/cedar/provider', { query: { provider } }))

/** Providers as an administrator sees them: rows of the list, and one with all its details. */
export const providers = {
  list: providerList,
  query: (page: ReturnType<typeof providerList.page>) =>
    api.cedar.query('/api/admin/provider', { query: providerQuery(page) }),
  one,
  read: (id: string) => queryClient.fetchQuery({ ...one(id), staleTime: 0 }),
  /** After a change: caches the saved provider and refetches everything else. */
  refresh: async (saved?: AdminProvider) => {
    if (saved) queryClient.setQueryData(one(saved.id).queryKey, saved)
    else await api.cedar.invalidate('/api/cedar/provider')
    await Promise.all([
      api.cedar.invalidate('/api/admin/provider'),
      api.cedar.invalidate('/api/provider'),
      api.cedar.invalidate('/api/developer/activity'),
    ])
  },
}
