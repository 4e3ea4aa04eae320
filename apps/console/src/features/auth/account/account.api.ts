import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import type { pageOf } from './account.search.ts'

export const peopleKey = ['auth', 'account'] as const

export const peopleQuery = (query: ReturnType<typeof pageOf>) =>
  queryOptions({
    queryKey: [...peopleKey, query],
    queryFn: ({ signal }) => api.auth.get('/api/admin/account', { query, signal }),
  })
