import { queryOptions } from '@tanstack/react-query'
import { api } from '../../session/api.ts'

// Another tab, another browser or a mailed link may have changed these meanwhile.
export const profileQuery = queryOptions({
  queryKey: ['auth', 'profile'],
  queryFn: ({ signal }) => api.auth.get('/api/user/profile', { signal }),
  refetchOnWindowFocus: 'always',
})

export const sessionsQuery = queryOptions({
  queryKey: ['auth', 'session'],
  queryFn: ({ signal }) => api.auth.get('/api/user/session', { signal }),
  refetchOnWindowFocus: 'always',
})
