import { queryOptions } from '@tanstack/react-query'
import { api } from '../../session/api.ts'

// Another tab, another browser or a mailed link can change these.
export const profileQuery = queryOptions({
  ...api.auth.query('/api/user/profile'),
  refetchOnWindowFocus: 'always',
})

export const sessionsQuery = queryOptions({
  ...api.auth.query('/api/user/session'),
  refetchOnWindowFocus: 'always',
})
