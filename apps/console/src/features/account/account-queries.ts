import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { auth } from '../../app/auth.ts'

/** What the authentication service offers; a foreign one names no methods. */
export const externalLoginQuery = queryOptions({
  queryKey: ['auth', 'stage'],
  queryFn: () => auth.stageAuth(),
  // The page does without the answer rather than wait for it.
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
})

// Another tab, another browser or a mailed link may have changed these meanwhile.
export const profileQuery = queryOptions({
  queryKey: ['auth', 'profile'],
  queryFn: ({ signal }) => api.get('/api/user/profile', { signal }),
  refetchOnWindowFocus: 'always',
})

export const sessionsQuery = queryOptions({
  queryKey: ['auth', 'session'],
  queryFn: ({ signal }) => api.get('/api/user/session', { signal }),
  refetchOnWindowFocus: 'always',
})
