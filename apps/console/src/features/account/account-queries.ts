import { queryOptions } from '@tanstack/react-query'
import { api } from '../../session/api.ts'

// Another browser can start or end a session meanwhile.
export const sessionsQuery = queryOptions({
  ...api.auth.query('/api/user/session'),
  refetchOnWindowFocus: 'always',
})
